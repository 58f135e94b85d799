import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type {
  Gist,
  Outcome,
  Pattern,
  PatternBooks,
  PatternChange,
  PatternPage,
  Patterns,
  PatternTable,
  Verdict,
} from '../kernel/ports/patterns.ts';
import { Forging, type ForgingParts, isUnconfirmed } from './forging.ts';
import { fingerprintOf, newPattern, type PersonsWord } from './new-pattern.ts';
import { OpenBooks } from './open-books.ts';
import { changedByPerson, isGood, judged, told, verdictOf } from './pattern-changes.ts';
import { widen } from './widening.ts';
import { holdOutOf } from './worth.ts';

export interface PatternBookParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  /** Told of patterns as they were that can no longer be looked for so: deleted, retired, or changed in what they are for. */
  left?(owner: string, patterns: readonly Pattern[]): Promise<void>;
  /** Told that all of a tenant is forgotten. */
  forgot?(owner: string): Promise<void>;
  /** Told of what can't be done after calls. */
  onTrouble?(error: unknown): void;
}

export type ToldOutcome = Outcome & { readonly conversation: string };

/** What tenants have learned: kept in the database, and looked through in memory. */
export class PatternBook implements PatternBooks {
  readonly #parts: PatternBookParts;
  readonly #table: PatternTable;
  readonly #clock: Clock;
  readonly #open: OpenBooks;
  readonly #working: ForgingParts;
  readonly #forging: Forging;
  #sinceTidying = 0;

