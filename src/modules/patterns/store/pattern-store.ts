import type { Clock } from '../../../module-api.ts';
import type { Gist, Outcome, Pattern, PatternChange, PatternQuery, Patterns, Verdict } from '../pattern.ts';
import { limits } from './limits.ts';
import { fingerprintOf, newPattern, type PatternFields } from './new-pattern.ts';
import { PatternCache } from './pattern-cache.ts';
import { appendStory, applyVerdict, isGood, personChangePrefix, verdictOf } from './pattern-changes.ts';
import { holdoutShareOf } from './pattern-effect.ts';
import { isUnconfirmed, PatternLearner, type PatternLearnerParts } from './pattern-learner.ts';
import type { PatternTable } from './pattern-table.ts';
import { widenPatterns } from './widen-patterns.ts';

export interface PatternStoreParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  /**
   * Called with the old version of a pattern that can no longer be found by it: deleted, retired, or with a new
   * trigger.
   */
  onRemoved?(owner: string, patterns: readonly Pattern[]): Promise<void>;
  /** Called when background work fails. */
  onError?(error: unknown): void;
}

export type ReportedOutcome = Outcome & { readonly conversation: string };

/** The patterns of tenants: stored in the database, and searched in memory. */
export class PatternStore {
  readonly #parts: PatternStoreParts;
  readonly #table: PatternTable;
  readonly #clock: Clock;
  readonly #cache: PatternCache;
  readonly #learnerParts: PatternLearnerParts;
  readonly #learner: PatternLearner;

