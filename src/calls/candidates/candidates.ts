import type { Abilities } from '../../kernel/abilities.ts';
import { type CacheMarks, cacheMarksOf } from '../../kernel/conversation/cache-marks.ts';
import { nameOfTarget } from '../../kernel/conversation/prefix.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { aliasesOf, credentialsOf, type Exchange, targetsOf } from '../../kernel/exchange.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { Candidate, ExpectedCost, FactSource } from '../../kernel/ports/candidates.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import type { Provider, Target } from '../../kernel/provider.ts';
import { costOf, type ModelPricing } from '../../kernel/rate-card.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Secret } from '../../lib/secret.ts';
import type { HealthMonitor } from '../health/health-monitor.ts';
import { limits } from '../limits.ts';
import { TargetCache } from './target-cache.ts';
import type { OutputMeans, TargetHistory, WarmPrefix } from './target-history.ts';

export interface CandidateFinderParts {
  readonly prices: Prices;
  readonly health: Pick<HealthMonitor, 'of'>;
  readonly clock: Clock;
  /** Resolves a model name. */
  target(model: string): Target | undefined;
  /** The places where a target's model is sold, the target first. */
  placesOf(target: Target, own?: readonly Provider[]): readonly Target[];
  abilitiesOf(target: Target): Abilities;
  abilitySourceOf(target: Target): FactSource | undefined;
  /** The input tokens of a request at each of these targets. */
  countInput(request: ChatRequest, targets: readonly Target[]): Promise<readonly number[]>;
}

type TargetFacts = Pick<Candidate, 'name' | 'abilities' | 'abilitySource'>;

interface FoundCredential {
  readonly isAllowed: boolean;
  readonly hasCredential: boolean;
  readonly credential: Secret | undefined;
  readonly region: string | undefined;
}

/** Finds the targets that a call could go to, with the facts that a module chooses by. */
export class CandidateFinder {
  readonly #parts: CandidateFinderParts;
  readonly #facts = new WeakMap<Target, TargetFacts>();

  constructor(parts: CandidateFinderParts) {
    this.#parts = parts;
  }

  /** The targets of these model names, in their order; without names, the places where the client's model is sold. */
  async find(
    exchange: Exchange,
    models: readonly string[] | undefined,
    history: TargetHistory,
  ): Promise<readonly Candidate[]> {
    const { prices, health, countInput } = this.#parts;
    const { request } = exchange;
    const listed = await this.#targets(exchange, models);
    const targets = [...listed.keys()];
    const marks = cacheMarksOf(request);
    const credentials: FoundCredential[] = [];
    // One after the other, since a call caches the last credential that it found.
    for (const target of targets) {
      const found = findCredential(exchange, target);
      credentials.push(found instanceof Promise ? await found : found);
    }
    const [healths, inputTokens, warm, means] = await Promise.all([
      health.of(targets.map((target, at) => ({ target, credential: credentials[at]?.credential }))),
      countInput(request, targets),
      history.warmPrefix(exchange.conversation.name),
      history.outputMeans(),
    ]);
    const nowMs = this.#parts.clock.now();
    return targets.map((target, at): Candidate => {
      const targetHealth = healths[at];
      if (targetHealth === undefined) throw new Error('a target without health');
      const pricing = prices.priceOf(target, nowMs);
      const { name, abilities, abilitySource } = this.#factsOf(target);
      const { isAllowed = true, hasCredential = false, credential, region } = credentials[at] ?? {};
      const input = { name, target, pricing, inputTokens: inputTokens[at] ?? 0, warm, marks, means, nowMs };
      return {
        target,
        name,
        listedAs: listed.get(target),
        pricing,
        abilities,
        abilitySource,
        region,
        isAllowed,
        hasCredential,
        health: targetHealth,
        nextKeyHealth: this.#watchKey(exchange, target, credential),
        expectedCost: this.#expectedCost(request, input),
      };
    });
  }