  constructor(parts: PatternBookParts) {
    const { table, clock } = parts;
    this.#parts = parts;
    this.#table = table;
    this.#clock = clock;
    this.#open = new OpenBooks({ table, clock, onTrouble: (error) => parts.onTrouble?.(error) });
    this.#working = {
      table,
      clock,
      open: this.#open,
      change: (owner, id, change) => this.#change(owner, id, change),
      delete: (owner, id) => this.delete(owner, id),
    };
    this.#forging = new Forging(this.#working);
  }

  of(owner: string): Patterns {
    return {
      open: () => this.#open.of(owner),
      holdOut: holdOutOf,
      note: (requestId, conversation) => this.#note(owner, requestId, conversation),
      isAbout: (conversation, gist) => this.#isAbout(owner, conversation, gist),
      tried: (conversation, trials) => this.#table.tried(owner, conversation, trials, this.#clock.now()),
      seems: (conversation, verdict) =>
        this.#judge(owner, conversation, (outcomes) => (outcomes.length > 0 ? undefined : verdict)),
      knows: async (lesson) => (await this.#forging.known(owner, lesson)) !== undefined,
      forge: (forged) => this.#forging.forge(owner, forged),
    };
  }

  async page(owner: string, page: PatternPage): Promise<readonly Pattern[]> {
    // What an earlier release made active without approval is no longer that once it was read.
    await this.#open.of(owner);
    return this.#table.page(owner, page);
  }

  find(owner: string, id: string): Promise<Pattern | undefined> {
    return this.#table.find(owner, id);
  }

  /** Undefined where there is no room. One that says the same becomes what is said now. */
  async add(
    owner: string,
    word: PersonsWord,
  ): Promise<{ readonly pattern: Pattern; readonly isNew: boolean } | undefined> {
    const fields = { ...word, origin: 'person', fingerprint: fingerprintOf(word) } as const;
    const pattern = newPattern(fields, 'made by a person', this.#clock.now());
    let added = await this.#table.add(owner, pattern, limits.patternsMax);
    if (added === 'full' && (await this.#deleteUnconfirmed(owner)))
      added = await this.#table.add(owner, pattern, limits.patternsMax);
    this.#open.changed(owner);
    if (added === 'added') return { pattern, isNew: true };
    if (added === 'full') return undefined;
    const there = await this.#table.byFingerprint(owner, word.scope, pattern.fingerprint);
    if (there === undefined) return undefined;
    const changed = await this.change(owner, there.id, { state: word.state });
    return { pattern: changed ?? there, isNew: false };
  }

  /** A person's word. One that is made active again is counted anew, and is for all end users. */
  change(owner: string, id: string, word: Partial<PersonsWord>): Promise<Pattern | undefined> {
    return this.#change(owner, id, (pattern) => this.#byWord(pattern, word));
  }

  async delete(owner: string, id: string): Promise<boolean> {
    const pattern = await this.#table.find(owner, id);
    if (pattern === undefined || !(await this.#table.delete(owner, id))) return false;
    this.#open.changed(owner);
    await this.#left(owner, [pattern]);
    return true;
  }

  /** All that is known of a tenant: patterns, calls, trials, outcomes, and what they are found by. */
  async forget(owner: string): Promise<void> {
    await this.#table.forget(owner);
    this.#open.forget(owner);
    await this.#parts.forgot?.(owner);
  }

  conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    return this.#table.conversationOf(owner, requestId);
  }

  async isConversation(owner: string, conversation: string): Promise<boolean> {
    return (await this.#table.callOf(owner, conversation)) !== undefined;
  }

  /** The same again changes nothing, and makes up for what was left undone the first time. */
  async outcome(owner: string, { conversation, ...outcome }: ToldOutcome): Promise<void> {
    await this.#table.addOutcome(owner, conversation, { ...outcome, atMs: this.#clock.now() });
    const verdict = await this.#judge(owner, conversation, verdictOf);
    if (verdict !== undefined && isGood(verdict)) await this.#forging.confirm(owner, conversation);
    await this.#forging.fromOutcome(owner, conversation, outcome);
  }

  #byWord(pattern: Pattern, word: Partial<PersonsWord>): Pattern {
    const entries = Object.entries(word).filter(([, value]) => value !== undefined);
    const isActivated = word.state === 'active' && pattern.state !== 'active';
    const changed: Pattern = {
      ...pattern,
      ...Object.fromEntries(entries),
      approved: true,
      ...(isActivated && word.scope === undefined && { scope: null }),
      ...(isActivated &&
        pattern.state === 'retired' && { wins: 0, losses: 0, without: { wins: 0, losses: 0 } }),
    };
    const isSaid = changed.advice !== pattern.advice || word.trigger !== undefined;
    const fingerprint = isSaid ? fingerprintOf(changed) : pattern.fingerprint;
    return told(
      { ...changed, fingerprint },
      `${changedByPerson}${entries.map(([name]) => name).join(', ')}`,
      this.#clock.now(),
    );
  }

  async #note(owner: string, requestId: string, conversation: string): Promise<void> {
    const atMs = this.#clock.now();
    await this.#table.note(owner, { requestId, conversation, atMs });
    if (++this.#sinceTidying < limits.patternCallsBetweenTidying) return;
    this.#sinceTidying = 0;
    void this.#table
      .tidy(atMs - limits.patternTrialsKeptMs)
      .catch((error: unknown) => this.#parts.onTrouble?.(error));
  }

  /** Somebody may have told how it went before this was known. */
  async #isAbout(owner: string, conversation: string, gist: Gist): Promise<void> {
    await this.#table.isAbout(owner, { conversation, ...gist, atMs: this.#clock.now() });
    for (const outcome of await this.#table.outcomes(owner, conversation))
      await this.#forging.fromOutcome(owner, conversation, outcome);
  }

  /** What is decided from all outcomes that there are in that moment, whoever else tells one. */
  async #judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
  ): Promise<Verdict | undefined> {
    const atMs = this.#clock.now();
    const left: Pattern[] = [];
    const tried: Pattern[] = [];
    const verdict = await this.#table.judge(owner, conversation, decide, (pattern, trial) => {
      const now = judged(pattern, trial, { conversation, atMs });
      tried.push(now);
      return noting(now, pattern, left);
    });
    this.#open.changed(owner);
    await this.#left(owner, left);
    await widen(owner, tried, this.#working);
    return verdict;
  }

  async #change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined> {
    const left: Pattern[] = [];
    const changed = await this.#table.change(owner, id, (pattern) => noting(change(pattern), pattern, left));
    this.#open.changed(owner);
    await this.#left(owner, left);
    return changed;
  }

  async #deleteUnconfirmed(owner: string): Promise<boolean> {
    const [oldest] = (await this.#table.page(owner, { state: 'candidate', limit: limits.patternsMax }))
      .filter(isUnconfirmed)
      .slice(-1);
    return oldest !== undefined && (await this.delete(owner, oldest.id));
  }

  async #left(owner: string, patterns: readonly Pattern[]): Promise<void> {
    if (patterns.length > 0) await this.#parts.left?.(owner, patterns);
  }
}

/** A change that may be made more than once, where a transaction is: the last one counts. */
function noting(now: Pattern, before: Pattern, left: Pattern[]): Pattern {
  const isSame =
    now.state !== 'retired' && now.scope === before.scope && now.trigger.text === before.trigger.text;
  if (!isSame && before.state !== 'retired') left.push(before);
  return now;
}
