import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  digestOfTools,
  type Embeddings,
  type Kit,
  Lru,
  type Tool,
  type WhyNoVectors,
} from '../../module-api.ts';
import { type PreparedTool, prepared } from './choice/prepared-tool.ts';
import { fastestProducts, type Products } from './choice/products.ts';
import { ToolList } from './choice/tool-list.ts';
import {
  listsAtOnce,
  listsKept,
  preparingMs,
  textsAtOnce,
  toolsInLists,
  toolsKept,
  vectorsMakeMs,
  vectorsWaitMs,
} from './limits.ts';

export type Listed =
  | { readonly list: ToolList; readonly why?: undefined }
  | { readonly list?: undefined; readonly why: WhyNoVectors };

/** Lists of tools with their vectors, for all accounts: what tools say of themselves is no secret of one. */
export class ToolLists {
  #lists = new Lru<ToolList>(listsKept);
  #toolsInLists = 0;
  #products: Products | undefined;
  readonly #tokens = new Lru<number>(toolsKept);
  readonly #tools = new Lru<PreparedTool>(toolsKept);
  readonly #making = new Set<string>();

  /** Whether vectors of these are being made: who waits for them would only keep those waiting who make them. */
  isMaking(tools: readonly Tool[]): boolean {
    return this.#making.has(digestOfTools({ tools }));
  }

  /** Waits for vectors that are missing for as long as a call can. */
  async of(tools: readonly Tool[], embed: Embeddings): Promise<Listed> {
    const name = digestOfTools({ tools });
    const known = this.#lists.get(name);
    if (known !== undefined) return { list: known };
    if (this.isMaking(tools)) return { why: 'busy' };
    const overAtMs = performance.now() + vectorsWaitMs;
    const all = await this.#preparedAll(tools, overAtMs);
    if (all === undefined) return { why: 'late' };
    const { vectors, why } = await embed.many(
      all.map(({ text }) => text),
      { use: 'tools', isPublic: true, deadlineMs: Math.max(1, overAtMs - performance.now()) },
    );
    if (vectors === undefined) return { why };
    this.#products ??= fastestProducts();
    const list = new ToolList(
      all,
      vectors.map(({ values }) => values),
      this.#products,
    );
    this.#keep(name, list);
    return { list };
  }

  /** Of all of them together, four bytes each. */
  tokensOf(tools: readonly Tool[]): number {
    const name = digestOfTools({ tools });
    const known = this.#tokens.get(name);
    if (known !== undefined) return known;
    const tokens = Buffer.byteLength(JSON.stringify(tools)) / 4;
    this.#tokens.set(name, tokens);
    return tokens;
  }

  #keep(name: string, list: ToolList): void {
    this.#toolsInLists += list.tools.length;
    if (this.#toolsInLists > toolsInLists) {
      // What is needed is made again, of vectors that are there.
      this.#lists = new Lru(listsKept);
      this.#toolsInLists = list.tools.length;
    }
    this.#lists.set(name, list);
  }

  /** To be searched by words alone. */
  async withoutVectors(tools: readonly Tool[]): Promise<ToolList> {
    return new ToolList((await this.#preparedAll(tools)) ?? [], []);
  }

  /** Makes the vectors that are missing after the call, for the next one. */
  makeLater(tools: readonly Tool[], kit: Pick<Kit<unknown>, 'embed' | 'later'>): void {
    const name = digestOfTools({ tools });
    if (this.#making.has(name)) return;
    kit.later(async () => {
      // Only now: there may be no room for what is left for later.
      if (this.#making.has(name) || this.#making.size >= listsAtOnce) return;
      this.#making.add(name);
      const overAtMs = performance.now() + vectorsMakeMs;
      try {
        const texts = ((await this.#preparedAll(tools)) ?? []).map(({ text }) => text);
        for (let at = 0; at < texts.length && performance.now() < overAtMs; at += textsAtOnce)
          await kit.embed.many(texts.slice(at, at + textsAtOnce), {
            use: 'tools',
            isPublic: true,
            deadlineMs: vectorsMakeMs,
          });
      } finally {
        this.#making.delete(name);
      }
    });
  }

  /** Lets others have their turn in between; undefined where it took too long. */
  async #preparedAll(
    tools: readonly Tool[],
    overAtMs = Number.POSITIVE_INFINITY,
  ): Promise<readonly PreparedTool[] | undefined> {
    const all: PreparedTool[] = [];
    let restAtMs = performance.now() + preparingMs;
    for (const tool of tools) {
      all.push(this.#prepared(tool));
      const nowMs = performance.now();
      if (nowMs > overAtMs) return undefined;
      if (nowMs <= restAtMs) continue;
      await setImmediate();
      restAtMs = performance.now() + preparingMs;
    }
    return all;
  }

  #prepared(tool: Tool): PreparedTool {
    const json = jsonOf(tool);
    const key = hash('sha256', json, 'base64url');
    const known = this.#tools.get(key);
    if (known !== undefined) return known;
    const made = prepared(tool, json);
    this.#tools.set(key, made);
    return made;
  }
}

/** Without the marker, which is no part of the tool. */
function jsonOf({ name, description, input_schema }: Tool): string {
  return JSON.stringify({ name, description, input_schema });
}
