import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  digestOfTools,
  type EmbeddingFailureReason,
  type Embeddings,
  type Kit,
  Lru,
  type Tool,
} from '../../module-api.ts';
import { createDotProducts, type DotProducts } from './choice/dot-products.ts';
import { type PreparedTool, prepareTool } from './choice/prepared-tool.ts';
import { ToolList } from './choice/tool-list.ts';
import {
  backgroundEmbeddingMs,
  cachedListsMax,
  cachedListToolsMax,
  cachedToolsMax,
  embeddingWaitMs,
  listsAtOnce,
  preparingMs,
  textsAtOnce,
} from './limits.ts';

export type ToolListResult =
  | { readonly list: ToolList; readonly why?: undefined }
  | { readonly list?: undefined; readonly why: EmbeddingFailureReason };

/** Lists of tools with their vectors, for all accounts: what tools say of themselves is no secret of one. */
export class ToolListCache {
  #lists = new Lru<ToolList>(cachedListsMax);
  #toolCount = 0;
  #products: DotProducts | undefined;
  readonly #tokens = new Lru<number>(cachedToolsMax);
  readonly #tools = new Lru<PreparedTool>(cachedToolsMax);
  readonly #embedding = new Set<string>();

  /** Whether vectors of these are being made: who waits for them would only keep those waiting who make them. */
  isEmbedding(tools: readonly Tool[]): boolean {
    return this.#embedding.has(digestOfTools({ tools }));
  }

  /** Waits for vectors that are missing for as long as a call can. */
  async load(tools: readonly Tool[], embed: Embeddings): Promise<ToolListResult> {
    const name = digestOfTools({ tools });
    const known = this.#lists.get(name);
    if (known !== undefined) return { list: known };
    if (this.isEmbedding(tools)) return { why: 'busy' };
    const overAtMs = performance.now() + embeddingWaitMs;
    const all = await this.#prepareAll(tools, overAtMs);
    if (all === undefined) return { why: 'late' };
    const { vectors, why } = await embed.many(
      all.map(({ text }) => text),
      { use: 'tools', isPublic: true, deadlineMs: Math.max(1, overAtMs - performance.now()) },
    );
    if (vectors === undefined) return { why };
    this.#products ??= createDotProducts();
    const list = new ToolList(
      all,
      vectors.map(({ values }) => values),
      this.#products,
    );
    this.#store(name, list);
    return { list };
  }

  /** Of all of them together, four bytes each. */
  estimateTokens(tools: readonly Tool[]): number {
    const name = digestOfTools({ tools });
    const known = this.#tokens.get(name);
    if (known !== undefined) return known;
    const tokens = Buffer.byteLength(JSON.stringify(tools)) / 4;
    this.#tokens.set(name, tokens);
    return tokens;
  }

  #store(name: string, list: ToolList): void {
    this.#toolCount += list.tools.length;
    if (this.#toolCount > cachedListToolsMax) {
      // What is needed is made again, of vectors that are there.
      this.#lists = new Lru(cachedListsMax);
      this.#toolCount = list.tools.length;
    }
    this.#lists.set(name, list);
  }

  /** To be searched by words alone. */
  async withoutVectors(tools: readonly Tool[]): Promise<ToolList> {
    return new ToolList((await this.#prepareAll(tools)) ?? [], []);
  }

  /** Makes the vectors that are missing after the call, for the next one. */
  embedLater(tools: readonly Tool[], kit: Pick<Kit<unknown>, 'embeddings' | 'runInBackground'>): void {
    const name = digestOfTools({ tools });
    if (this.#embedding.has(name)) return;
    kit.runInBackground(async () => {
      // Only now: there may be no room for what is left for later.
      if (this.#embedding.has(name) || this.#embedding.size >= listsAtOnce) return;
      this.#embedding.add(name);
      const overAtMs = performance.now() + backgroundEmbeddingMs;
      try {
        const texts = ((await this.#prepareAll(tools)) ?? []).map(({ text }) => text);
        for (let at = 0; at < texts.length && performance.now() < overAtMs; at += textsAtOnce)
          await kit.embeddings.many(texts.slice(at, at + textsAtOnce), {
            use: 'tools',
            isPublic: true,
            deadlineMs: backgroundEmbeddingMs,
          });
      } finally {
        this.#embedding.delete(name);
      }
    });
  }

  /** Lets others have their turn in between; undefined where it took too long. */
  async #prepareAll(
    tools: readonly Tool[],
    overAtMs = Number.POSITIVE_INFINITY,
  ): Promise<readonly PreparedTool[] | undefined> {
    const all: PreparedTool[] = [];
    let restAtMs = performance.now() + preparingMs;
    for (const tool of tools) {
      all.push(this.#prepare(tool));
      const nowMs = performance.now();
      if (nowMs > overAtMs) return undefined;
      if (nowMs <= restAtMs) continue;
      await setImmediate();
      restAtMs = performance.now() + preparingMs;
    }
    return all;
  }

  #prepare(tool: Tool): PreparedTool {
    const json = jsonOf(tool);
    const key = hash('sha256', json, 'base64url');
    const known = this.#tools.get(key);
    if (known !== undefined) return known;
    const made = prepareTool(tool, json);
    this.#tools.set(key, made);
    return made;
  }
}

/** Without the marker, which is no part of the tool. */
function jsonOf({ name, description, input_schema }: Tool): string {
  return JSON.stringify({ name, description, input_schema });
}
