import type { Abilities, Ability, BreakerState, FactSource, NanoUsd } from '../../module-api.ts';
import { limits } from './limits.ts';
import type { Strategy } from './options.ts';
import { reasonAgainst } from './reason-against.ts';

/** A target that a call could go to, as plain data. */
export interface RouteCandidate {
  /** `provider/model` */
  readonly name: string;
  readonly provider: string;
  readonly region: string | undefined;
  readonly weight: number;
  /** Whether it is what the client itself asked for. */
  readonly isRequested: boolean;
  readonly abilities: Abilities;
  readonly abilitySource: FactSource | undefined;
  readonly contextTokens: number | undefined;
  readonly outputTokensMax: number | undefined;
  /** Whether the access rules of the caller's key allow it. */
  readonly isAllowed: boolean;
  readonly hasCredential: boolean;
  readonly inputTokens: number;
  /** The expected cost; undefined if no price is known. */
  readonly cost: NanoUsd | undefined;
  /** The expected cost if the conversation had been there so far, and with nothing in its provider's cache. */
  readonly stayingCost: NanoUsd | undefined;
  readonly coldCost: NanoUsd | undefined;
  /** Whether its provider still has in its cache what the conversation sent last. */
  readonly isWarm: boolean;
  readonly health: RouteHealth;
}

export interface RouteHealth {
  readonly breaker: BreakerState;
  readonly attempts: number;
  readonly errorRate: number;
  readonly isRejected: boolean;
  readonly restsUntilMs: number | undefined;
  readonly admittedShare: number;
  readonly firstContentMs: number | undefined;
  readonly contentAgeMs: number | undefined;
}

/** What a route is chosen from. The same input gives the same choice. */
export interface RouteInput {
  readonly candidates: readonly RouteCandidate[];
  readonly needs: ReadonlySet<Ability>;
  /** The providers and regions that may answer; all if undefined. */
  readonly providers: ReadonlySet<string> | undefined;
  readonly regions: ReadonlySet<string> | undefined;
  /** The output that the request allows. */
  readonly outputTokens: number | undefined;
  readonly strategy: Strategy;
  readonly isSticky: boolean;
  readonly maxNanoUsd: NanoUsd | undefined;
  /** What the conversation's earlier calls left behind. */
  readonly conversation: ConversationRoute | undefined;
  /** The target that was last found to be the fastest of these candidates. */
  readonly fastest: string | undefined;
  /** A number from 0 to 1 that depends on the call. */
  readonly callSeed: number;
  /** One for each candidate, which depends on the conversation. */
  readonly conversationSeeds: readonly number[];
}

/** The target of a conversation, and how its total compares with those of the others. */
export interface ConversationRoute {
  readonly target: string;
  /**
   * By candidate: what the conversation has cost where it was, less what it would have cost there. Above 0, the other
   * would have been cheaper.
   */
  readonly excess: Readonly<Record<string, NanoUsd>>;
  /** Whether it has been elsewhere. Then it moves again only if that saves more than another cache write. */
  readonly hasMoved: boolean;
}

export type RouteReason = 'cheapest' | 'order' | 'fastest' | 'weighted' | 'sticky' | 'explore';

interface RouteChoice {
  readonly candidate: RouteCandidate;
  readonly reason: RouteReason;
}

interface Exclusion {
  readonly candidate: RouteCandidate;
  readonly reason: string;
  /** Whether it can take the call, but not now. */
  readonly isTemporary: boolean;
}

export interface Decision {
  /** The targets in the order in which they are called. */
  readonly choices: readonly RouteChoice[];
  readonly excluded: readonly Exclusion[];
}

export function decide(input: RouteInput): Decision {
  const excluded: Exclusion[] = [];
  const able: RouteCandidate[] = [];
  for (const candidate of input.candidates) {
    const against = reasonAgainst(candidate, input);
    if (against === undefined) able.push(candidate);
    else excluded.push({ candidate, ...against });
  }
  // Targets that are failing or just recovering come after the others, whatever the strategy.
  const isSound = (one: RouteCandidate): boolean =>
    !isDegraded(one.health) && input.callSeed < one.health.admittedShare;
  const sound = rank(able.filter(isSound), input);
  const others = rank(
    able.filter((one) => !isSound(one)),
    input,
  );
  return { choices: [...sound, ...others], excluded };
}

function isDegraded({ attempts, errorRate }: RouteHealth): boolean {
  return attempts * errorRate >= limits.degradedFailures && errorRate >= limits.degradedShare;
}

function rank(candidates: readonly RouteCandidate[], input: RouteInput): readonly RouteChoice[] {
  const { strategy } = input;
  const own = input.isSticky ? candidates.find(({ name }) => name === input.conversation?.target) : undefined;
  const ranked = rankByStrategy(candidates, input);
  const choices = ranked.map((candidate): RouteChoice => ({ candidate, reason: strategy }));
  if (own?.isWarm !== true) return strategy === 'fastest' ? withExploration(choices, input) : choices;
  const better = strategy === 'cheapest' ? cheaperForConversation(own, candidates, input) : undefined;
  return placeFirst(choices, better ?? own, 'sticky');
}

