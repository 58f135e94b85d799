import type { Clock } from '../../../module-api.ts';
import type { Outcome, Pattern, PatternProposal } from '../pattern.ts';
import { isEndUserScope } from '../scopes.ts';
import { limits } from './limits.ts';
import { newPattern } from './new-pattern.ts';
import { isFromOutcome, lessonFromOutcome } from './outcome-lesson.ts';
import type { PatternCache } from './pattern-cache.ts';
import { activate, addEvidence, isGood, verdictOf } from './pattern-changes.ts';
import type { PatternTable } from './pattern-table.ts';

export interface PatternLearnerParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  readonly cache: PatternCache;
  /** Changes a pattern and notifies its listeners. */
  change(owner: string, id: string, change: (pattern: Pattern) => Pattern): Promise<Pattern | undefined>;
  delete(owner: string, id: string): Promise<boolean>;
}

/** Creates patterns, from findings in calls and from reported outcomes. */
export class PatternLearner {
  readonly #parts: PatternLearnerParts;

  constructor(parts: PatternLearnerParts) {
    this.#parts = parts;
  }

  /** Whether it exists already, including retired ones. */
  async findExisting(
    owner: string,
    { scope, fingerprint }: Pick<PatternProposal, 'scope' | 'fingerprint'>,
  ): Promise<Pattern | undefined> {
    const { table } = this.#parts;
    const own = await table.byFingerprint(owner, scope, fingerprint);
    if (own !== undefined || scope === null) return own;
    return ifVisibleTo(scope, await table.byFingerprint(owner, null, fingerprint));
  }

  async propose(owner: string, patternProposal: PatternProposal): Promise<Pattern | undefined> {
    const { table, clock } = this.#parts;
    const { sameAs } = patternProposal;
    const there =
      (await this.findExisting(owner, patternProposal)) ??
      (sameAs === undefined
        ? undefined
        : ifVisibleTo(patternProposal.scope, await table.find(owner, sameAs)));
    if (there !== undefined) return this.#addEvidence(owner, there.id, patternProposal);
    const atMs = clock.now();
    const pattern = await this.#createCandidate(owner, patternProposal, atMs);
    const added = await table.add(owner, pattern);
    this.#parts.cache.invalidate(owner);
    // Another process has found the same at the same time.
    if (added === 'known') {
      const other = await this.findExisting(owner, patternProposal);
      return other === undefined ? undefined : this.#addEvidence(owner, other.id, patternProposal);
    }
    if (added === 'full') return undefined;
    await this.#makeRoom(owner, pattern);
    return pattern;
  }

  /** Confirms the findings of a conversation that went well. */
  async confirm(owner: string, conversation: string): Promise<void> {
    const { cache, clock, change } = this.#parts;
    for (const one of await cache.of(owner))
      if (one.state === 'candidate' && one.seenIn.includes(conversation) && !isFromOutcome(one))
        await change(owner, one.id, (pattern) =>
          pattern.state === 'candidate' ? activate(pattern, wentWell, clock.now()) : pattern,
        );
  }

  /** A reported note becomes a lesson once it is reported for another conversation, too. */
  async learnFromOutcome(owner: string, conversation: string, outcome: Outcome): Promise<void> {
    if (outcome.note === '') return;
    const { table } = this.#parts;
    const gist = await table.trials.gist(owner, conversation);
    if (gist === undefined) return;
    const requestId = outcome.requestId || (await table.trials.callOf(owner, conversation));
    if (requestId === undefined) return;
    const lesson = lessonFromOutcome({ outcome, conversation, gist, requestId });
    if (lesson !== undefined) await this.propose(owner, lesson);
  }

  #addEvidence(owner: string, id: string, patternProposal: PatternProposal): Promise<Pattern | undefined> {
    const atMs = this.#parts.clock.now();
    return this.#parts.change(owner, id, (pattern) => addEvidence(pattern, patternProposal, atMs));
  }

  async #createCandidate(owner: string, patternProposal: PatternProposal, atMs: number): Promise<Pattern> {
    const { trigger, advice, scope, fingerprint, requestId, conversation, needsRepetition } = patternProposal;
    const found: Pattern = {
      ...newPattern(
        { trigger, advice, scope, state: 'candidate', origin: 'forge', fingerprint },
        `found in ${requestId}`,
        atMs,
      ),
      evidence: [requestId],
      seenIn: [conversation],
      ...(scope === null && { approved: true }),
    };
    if (needsRepetition) return found;
    const went = verdictOf(await this.#parts.table.trials.outcomes(owner, conversation));
    return went !== undefined && isGood(went) ? activate(found, wentWell, atMs) : found;
  }

  /** Makes room by deleting the oldest unconfirmed candidates: of the same end user, or of all. */
  async #makeRoom(owner: string, { scope, id: newest }: Pattern): Promise<void> {
    const { cache } = this.#parts;
    const forged = (await cache.of(owner))
      .filter(({ origin }) => origin === 'forge')
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const candidates = forged.filter(isUnconfirmed);
    const own = isEndUserScope(scope) ? forged.filter((one) => one.scope === scope) : [];
    const over = [
      ...oldestPast(limits.patternCandidatesOfUserMax, own.filter(isUnconfirmed)),
      ...oldestPast(limits.patternsOfUserMax, own),
      ...oldestPast(limits.patternCandidatesMax, candidates),
    ];
    for (const { id } of new Set(over)) if (id !== newest) await this.#parts.delete(owner, id);
  }
}

/** A pattern that doesn't apply to an end user yet can't be confirmed by their conversations. */
function ifVisibleTo(scope: string | null, pattern: Pattern | undefined): Pattern | undefined {
  return pattern?.scope === scope || pattern?.state !== 'candidate' ? pattern : undefined;
}

function oldestPast(most: number, oldestFirst: readonly Pattern[]): readonly Pattern[] {
  return oldestFirst.slice(0, Math.max(0, oldestFirst.length - most));
}

/** Whether it is a learned candidate that nothing has confirmed. */
export function isUnconfirmed({ state, origin }: Pattern): boolean {
  return state === 'candidate' && origin === 'forge';
}

const wentWell = 'the conversation that it is from went well';
