import { setImmediate as nextTurn } from 'node:timers/promises';
import { contentWords, type Pattern } from '../../module-api.ts';
import { limits } from './limits.ts';

/** Active patterns by what they are for. */
export interface PatternIndex {
  readonly byTool: ReadonlyMap<string, readonly Pattern[]>;
  /** By `placeOf` a word in the patterns of an end user: how many others have it there makes no difference. */
  readonly byWord: ReadonlyMap<string, readonly Pattern[]>;
  readonly byId: ReadonlyMap<string, Pattern>;
  /** How many words of each are looked for. */
  readonly wordCount: ReadonlyMap<Pattern, number>;
  /** Whose have texts, null for those of all end users. */
  readonly textScopes: ReadonlySet<string | null>;
}

interface Kept {
  readonly patterns: readonly Pattern[];
  readonly index: PatternIndex;
}

/** The indexes of tenants, made anew when their patterns change. */
export class PatternIndexes {
  readonly #kept = new Map<string, Kept>();
  readonly #making = new Set<string>();

  /** Few are sorted at once. Many are sorted between calls, which go on with what is known meanwhile, if anything is. */
  async of(tenant: string, patterns: readonly Pattern[]): Promise<PatternIndex | undefined> {
    const kept = this.#kept.get(tenant);
    if (kept?.patterns === patterns) return kept.index;
    if (patterns.length <= limits.indexedAtOnce) return this.#keep(tenant, patterns, await indexOf(patterns));
    if (!this.#making.has(tenant)) {
      this.#making.add(tenant);
      void indexOf(patterns)
        .then((index) => this.#keep(tenant, patterns, index))
        .finally(() => this.#making.delete(tenant));
    }
    return kept?.index;
  }

  #keep(tenant: string, patterns: readonly Pattern[], index: PatternIndex): PatternIndex {
    this.#kept.delete(tenant);
    this.#kept.set(tenant, { patterns, index });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > limits.indexesMax && oldest !== undefined) this.#kept.delete(oldest);
    return index;
  }
}

async function indexOf(patterns: readonly Pattern[]): Promise<PatternIndex> {
  const active = patterns.filter(({ state }) => state === 'active');
  const byTool = new Map<string, Pattern[]>();
  const all = new Map<string, Pattern[]>();
  const textScopes = new Set<string | null>();
  for (const [at, pattern] of active.entries()) {
    if (at % limits.indexedAtOnce === limits.indexedAtOnce - 1) await nextTurn();
    for (const tool of pattern.trigger.tools) push(byTool, tool, pattern);
    if (pattern.trigger.text !== '') textScopes.add(pattern.scope);
    for (const word of contentWords(pattern.trigger.text)) push(all, placeOf(word, pattern.scope), pattern);
  }
  // What many have in common tells none of them apart.
  const most = Math.max(limits.sameWordLeast, active.length * limits.sameWordShare);
  const byWord = new Map([...all].filter(([, having]) => having.length <= most));
  const wordCount = new Map<Pattern, number>();
  for (const having of byWord.values())
    for (const pattern of having) wordCount.set(pattern, (wordCount.get(pattern) ?? 0) + 1);
  return { byTool, byWord, byId: new Map(active.map((one) => [one.id, one])), wordCount, textScopes };
}

export function placeOf(word: string, scope: string | null): string {
  return `${scope ?? ''} ${word}`;
}

function push(map: Map<string, Pattern[]>, key: string, pattern: Pattern): void {
  const there = map.get(key);
  if (there === undefined) map.set(key, [pattern]);
  else there.push(pattern);
}
