import { setImmediate as nextTurn } from 'node:timers/promises';
import { contentWords } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { Pattern } from './pattern.ts';

/** Active patterns by trigger. */
export interface PatternIndex {
  readonly byTool: ReadonlyMap<string, readonly Pattern[]>;
  /** By `wordKey`, which includes the end user, so that other users' patterns have no influence. */
  readonly byWord: ReadonlyMap<string, readonly Pattern[]>;
  readonly byId: ReadonlyMap<string, Pattern>;
  /** The number of indexed words of each pattern. */
  readonly wordCount: ReadonlyMap<Pattern, number>;
  /** The scopes that have patterns with texts; null for account-wide ones. */
  readonly textScopes: ReadonlySet<string | null>;
}

interface CachedIndex {
  readonly patterns: readonly Pattern[];
  readonly index: PatternIndex;
}

/** Caches an index per tenant, rebuilt when its patterns change. */
export class PatternIndexes {
  readonly #cached = new Map<string, CachedIndex>();
  readonly #building = new Set<string>();

  /** Indexes a few patterns at once and many in the background; meanwhile calls use the previous index, if any. */
  async indexFor(tenant: string, patterns: readonly Pattern[]): Promise<PatternIndex | undefined> {
    const cachedIndex = this.#cached.get(tenant);
    if (cachedIndex?.patterns === patterns) return cachedIndex.index;
    if (patterns.length <= limits.indexedAtOnce)
      return this.#store(tenant, patterns, await buildIndex(patterns));
    if (!this.#building.has(tenant)) {
      this.#building.add(tenant);
      void buildIndex(patterns)
        .then((index) => this.#store(tenant, patterns, index))
        .finally(() => this.#building.delete(tenant));
    }
    return cachedIndex?.index;
  }

  #store(tenant: string, patterns: readonly Pattern[], index: PatternIndex): PatternIndex {
    this.#cached.delete(tenant);
    this.#cached.set(tenant, { patterns, index });
    const [oldest] = this.#cached.keys();
    if (this.#cached.size > limits.indexesMax && oldest !== undefined) this.#cached.delete(oldest);
    return index;
  }
}

async function buildIndex(patterns: readonly Pattern[]): Promise<PatternIndex> {
  const active = patterns.filter(({ state }) => state === 'active');
  const byTool = new Map<string, Pattern[]>();
  const all = new Map<string, Pattern[]>();
  const textScopes = new Set<string | null>();
  for (const [at, pattern] of active.entries()) {
    if (at % limits.indexedAtOnce === limits.indexedAtOnce - 1) await nextTurn();
    for (const tool of pattern.trigger.tools) push(byTool, tool, pattern);
    if (pattern.trigger.text !== '') textScopes.add(pattern.scope);
    for (const word of contentWords(pattern.trigger.text)) push(all, wordKey(word, pattern.scope), pattern);
  }
  // A word that many patterns share doesn't distinguish them.
  const most = Math.max(limits.commonWordPatternsMin, active.length * limits.commonWordShare);
  const byWord = new Map([...all].filter(([, having]) => having.length <= most));
  const wordCount = new Map<Pattern, number>();
  for (const having of byWord.values())
    for (const pattern of having) wordCount.set(pattern, (wordCount.get(pattern) ?? 0) + 1);
  return { byTool, byWord, byId: new Map(active.map((one) => [one.id, one])), wordCount, textScopes };
}

export function wordKey(word: string, scope: string | null): string {
  return `${scope ?? ''} ${word}`;
}

function push(map: Map<string, Pattern[]>, key: string, pattern: Pattern): void {
  const there = map.get(key);
  if (there === undefined) map.set(key, [pattern]);
  else there.push(pattern);
}
