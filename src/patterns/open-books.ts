import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { Pattern, PatternTable } from '../kernel/ports/patterns.ts';
import { lacksApproval, unapproved } from './pattern-changes.ts';

interface Open {
  readonly version: number;
  readonly patterns: readonly Pattern[];
  readonly checkedAtMs: number;
  /** Whether this process has changed something since. */
  readonly isOld?: true;
}

interface OpenBooksParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  onTrouble(error: unknown): void;
}

/** The patterns of tenants that are not retired, in memory. */
export class OpenBooks {
  readonly #parts: OpenBooksParts;
  #opened = new Lru<Promise<Open>>(limits.patternBooksOpen);
  #patternsOpened = 0;
  readonly #renewing = new Set<string>();

  constructor(parts: OpenBooksParts) {
    this.#parts = parts;
  }

  /** The same list for as long as nothing is changed. */
  async of(owner: string): Promise<readonly Pattern[]> {
    const before = this.#opened.get(owner);
    const known = before === undefined ? undefined : await before;
    const ageMs = this.#parts.clock.now() - (known?.checkedAtMs ?? Number.NEGATIVE_INFINITY);
    const isFresh = known !== undefined && known.isOld === undefined;
    if (isFresh && ageMs < limits.patternsSeenMs) return known.patterns;
    const reading = this.#read(owner, known);
    // No call waits for what others may have changed a moment ago.
    if (isFresh && ageMs < limits.patternsStaleMs) {
      if (this.#opened.get(owner) === before)
        this.#opened.set(owner, Promise.resolve({ ...known, checkedAtMs: this.#parts.clock.now() }));
      void reading.then((read) => this.#replace(owner, known, read));
      return known.patterns;
    }
    if (this.#opened.get(owner) === before) this.#opened.set(owner, reading);
    return (await reading).patterns;
  }

  /** From now on this process looks again. */
  changed(owner: string): void {
    const before = this.#opened.get(owner);
    if (before === undefined) return;
    this.#opened.set(
      owner,
      before.then((open) => ({ ...open, isOld: true })),
    );
  }

  forget(owner: string): void {
    this.#opened.delete(owner);
  }

  /** Unless somebody here has changed something meanwhile. */
  async #replace(owner: string, known: Open, read: Open): Promise<void> {
    const now = await this.#opened.get(owner);
    if (now?.patterns === known.patterns && now.isOld === undefined)
      this.#opened.set(owner, Promise.resolve(read));
  }

  /** Where the database is away, what was known before is better than nothing. */
  async #read(owner: string, known: Open | undefined): Promise<Open> {
    const { table, clock, onTrouble } = this.#parts;
    const checkedAtMs = clock.now();
    try {
      const version = await table.version(owner);
      if (known?.version === version) return { version, patterns: known.patterns, checkedAtMs };
      // Many take a while to be read, and no call waits for that.
      if (known !== undefined && known.patterns.length > limits.patternsReadAtOnce) {
        void this.#renew(owner, version);
        return { version: known.version, patterns: known.patterns, checkedAtMs };
      }
      return { version, checkedAtMs, patterns: version === 0 ? [] : await this.#load(owner) };
    } catch (error) {
      onTrouble(error);
      return { version: known?.version ?? -1, patterns: known?.patterns ?? [], checkedAtMs };
    }
  }

  async #renew(owner: string, version: number): Promise<void> {
    if (this.#renewing.has(owner)) return;
    this.#renewing.add(owner);
    const { clock, onTrouble } = this.#parts;
    try {
      const patterns = await this.#load(owner);
      this.#opened.set(owner, Promise.resolve({ version, patterns, checkedAtMs: clock.now() }));
    } catch (error) {
      onTrouble(error);
    } finally {
      this.#renewing.delete(owner);
    }
  }

  /** Written back at once: what was made by an earlier release needs no migration, and none of its processes undoes it. */
  async #unapproved(owner: string, one: Pattern): Promise<Pattern> {
    const { table, clock } = this.#parts;
    const now = clock.now();
    await table.change(owner, one.id, (pattern) => unapproved(pattern, now));
    return unapproved(one, now);
  }

  async #load(owner: string): Promise<readonly Pattern[]> {
    const patterns: Pattern[] = [];
    for (const state of ['active', 'candidate'] as const)
      for (let after: string | undefined; ; ) {
        const page = await this.#parts.table.page(owner, { state, after, limit: limits.databaseRowsAtOnce });
        for (const one of page) patterns.push(lacksApproval(one) ? await this.#unapproved(owner, one) : one);
        if (page.length < limits.databaseRowsAtOnce) break;
        after = page.at(-1)?.id;
      }
    this.#patternsOpened += patterns.length;
    if (this.#patternsOpened > limits.patternsOpen) {
      // What is needed is read again.
      this.#opened = new Lru(limits.patternBooksOpen);
      this.#patternsOpened = 0;
    }
    return patterns;
  }
}
