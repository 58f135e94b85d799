import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  digestOfTools,
  type EmbeddingFailureReason,
  type Embeddings,
  Lru,
  type Tool,
} from '../../module-api.ts';
import { groupFamilies } from './choice/families.ts';
import { type PreparedTool, prepareTool } from './choice/prepared-tool.ts';
import { ToolList } from './choice/tool-list.ts';
import {
  backgroundEmbeddingMs,
  cachedListsMax,
  cachedListToolsMax,
  cachedToolsMax,
  embeddingWaitMs,
  listsAtOnce,
  missingToolsMax,
  preparingMs,
  textsAtOnce,
} from './limits.ts';

export type ToolListResult =
  | { readonly list: ToolList; readonly why?: undefined }
  | { readonly list?: undefined; readonly why: EmbeddingFailureReason };

/** Caches tool lists with their vectors for all accounts, as tool descriptions aren't secret. */
export class ToolListCache {
  #lists = new Lru<ToolList>(cachedListsMax);
  #toolCount = 0;
  readonly #tokens = new Lru<number>(cachedToolsMax);
  readonly #families = new Lru<readonly (readonly string[])[]>(cachedListsMax);
  readonly #tools = new Lru<PreparedTool>(cachedToolsMax);
  readonly #embedding = new Set<string>();

  /** Whether these tools are being embedded; another request for their vectors would only slow that down. */
  isEmbedding(tools: readonly Tool[]): boolean {
    return this.#embedding.has(digestOfTools({ tools }));
  }

  /** Embeds missing tools within the time that a call can wait. */
  async load(tools: readonly Tool[], embed: Embeddings): Promise<ToolListResult> {
    const name = digestOfTools({ tools });
    const cached = this.#lists.get(name);
    if (cached !== undefined) return { list: cached };
    if (this.isEmbedding(tools)) return { why: 'busy' };
    const deadlineAtMs = performance.now() + embeddingWaitMs;
    const all = await this.#prepareAll(tools, deadlineAtMs);
    if (all === undefined) return { why: 'late' };
    const { vectors, why } = await embed.many(
      all.map(({ text }) => text),
      {
        use: 'tools',
        isPublic: true,
        missingMax: missingToolsMax,
        deadlineMs: Math.max(1, deadlineAtMs - performance.now()),
      },
    );
    if (vectors === undefined) return { why };
    const list = new ToolList(
      all,
      vectors.map(({ values }) => values),
    );
    this.#store(name, list);
    return { list };
  }

  /** Estimates the tokens of all tools at four bytes each. */
  estimateTokens(tools: readonly Tool[]): number {
    const name = digestOfTools({ tools });
    const cached = this.#tokens.get(name);
    if (cached !== undefined) return cached;
    const tokens = Buffer.byteLength(JSON.stringify(tools)) / 4;
    this.#tokens.set(name, tokens);
    return tokens;
  }

  /** The names of tools that are used together. */
  familiesOf(tools: readonly Tool[]): readonly (readonly string[])[] {
    const name = digestOfTools({ tools });
    const cached = this.#families.get(name);
    if (cached !== undefined) return cached;
    const names = tools.map((tool) => tool.name);
    const families = groupFamilies(names).map((family) => family.flatMap((at) => names[at] ?? []));
    this.#families.set(name, families);
    return families;
  }

  #store(name: string, list: ToolList): void {
    this.#toolCount += list.tools.length;
    if (this.#toolCount > cachedListToolsMax) {
      // Lists in use are rebuilt from cached vectors.
      this.#lists = new Lru(cachedListsMax);
      this.#toolCount = list.tools.length;
    }
    this.#lists.set(name, list);
  }

  /** A list for searching by words only. */
  async withoutVectors(tools: readonly Tool[]): Promise<ToolList> {
    return new ToolList((await this.#prepareAll(tools)) ?? [], []);
  }

  /** Embeds missing tools beside the call, for the next one. Resolves when it is done; calls don't wait for it. */
  async embedMissing(tools: readonly Tool[], embed: Embeddings): Promise<void> {
    const name = digestOfTools({ tools });
    if (this.#embedding.has(name) || this.#embedding.size >= listsAtOnce) return;
    this.#embedding.add(name);
    const deadlineAtMs = performance.now() + backgroundEmbeddingMs;
    try {
      const texts = ((await this.#prepareAll(tools)) ?? []).map(({ text }) => text);
      for (let at = 0; at < texts.length && performance.now() < deadlineAtMs; at += textsAtOnce)
        await embed.many(texts.slice(at, at + textsAtOnce), {
          use: 'tools',
          isPublic: true,
          deadlineMs: backgroundEmbeddingMs,
        });
    } finally {
      this.#embedding.delete(name);
    }
  }

  /** Yields to the event loop in between; undefined after the deadline. */
  async #prepareAll(
    tools: readonly Tool[],
    deadlineAtMs = Number.POSITIVE_INFINITY,
  ): Promise<readonly PreparedTool[] | undefined> {
    const all: PreparedTool[] = [];
    let yieldAtMs = performance.now() + preparingMs;
    for (const tool of tools) {
      all.push(this.#prepare(tool));
      const nowMs = performance.now();
      if (nowMs > deadlineAtMs) return undefined;
      if (nowMs <= yieldAtMs) continue;
      await setImmediate();
      yieldAtMs = performance.now() + preparingMs;
    }
    return all;
  }

  #prepare(tool: Tool): PreparedTool {
    const json = jsonOf(tool);
    const key = hash('sha256', json, 'base64url');
    const cached = this.#tools.get(key);
    if (cached !== undefined) return cached;
    const made = prepareTool(tool, json);
    this.#tools.set(key, made);
    return made;
  }
}

/** Without the cache marker. */
function jsonOf({ name, description, input_schema }: Tool): string {
  return JSON.stringify({ name, description, input_schema });
}
