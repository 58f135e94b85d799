import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import { isPersonScope } from '../kernel/pattern-scopes.ts';
import type { Forged, Outcome, Pattern, PatternTable } from '../kernel/ports/patterns.ts';
import { newPattern } from './new-pattern.ts';
import type { OpenBooks } from './open-books.ts';
import { activated, isGood, seenAgain, verdictOf } from './pattern-changes.ts';
import { isTold, toldLesson } from './told-lesson.ts';

export interface ForgingParts {
  readonly table: PatternTable;
  readonly clock: Clock;
  readonly open: OpenBooks;
  /** Changes one, and tells whoever has to know of it. */
  change(owner: string, id: string, change: (pattern: Pattern) => Pattern): Promise<Pattern | undefined>;
  delete(owner: string, id: string): Promise<boolean>;
}

/** How new patterns come to be: what is found in calls, and what is told of conversations. */
export class Forging {
  readonly #parts: ForgingParts;

  constructor(parts: ForgingParts) {
    this.#parts = parts;
  }

  /** One that is there already, retired ones included. */
  async known(
    owner: string,
    { scope, fingerprint }: Pick<Forged, 'scope' | 'fingerprint'>,
  ): Promise<Pattern | undefined> {
    const { table } = this.#parts;
    const own = await table.byFingerprint(owner, scope, fingerprint);
    if (own !== undefined || scope === null) return own;
    return shownTo(scope, await table.byFingerprint(owner, null, fingerprint));
  }

  async forge(owner: string, forged: Forged): Promise<Pattern | undefined> {
    const { table, clock } = this.#parts;
    const { sameAs } = forged;
    const there =
      (await this.known(owner, forged)) ??
      (sameAs === undefined ? undefined : shownTo(forged.scope, await table.find(owner, sameAs)));
    if (there !== undefined) return this.#again(owner, there.id, forged);
    const atMs = clock.now();
    const pattern = await this.#candidate(owner, forged, atMs);
    const added = await table.add(owner, pattern, limits.patternsMax);
    this.#parts.open.changed(owner);
    // Another process has found the same in the same moment.
    if (added === 'known') {
      const other = await this.known(owner, forged);
      return other === undefined ? undefined : this.#again(owner, other.id, forged);
    }
    if (added === 'full') return undefined;
    await this.#makeRoom(owner, pattern);
    return pattern;
  }

  /** A conversation went well: what was found in it works. */
  async confirm(owner: string, conversation: string): Promise<void> {
    const { open, clock, change } = this.#parts;
    for (const one of await open.of(owner))
      if (one.state === 'candidate' && one.seenIn.includes(conversation) && !isTold(one))
        await change(owner, one.id, (pattern) =>
          pattern.state === 'candidate' ? activated(pattern, wentWell, clock.now()) : pattern,
        );
  }

  /** What was said of a conversation is a lesson once it is said of another, too. */
  async fromOutcome(owner: string, conversation: string, outcome: Outcome): Promise<void> {
    if (outcome.note === '') return;
    const { table } = this.#parts;
    const gist = await table.gist(owner, conversation);
    if (gist === undefined) return;
    const requestId = outcome.requestId || (await table.callOf(owner, conversation));
    if (requestId === undefined) return;
    const lesson = toldLesson({ outcome, conversation, gist, requestId });
    if (lesson !== undefined) await this.forge(owner, lesson);
  }

  #again(owner: string, id: string, forged: Forged): Promise<Pattern | undefined> {
    const atMs = this.#parts.clock.now();
    return this.#parts.change(owner, id, (pattern) => seenAgain(pattern, forged, atMs));
  }

  async #candidate(owner: string, forged: Forged, atMs: number): Promise<Pattern> {
    const { trigger, advice, scope, fingerprint, requestId, conversation, isRepeated } = forged;
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
    if (isRepeated) return found;
    const went = verdictOf(await this.#parts.table.outcomes(owner, conversation));
    return went !== undefined && isGood(went) ? activated(found, wentWell, atMs) : found;
  }

  /** Candidates that nothing confirmed go first, the oldest of them: of the same end user, or of all. */
  async #makeRoom(owner: string, { scope, id: newest }: Pattern): Promise<void> {
    const { open } = this.#parts;
    const forged = (await open.of(owner))
      .filter(({ origin }) => origin === 'forge')
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const candidates = forged.filter(isUnconfirmed);
    const own = isPersonScope(scope) ? forged.filter((one) => one.scope === scope) : [];
    const over = [
      ...oldestPast(limits.patternCandidatesOfUserMax, own.filter(isUnconfirmed)),
      ...oldestPast(limits.patternsOfUserMax, own),
      ...oldestPast(limits.patternCandidatesMax, candidates),
    ];
    for (const { id } of new Set(over)) if (id !== newest) await this.#parts.delete(owner, id);
  }
}

/** What isn't brought to an end user yet is nothing that their conversations could confirm for everybody. */
function shownTo(scope: string | null, pattern: Pattern | undefined): Pattern | undefined {
  return pattern?.scope === scope || pattern?.state !== 'candidate' ? pattern : undefined;
}

function oldestPast(most: number, oldestFirst: readonly Pattern[]): readonly Pattern[] {
  return oldestFirst.slice(0, Math.max(0, oldestFirst.length - most));
}

/** Found once, by nobody's word. */
export function isUnconfirmed({ state, origin }: Pattern): boolean {
  return state === 'candidate' && origin === 'forge';
}

const wentWell = 'the conversation that it is from went well';
