import {
  type Collection,
  CollectionFullError,
  defineCollection,
  type Entry,
  type ModuleStore,
} from '../../../module-api.ts';
import type { JudgedTrial, Outcome, Pattern, PatternChange, PatternQuery, Verdict } from '../pattern.ts';
import { limits } from './limits.ts';
import { PatternTrials, type StoredTrial, trialsCollection, withVerdict } from './pattern-trials.ts';

/** `scope` is empty for patterns of all end users. */
const fields = { state: 'text1', scope: 'text2', fingerprint: 'text3' } as const;
export const patternsCollection = (entriesMax: number = limits.patternsMax) =>
  defineCollection<Pattern, typeof fields>({
    name: 'patterns',
    fields,
    unique: ['fingerprint', 'scope'],
    entriesMax,
  });
type PatternEntry = Entry<Pattern, typeof fields>;

/** Patterns and what was tried with them, in the module's store. An owner is a tenant's scope. */
export class PatternTable {
  readonly trials: PatternTrials;
  readonly #storeOf: (owner: string) => ModuleStore;
  readonly #collection: Collection<Pattern, typeof fields>;

  constructor(storeOf: (owner: string) => ModuleStore, patternsMax: number = limits.patternsMax) {
    this.trials = new PatternTrials(storeOf);
    this.#storeOf = storeOf;
    this.#collection = patternsCollection(patternsMax);
  }

  /** `known` if the scope has the same fingerprint. */
  async add(owner: string, pattern: Pattern): Promise<'added' | 'known' | 'full'> {
    try {
      const entry = { value: pattern, fields: fieldsOf(pattern) };
      const added = await this.#entries(owner).put(pattern.id, entry, 0);
      return added === undefined ? 'known' : 'added';
    } catch (error) {
      if (error instanceof CollectionFullError) return 'full';
      throw error;
    }
  }

  async find(owner: string, id: string): Promise<Pattern | undefined> {
    return (await this.#entries(owner).get(id))?.value;
  }

  async byFingerprint(
    owner: string,
    scope: string | null,
    fingerprint: string,
  ): Promise<Pattern | undefined> {
    return (await this.#byFingerprint(owner, { fingerprint, scope: scope ?? '' }))?.value;
  }

  /** The newest first. */
  async page(owner: string, { search = [], state, after, limit }: PatternQuery): Promise<readonly Pattern[]> {
    const words = search.map((word) => word.toLowerCase());
    const found: Pattern[] = [];
    let before = after;
    for (;;) {
      const where = { state, key: before === undefined ? undefined : { lt: before } };
      const { entries, next } = await this.#entries(owner).query({ where, descending: true });
      for (const { value } of entries) {
        if (hasWords(value, words)) found.push(value);
        if (found.length === limit) return found;
      }
      before = entries.at(-1)?.key;
      if (next === undefined || before === undefined) return found;
    }
  }

  /** Changes a pattern atomically. Resolves to the result; undefined if there is none. */
  async change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined> {
    for (;;) {
      const entry = await this.#entries(owner).get(id);
      if (entry === undefined) return undefined;
      const now = change(entry.value);
      if (now === entry.value) return now;
      const written = { value: now, fields: await this.#freeFields(owner, entry, now) };
      if ((await this.#entries(owner).put(id, written, entry.version)) !== undefined) return now;
    }
  }

  /** False if there was none. */
  delete(owner: string, id: string): Promise<boolean> {
    return this.#entries(owner).delete(id);
  }

  /** A number that changes with every change of any pattern. */
  version(owner: string): Promise<number> {
    return this.#entries(owner).revision();
  }

  /**
   * Judges a conversation by all its outcomes, sets the verdict of each trial, and applies `change` to each pattern,
   * atomically. Changes nothing without a verdict.
   */
  async judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
    change: (pattern: Pattern, trial: JudgedTrial) => Pattern,
  ): Promise<Verdict | undefined> {
    for (;;) {
      // Before the outcomes: whoever adds one of those changes the trials afterwards.
      const trials = await this.trials.of(owner, conversation);
      const verdict = decide(await this.trials.outcomes(owner, conversation));
      if (verdict === undefined) return undefined;
      if (await this.#setVerdicts(owner, trials, verdict, change)) return verdict;
    }
  }

  /** False if another process has changed a trial or a pattern meanwhile. */
  async #setVerdicts(
    owner: string,
    trials: readonly StoredTrial[],
    verdict: Verdict,
    change: (pattern: Pattern, trial: JudgedTrial) => Pattern,
  ): Promise<boolean> {
    const changes: {
      readonly entry: PatternEntry;
      readonly now: Pattern;
      readonly fields: PatternEntry['fields'];
    }[] = [];
    const judged = trials.flatMap((trial) => withVerdict(trial, verdict) ?? []);
    for (const { trial } of judged) {
      const entry = await this.#entries(owner).get(trial.patternId);
      if (entry === undefined) continue;
      const now = change(entry.value, trial);
      if (now !== entry.value)
        changes.push({ entry, now, fields: await this.#freeFields(owner, entry, now) });
    }
    return this.#storeOf(owner).write((batch) => {
      for (const { stored, entry } of judged) batch.put(trialsCollection, stored.key, entry, stored.version);
      for (const one of changes)
        batch.put(this.#collection, one.entry.key, { value: one.now, fields: one.fields }, one.entry.version);
    });
  }

  /** If another pattern has the same fingerprint, the id makes this one unique. */
  async #freeFields(owner: string, { key, value, fields: before }: PatternEntry, now: Pattern) {
    const wanted = fieldsOf(now);
    if (wanted.scope === before.scope && now.fingerprint === value.fingerprint)
      return { ...wanted, fingerprint: before.fingerprint };
    const taken = await this.#byFingerprint(owner, wanted);
    if (taken === undefined || taken.key === key) return wanted;
    return { ...wanted, fingerprint: `${now.fingerprint} ${key}`.slice(0, limits.patternFingerprintMax) };
  }

  async #byFingerprint(
    owner: string,
    where: { readonly fingerprint: string; readonly scope: string },
  ): Promise<PatternEntry | undefined> {
    const { entries } = await this.#entries(owner).query({ where, limit: 1 });
    return entries[0];
  }

  #entries(owner: string) {
    return this.#storeOf(owner).collection(this.#collection);
  }
}

function fieldsOf({ state, scope, fingerprint }: Pattern) {
  return { state, scope: scope ?? '', fingerprint };
}

function hasWords({ trigger, advice }: Pattern, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [trigger.text, ...trigger.tools, advice].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}