function placeFirst(
  choices: readonly RouteChoice[],
  candidate: RouteCandidate,
  reason: RouteReason,
): readonly RouteChoice[] {
  if (choices[0]?.candidate === candidate) return choices;
  return [{ candidate, reason }, ...choices.filter((one) => one.candidate !== candidate)];
}

function rankByStrategy(
  candidates: readonly RouteCandidate[],
  { strategy, candidates: all, conversationSeeds, fastest }: RouteInput,
): readonly RouteCandidate[] {
  switch (strategy) {
    case 'order':
      return candidates;
    case 'cheapest':
      return sortBy(candidates, ({ cost }) => cost ?? Number.POSITIVE_INFINITY);
    case 'fastest':
      return sortBy(candidates, ({ name, health: { firstContentMs = 0 } }) =>
        name === fastest ? firstContentMs / limits.fasterFactor : firstContentMs,
      );
    case 'weighted':
      // Weighted rendezvous hashing: each conversation has an order of its own, and the shares are those of the weights.
      return sortBy(candidates, (one) => {
        const seed = conversationSeeds[all.indexOf(one)] ?? 0.5;
        return -Math.log(Math.max(seed, Number.EPSILON)) / one.weight;
      });
  }
}

/** Equal ranks keep the order of the list. */
function sortBy(
  candidates: readonly RouteCandidate[],
  rankOf: (candidate: RouteCandidate) => number,
): readonly RouteCandidate[] {
  return candidates
    .map((candidate) => ({ candidate, rank: rankOf(candidate) }))
    .sort((one, other) => (one.rank === other.rank ? 0 : one.rank - other.rank))
    .map(({ candidate }) => candidate);
}

/**
 * The target that a conversation should move to, if any. Moving means to write the prompt cache anew, so it moves only
 * if even this call is cheaper there, or if all of its calls so far would have been.
 */
function cheaperForConversation(
  own: RouteCandidate,
  candidates: readonly RouteCandidate[],
  { conversation }: RouteInput,
): RouteCandidate | undefined {
  let best: RouteCandidate | undefined;
  let most = 0;
  for (const other of candidates) {
    if (other === own || other.cost === undefined || other.stayingCost === undefined) continue;
    const ownCost = own.cost ?? Number.POSITIVE_INFINITY;
    const { hasMoved = false, excess } = conversation ?? {};
    const threshold = hasMoved || excess?.[other.name] === undefined ? writeCost(other) : 0;
    const wouldHaveSaved = (excess?.[other.name] ?? 0) + ownCost - other.stayingCost;
    const gain = Math.max(ownCost - other.cost, wouldHaveSaved - threshold);
    if (gain <= most) continue;
    best = other;
    most = gain;
  }
  return best;
}

/** A target without recent times gets a few calls, so that a slow one that has recovered is noticed. */
function withExploration(choices: readonly RouteChoice[], { callSeed }: RouteInput): readonly RouteChoice[] {
  const stale = choices.filter(
    ({ candidate: { health } }) => (health.contentAgeMs ?? Number.POSITIVE_INFINITY) > limits.staleTimesMs,
  );
  const chosen = stale[Math.floor(callSeed / limits.exploredShare) % Math.max(1, choices.length)];
  const isExploring = (callSeed * limits.seedSpread) % 1 < limits.exploredShare;
  return chosen === undefined || !isExploring ? choices : placeFirst(choices, chosen.candidate, 'explore');
}

/** What a conversation leaves for its next call, if this target answers it. */
export function conversationRouteAfter(
  { candidates, conversation }: Pick<RouteInput, 'candidates' | 'conversation'>,
  decision: Decision,
  answeredBy: string,
): ConversationRoute {
  const able = new Set(decision.choices.map(({ candidate }) => candidate));
  const target = candidates.find(({ name }) => name === answeredBy);
  const cost = target?.cost ?? 0;
  const moves = conversation !== undefined && conversation.target !== answeredBy;
  const isNew = conversation === undefined || (!moves && target?.isWarm !== true);
  const excess: Record<string, NanoUsd> = {};
  for (const other of candidates) {
    if (other === target || other.cost === undefined || other.stayingCost === undefined) continue;
    if (moves) excess[other.name] = 0;
    else if (isNew) excess[other.name] = able.has(other) ? Math.min(0, cost - other.cost) : -other.cost;
    else excess[other.name] = (conversation.excess[other.name] ?? 0) + cost - other.stayingCost;
  }
  return { target: answeredBy, excess, hasMoved: moves || (!isNew && conversation.hasMoved) };
}

/** What it costs to write the conversation into the provider's cache. */
function writeCost({ coldCost = 0, stayingCost = 0 }: RouteCandidate): NanoUsd {
  return coldCost - stayingCost;
}
