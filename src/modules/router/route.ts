import { z } from 'zod';
import { abilitiesNeededBy, type Candidate, type Exchange, type Kit, seedOf } from '../../module-api.ts';
import {
  type ConversationRoute,
  conversationRouteAfter,
  type Decision,
  decide,
  type RouteCandidate,
  type RouteInput,
  type RouteReason,
} from './decide.ts';
import { limits } from './limits.ts';
import type { RouterOptions, WeightedModel } from './options.ts';

export interface RouterKit extends Pick<Kit<RouterOptions>, 'options' | 'cache'> {
  readonly models: Pick<Kit<RouterOptions>['models'], 'candidates'>;
}

/** A target in the order of a route. */
export interface RouteStop {
  readonly candidate: Candidate;
  readonly reason: RouteReason;
  /** The number of tokens that fit, if known. */
  readonly contextTokens: number;
}

/** The decision about a call, with the targets that it is about. */
export interface Route {
  readonly input: RouteInput;
  readonly decision: Decision;
  readonly stops: readonly RouteStop[];
}

const conversationRoute: z.ZodType<ConversationRoute> = z.object({
  target: z.string(),
  excess: z.record(z.string(), z.number()),
  hasMoved: z.boolean(),
});

/** Gathers what is known about a call and its candidates, and decides. */
export async function planRoute(
  exchange: Exchange,
  kit: RouterKit,
  fastest: string | undefined,
): Promise<Route> {
  const { options, models } = kit;
  const names = options.models?.map(({ model }) => model);
  const [candidates, conversation] = await Promise.all([
    models.candidates(exchange, names === undefined ? {} : { models: names }),
    options.sticky ? readConversationRoute(exchange, kit) : undefined,
  ]);
  const weights = options.strategy === 'weighted' ? weightsOf(candidates, options.models) : [];
  const described = candidates.map((candidate, at) => describeCandidate(candidate, weights[at] ?? 1));
  const { max_tokens: outputTokens } = exchange.request;
  const input: RouteInput = {
    candidates: described,
    needs: abilitiesNeededBy(exchange.request),
    providers: options.providers,
    regions: options.regions,
    outputTokens,
    strategy: options.strategy,
    isSticky: options.sticky,
    maxNanoUsd: options.max_usd,
    conversation,
    fastest,
    callSeed: seedOf(exchange.id),
    conversationSeeds:
      options.strategy === 'weighted'
        ? described.map(({ name }) => seedOf(`${exchange.conversation.name}\n${name}`))
        : [],
  };
  const decision = decide(input);
  const stops = decision.choices.flatMap(({ candidate: chosen, reason }) => {
    const candidate = candidates[described.indexOf(chosen)];
    const contextTokens = chosen.contextTokens ?? Number.POSITIVE_INFINITY;
    return candidate === undefined ? [] : { candidate, reason, contextTokens };
  });
  return { input, decision, stops };
}

function describeCandidate(candidate: Candidate, weight: number): RouteCandidate {
  const { name, target, region, listedAs, abilities, abilitySource } = candidate;
  const { pricing, isAllowed, hasCredential, expectedCost, health } = candidate;
  return {
    name,
    provider: target.provider.name,
    region,
    weight,
    isRequested: listedAs === undefined,
    abilities,
    abilitySource,
    contextTokens: pricing?.contextTokens,
    outputTokensMax: pricing?.outputTokensMax,
    isAllowed,
    hasCredential,
    inputTokens: expectedCost?.inputTokens ?? 0,
    cost: expectedCost?.nanoUsd,
    stayingCost: expectedCost?.stayingNanoUsd,
    coldCost: expectedCost?.coldNanoUsd,
    isWarm: (expectedCost?.warmTokens ?? 0) > 0,
    health,
  };
}

/** The models of an alias share its weight. */
function weightsOf(
  candidates: readonly Candidate[],
  models: readonly WeightedModel[] = [],
): readonly number[] {
  const shares = new Map(models.map(({ model, weight }) => [model, { weight, count: 0 }]));
  const listed = candidates.map(({ listedAs = '' }) => shares.get(listedAs));
  for (const share of listed) if (share !== undefined) share.count++;
  return listed.map((share) => (share === undefined ? 1 : share.weight / share.count));
}

async function readConversationRoute(
  exchange: Exchange,
  { cache }: RouterKit,
): Promise<ConversationRoute | undefined> {
  const bytes = await cache.get(routeKey(exchange));
  if (bytes === undefined) return undefined;
  return conversationRoute.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
}

/** For the next call of the conversation. */
export async function storeConversationRoute(
  exchange: Exchange,
  { cache }: RouterKit,
  { input, decision }: Route,
  answeredBy: string,
): Promise<void> {
  const route = conversationRouteAfter(input, decision, answeredBy);
  await cache.put(routeKey(exchange), Buffer.from(JSON.stringify(route)), limits.conversationSeconds);
}

function routeKey(exchange: Exchange): string {
  return `conversation ${exchange.conversation.name}`;
}
