import { type Clock, Lru } from '../../../module-api.ts';
import type { Pattern } from '../pattern.ts';
import { limits } from './limits.ts';
import { demoteUnapproved, lacksApproval } from './pattern-changes.ts';
import type { PatternTable } from './pattern-table.ts';

interface CachedPatterns {
  readonly version: number;
  readonly patterns: readonly Pattern[];
  readonly checkedAtMs: number;
  /** Whether this process has changed something since. */
  readonly isStale?: true;
}

interface PatternCacheParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** The active patterns of tenants, in memory. */
export class PatternCache {
  readonly #parts: PatternCacheParts;
  #entries = new Lru<Promise<CachedPatterns>>(limits.cachedPatternOwnersMax);
  #patternCount = 0;
  readonly #refreshing = new Set<string>();

  constructor(parts: PatternCacheParts) {
    this.#parts = parts;
  }

  /** The same list until something changes. */
  async of(owner: string): Promise<readonly Pattern[]> {
    const before = this.#entries.get(owner);
    const known = before === undefined ? undefined : await before;
    const ageMs = this.#parts.clock.now() - (known?.checkedAtMs ?? Number.NEGATIVE_INFINITY);
    const isFresh = known !== undefined && known.isStale === undefined;
    if (isFresh && ageMs < limits.patternsFreshMs) return known.patterns;
    const reading = this.#read(owner, known);
    // Calls don't wait for recent changes by other processes.
    if (isFresh && ageMs < limits.patternsStaleMs) {
      if (this.#entries.get(owner) === before)
        this.#entries.set(owner, Promise.resolve({ ...known, checkedAtMs: this.#parts.clock.now() }));
      void reading.then((read) => this.#replace(owner, known, read));
      return known.patterns;
    }
    if (this.#entries.get(owner) === before) this.#entries.set(owner, reading);
    return (await reading).patterns;
  }

  /** Invalidates the cache of this process. */
  invalidate(owner: string): void {
    const before = this.#entries.get(owner);
    if (before === undefined) return;
    this.#entries.set(
      owner,
      before.then((cachedPatterns) => ({ ...cachedPatterns, isStale: true })),
    );
  }

  /** Unless this process has changed something meanwhile. */
  async #replace(owner: string, known: CachedPatterns, read: CachedPatterns): Promise<void> {
    const now = await this.#entries.get(owner);
    if (now?.patterns === known.patterns && now.isStale === undefined)
      this.#entries.set(owner, Promise.resolve(read));
  }

  /** If the database is unavailable, uses the last known patterns. */
  async #read(owner: string, known: CachedPatterns | undefined): Promise<CachedPatterns> {
    const { table, clock, onError } = this.#parts;
    const checkedAtMs = clock.now();
    try {
      const version = await table.version(owner);
      if (known?.version === version) return { version, patterns: known.patterns, checkedAtMs };
      // Large sets take a while to load, and calls don't wait for that.
      if (known !== undefined && known.patterns.length > limits.patternsReadAtOnce) {
        void this.#refresh(owner, version);
        return { version: known.version, patterns: known.patterns, checkedAtMs };
      }
      return { version, checkedAtMs, patterns: version === 0 ? [] : await this.#load(owner) };
    } catch (error) {
      onError(error);
      return { version: known?.version ?? -1, patterns: known?.patterns ?? [], checkedAtMs };
    }
  }

  async #refresh(owner: string, version: number): Promise<void> {
    if (this.#refreshing.has(owner)) return;
    this.#refreshing.add(owner);
    const { clock, onError } = this.#parts;
    try {
      const patterns = await this.#load(owner);
      this.#entries.set(owner, Promise.resolve({ version, patterns, checkedAtMs: clock.now() }));
    } catch (error) {
      onError(error);
    } finally {
      this.#refreshing.delete(owner);
    }
  }

  /** Stored at once: patterns of an earlier release need no migration, and its processes can't undo the change. */
  async #demoteUnapproved(owner: string, one: Pattern): Promise<Pattern> {
    const { table, clock } = this.#parts;
    const now = clock.now();
    await table.change(owner, one.id, (pattern) => demoteUnapproved(pattern, now));
    return demoteUnapproved(one, now);
  }

  async #load(owner: string): Promise<readonly Pattern[]> {
    const patterns: Pattern[] = [];
    for (const state of ['active', 'candidate'] as const)
      for (let after: string | undefined; ; ) {
        const page = await this.#parts.table.page(owner, {
          state,
          after,
          limit: limits.patternsLoadedAtOnce,
        });
        for (const one of page)
          patterns.push(lacksApproval(one) ? await this.#demoteUnapproved(owner, one) : one);
        if (page.length < limits.patternsLoadedAtOnce) break;
        after = page.at(-1)?.id;
      }
    this.#patternCount += patterns.length;
    if (this.#patternCount > limits.cachedPatternsMax) {
      // Patterns still in use are loaded again.
      this.#entries = new Lru(limits.cachedPatternOwnersMax);
      this.#patternCount = 0;
    }
    return patterns;
  }
}