  /** What never changes about a target. */
  #factsOf(target: Target): TargetFacts {
    let facts = this.#facts.get(target);
    if (facts === undefined) {
      const { abilitiesOf, abilitySourceOf } = this.#parts;
      const name = nameOfTarget(target);
      facts = { name, abilities: abilitiesOf(target), abilitySource: abilitySourceOf(target) };
      this.#facts.set(target, facts);
    }
    return facts;
  }

  /** Of several keys, the one that fails may rest or be set aside, and the next attempt uses another. */
  #watchKey(exchange: Exchange, target: Target, first: Secret | undefined): Candidate['nextKeyHealth'] {
    let last = first;
    return async () => {
      const { credential } = await findCredential(exchange, target);
      if (credential === last) return undefined;
      last = credential;
      const [health] = await this.#parts.health.of([{ target, credential }]);
      return health;
    };
  }

  /** The targets, and the names in the list that they were found by. */
  async #targets(
    exchange: Exchange,
    models: readonly string[] | undefined,
  ): Promise<ReadonlyMap<Target, string | undefined>> {
    const { placesOf } = this.#parts;
    const finder = targetsOf(exchange);
    const target = (name: string) => (finder === undefined ? this.#parts.target(name) : finder.find(name));
    if (models === undefined) {
      const places = exchange.isTargetResolved ? placesOf(exchange.target, finder?.own) : [];
      return new Map(places.map((place) => [place, undefined]));
    }
    const found = new Map<Target, string>();
    const names = new Set<string>();
    for (const model of models) {
      const own = target(model);
      const aliased = own === undefined ? await aliasesOf(exchange)?.modelsOf(model) : undefined;
      for (const one of own === undefined ? (aliased ?? []).flatMap((name) => target(name) ?? []) : [own]) {
        const { name } = this.#factsOf(one);
        if (!names.has(name)) found.set(one, model);
        names.add(name);
      }
    }
    return found;
  }

  #expectedCost(request: ChatRequest, input: CostInput): ExpectedCost | undefined {
    const { name, target, pricing, inputTokens, warm, marks, means, nowMs } = input;
    if (pricing === undefined) return undefined;
    const mean = means[name]?.tokens ?? limits.outputTokensAssumed;
    const most = request.max_tokens ?? pricing.outputTokensMax ?? Number.POSITIVE_INFINITY;
    const outputTokens = Math.round(Math.min(mean, most));
    const cache = new TargetCache(target, pricing, marks);
    const isAlive = warm !== undefined && nowMs - warm.atMs <= cache.seconds * 1000;
    const sentTokens = isAlive ? Math.min(inputTokens, warm.tokens) : 0;
    const warmTokens = warm?.target === name ? cache.readable(sentTokens, warm.cachedTokens) : 0;
    const cost = (read: number): NanoUsd =>
      costOf(pricing.card, cache.usageOf(inputTokens, read, outputTokens));
    const coldNanoUsd = cost(0);
    return {
      nanoUsd: warmTokens === 0 ? coldNanoUsd : cost(warmTokens),
      stayingNanoUsd: sentTokens === 0 ? coldNanoUsd : cost(Math.max(warmTokens, cache.readable(sentTokens))),
      coldNanoUsd,
      inputTokens,
      warmTokens,
      outputTokens,
    };
  }
}

interface CostInput {
  readonly name: string;
  readonly target: Target;
  readonly pricing: ModelPricing | undefined;
  readonly inputTokens: number;
  readonly warm: WarmPrefix | undefined;
  readonly marks: CacheMarks;
  readonly means: OutputMeans;
  readonly nowMs: number;
}

function findCredential(exchange: Exchange, target: Target): FoundCredential | Promise<FoundCredential> {
  try {
    const credential = credentialsOf(exchange).find(target);
    return credential instanceof Promise
      ? credential.then((late) => describeCredential(target, late)).catch(describeRefusal)
      : describeCredential(target, credential);
  } catch (refusal) {
    return describeRefusal(refusal);
  }
}

function describeCredential(target: Target, credential: Secret | undefined): FoundCredential {
  const region = credential && target.provider.regionOf?.(target, credential);
  return { isAllowed: true, hasCredential: true, credential, region };
}

/** Rejections mean that the caller can't use the target; other failures are reported. */
function describeRefusal(refusal: unknown): FoundCredential {
  if (!GatewayError.is(refusal)) throw refusal;
  const isAllowed = !notAllowedCodes.has(refusal.code);
  if (isAllowed && !unusableKeyCodes.has(refusal.code)) throw refusal;
  return { isAllowed, hasCredential: false, credential: undefined, region: undefined };
}

/** The access rules of the caller's key. */
const notAllowedCodes: ReadonlySet<string> = new Set(['model_not_allowed', 'provider_not_allowed']);

const unusableKeyCodes: ReadonlySet<string> = new Set([
  'provider_key_missing',
  'provider_key_mismatch',
  'provider_key_unreadable',
  'invalid_request',
]);