  constructor(parts: PatternStoreParts) {
    const { table, clock } = parts;
    this.#parts = parts;
    this.#table = table;
    this.#clock = clock;
    this.#cache = new PatternCache({ table, clock, onError: (error) => parts.onError?.(error) });
    this.#learnerParts = {
      table,
      clock,
      cache: this.#cache,
      change: (owner, id, change) => this.#change(owner, id, change),
      delete: (owner, id) => this.delete(owner, id),
    };
    this.#learner = new PatternLearner(this.#learnerParts);
  }

  of(owner: string): Patterns {
    return {
      listUnretired: () => this.#cache.of(owner),
      holdoutShare: holdoutShareOf,
      recordCall: (requestId, conversation) => this.#table.trials.recordCall(owner, requestId, conversation),
      recordGist: (conversation, gist) => this.#recordGist(owner, conversation, gist),
      recordTrials: (conversation, trials) => this.#table.trials.recordTrials(owner, conversation, trials),
      recordImpliedVerdict: (conversation, verdict) =>
        this.#judge(owner, conversation, (outcomes) => (outcomes.length > 0 ? undefined : verdict)),
      hasPattern: async (lesson) => (await this.#learner.findExisting(owner, lesson)) !== undefined,
      propose: (patternProposal) => this.#learner.propose(owner, patternProposal),
    };
  }

  async page(owner: string, page: PatternQuery): Promise<readonly Pattern[]> {
    // Reading withdraws patterns that an earlier release activated without approval.
    await this.#cache.of(owner);
    return this.#table.page(owner, page);
  }

  find(owner: string, id: string): Promise<Pattern | undefined> {
    return this.#table.find(owner, id);
  }

  /** Undefined if there is no room. Replaces a pattern with the same content. */
  async add(
    owner: string,
    word: PatternFields,
  ): Promise<{ readonly pattern: Pattern; readonly isNew: boolean } | undefined> {
    const fields = { ...word, origin: 'person', fingerprint: fingerprintOf(word) } as const;
    const pattern = newPattern(fields, 'made by a person', this.#clock.now());
    let added = await this.#table.add(owner, pattern);
    if (added === 'full' && (await this.#deleteUnconfirmed(owner)))
      added = await this.#table.add(owner, pattern);
    this.#cache.invalidate(owner);
    if (added === 'added') return { pattern, isNew: true };
    if (added === 'full') return undefined;
    const there = await this.#table.byFingerprint(owner, word.scope, pattern.fingerprint);
    if (there === undefined) return undefined;
    const changed = await this.change(owner, there.id, { state: word.state });
    return { pattern: changed ?? there, isNew: false };
  }

  /** A change by the account holder. A reactivated pattern starts its counts anew, and applies to all end users. */
  change(owner: string, id: string, word: Partial<PatternFields>): Promise<Pattern | undefined> {
    return this.#change(owner, id, (pattern) => this.#applyFields(pattern, word));
  }

  async delete(owner: string, id: string): Promise<boolean> {
    const pattern = await this.#table.find(owner, id);
    if (pattern === undefined || !(await this.#table.delete(owner, id))) return false;
    this.#cache.invalidate(owner);
    await this.#notifyRemoved(owner, [pattern]);
    return true;
  }

  conversationOf(owner: string, requestId: string): Promise<string | undefined> {
    return this.#table.trials.conversationOf(owner, requestId);
  }

  async isConversation(owner: string, conversation: string): Promise<boolean> {
    return (await this.#table.trials.callOf(owner, conversation)) !== undefined;
  }

  /** Idempotent: repeating it completes what failed the first time. */
  async recordOutcome(owner: string, { conversation, ...outcome }: ReportedOutcome): Promise<void> {
    await this.#table.trials.addOutcome(owner, conversation, outcome);
    const verdict = await this.#judge(owner, conversation, verdictOf);
    if (verdict !== undefined && isGood(verdict)) await this.#learner.confirm(owner, conversation);
    await this.#learner.learnFromOutcome(owner, conversation, outcome);
  }

  #applyFields(pattern: Pattern, word: Partial<PatternFields>): Pattern {
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
    return appendStory(
      { ...changed, fingerprint },
      `${personChangePrefix}${entries.map(([name]) => name).join(', ')}`,
      this.#clock.now(),
    );
  }

  /** An outcome may have been reported before this was known. */
  async #recordGist(owner: string, conversation: string, gist: Gist): Promise<void> {
    await this.#table.trials.recordGist(owner, conversation, gist);
    for (const outcome of await this.#table.trials.outcomes(owner, conversation))
      await this.#learner.learnFromOutcome(owner, conversation, outcome);
  }

  /** Judges by all outcomes at that moment, even with concurrent reports. */
  async #judge(
    owner: string,
    conversation: string,
    decide: (outcomes: readonly Outcome[]) => Verdict | undefined,
  ): Promise<Verdict | undefined> {
    const atMs = this.#clock.now();
    const left: Pattern[] = [];
    const tried: Pattern[] = [];
    const verdict = await this.#table.judge(owner, conversation, decide, (pattern, trial) => {
      const now = applyVerdict(pattern, trial, { conversation, atMs });
      tried.push(now);
      return trackRemoval(now, pattern, left);
    });
    this.#cache.invalidate(owner);
    await this.#notifyRemoved(owner, left);
    await widenPatterns(owner, tried, this.#learnerParts);
    return verdict;
  }

  async #change(owner: string, id: string, change: PatternChange): Promise<Pattern | undefined> {
    const left: Pattern[] = [];
    const changed = await this.#table.change(owner, id, (pattern) =>
      trackRemoval(change(pattern), pattern, left),
    );
    this.#cache.invalidate(owner);
    await this.#notifyRemoved(owner, left);
    return changed;
  }

  async #deleteUnconfirmed(owner: string): Promise<boolean> {
    const [oldest] = (await this.#table.page(owner, { state: 'candidate', limit: limits.patternsMax }))
      .filter(isUnconfirmed)
      .slice(-1);
    return oldest !== undefined && (await this.delete(owner, oldest.id));
  }

  async #notifyRemoved(owner: string, patterns: readonly Pattern[]): Promise<void> {
    if (patterns.length > 0) await this.#parts.onRemoved?.(owner, patterns);
  }
}

/** For a change that a transaction may retry: the last run counts. */
function trackRemoval(now: Pattern, before: Pattern, left: Pattern[]): Pattern {
  const isSame =
    now.state !== 'retired' && now.scope === before.scope && now.trigger.text === before.trigger.text;
  if (!isSame && before.state !== 'retired') left.push(before);
  return now;
}
