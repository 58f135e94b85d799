import type { Abilities } from '../../kernel/abilities.ts';
import { type CacheMarks, cacheMarksOf } from '../../kernel/conversation/cache-marks.ts';
import { nameOfTarget } from '../../kernel/conversation/prefix.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { aliasesOf, credentialsOf, type Exchange } from '../../kernel/exchange.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { Candidate, ExpectedCost, FactSource } from '../../kernel/ports/candidates.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import { chooseWire, type Target } from '../../kernel/provider.ts';
import { costOf, type ModelPricing } from '../../kernel/rate-card.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Secret } from '../../lib/secret.ts';
import type { HealthMonitor } from '../health/health-monitor.ts';
import { limits } from '../limits.ts';
import { TargetCache } from './target-cache.ts';
import type { TargetHistory, WarmPrefix } from './target-history.ts';

export interface CandidateFinderParts {
  readonly prices: Prices;
  readonly health: Pick<HealthMonitor, 'of'>;
  readonly clock: Clock;
  /** Resolves a model name. */
  target(model: string): Target | undefined;
  /** The places where a target's model is sold, the target first. */
  placesOf(target: Target): readonly Target[];
  /** `sent` is a request that goes there in the client's own format. */
  abilitiesOf(target: Target, sent: ChatRequest | undefined): Abilities;
  abilitySourceOf(target: Target): FactSource | undefined;
  /** The input tokens of a request at each of these targets. */
  countInput(request: ChatRequest, targets: readonly Target[]): Promise<readonly number[]>;
}

interface FoundCredential {
  readonly hasCredential: boolean;
  readonly credential: Secret | undefined;
  readonly region: string | undefined;
}

/** Finds the targets that a call could go to, with the facts that a module chooses by. */
export class CandidateFinder {
  readonly #parts: CandidateFinderParts;

  constructor(parts: CandidateFinderParts) {
    this.#parts = parts;
  }

  /** The targets of these model names, in their order; without names, the places where the client's model is sold. */
  async find(
    exchange: Exchange,
    models: readonly string[] | undefined,
    history: TargetHistory,
  ): Promise<readonly Candidate[]> {
    const { prices, health, abilitiesOf, abilitySourceOf, countInput } = this.#parts;
    const { request, clientRequest } = exchange;
    const listed = await this.#targets(exchange, models);
    const targets = [...listed.keys()];
    const marks = cacheMarksOf(request);
    const credentials: FoundCredential[] = [];
    // One after the other, since a call caches the last credential that it found.
    for (const target of targets) credentials.push(await findCredential(exchange, target));
    const isOwnFormat = (target: Target) => chooseWire(target, clientRequest.wire) === clientRequest.wire;
    const [healths, inputTokens, warm] = await Promise.all([
      health.of(targets.map((target, at) => ({ target, credential: credentials[at]?.credential }))),
      countInput(request, targets),
      history.warmPrefix(exchange.conversation.name),
    ]);
    return Promise.all(
      targets.map(async (target, at): Promise<Candidate> => {
        const targetHealth = healths[at];
        if (targetHealth === undefined) throw new Error('a target without health');
        const pricing = prices.priceOf(target);
        const input = { target, pricing, inputTokens: inputTokens[at] ?? 0, warm, marks, history };
        return {
          target,
          name: nameOfTarget(target),
          listedAs: listed.get(target),
          pricing,
          abilities: abilitiesOf(target, isOwnFormat(target) ? request : undefined),
          abilitySource: abilitySourceOf(target),
          region: credentials[at]?.region,
          hasCredential: credentials[at]?.hasCredential === true,
          health: targetHealth,
          nextKeyHealth: this.#watchKey(exchange, target, credentials[at]?.credential),
          expectedCost: await this.#expectedCost(request, input),
        };
      }),
    );
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
    const { target, placesOf } = this.#parts;
    if (models === undefined) {
      const places = exchange.isTargetResolved ? placesOf(exchange.target) : [];
      return new Map(places.map((place) => [place, undefined]));
    }
    const found = new Map<Target, string>();
    const names = new Set<string>();
    for (const model of models) {
      const own = target(model);
      const aliased = own === undefined ? await aliasesOf(exchange)?.modelsOf(model) : undefined;
      for (const one of own === undefined ? (aliased ?? []).flatMap((name) => target(name) ?? []) : [own]) {
        const name = nameOfTarget(one);
        if (!names.has(name)) found.set(one, model);
        names.add(name);
      }
    }
    return found;
  }

  async #expectedCost(request: ChatRequest, input: CostInput): Promise<ExpectedCost | undefined> {
    const { target, pricing, inputTokens, warm, marks, history } = input;
    if (pricing === undefined) return undefined;
    const name = nameOfTarget(target);
    const mean = (await history.meanOutput(name)) ?? limits.outputTokensAssumed;
    const most = request.max_tokens ?? pricing.outputTokensMax ?? Number.POSITIVE_INFINITY;
    const outputTokens = Math.round(Math.min(mean, most));
    const cache = new TargetCache(target, pricing, marks);
    const isAlive = warm !== undefined && this.#parts.clock.now() - warm.atMs <= cache.seconds * 1000;
    const sentTokens = isAlive ? Math.min(inputTokens, warm.tokens) : 0;
    const warmTokens = warm?.target === name ? cache.readable(sentTokens, warm.cachedTokens) : 0;
    const cost = (read: number): NanoUsd =>
      costOf(pricing.card, { ...cache.inputUsage(inputTokens, read), output_tokens: outputTokens });
    return {
      nanoUsd: cost(warmTokens),
      stayingNanoUsd: cost(Math.max(warmTokens, cache.readable(sentTokens))),
      coldNanoUsd: cost(0),
      inputTokens,
      warmTokens,
      outputTokens,
    };
  }
}

interface CostInput {
  readonly target: Target;
  readonly pricing: ModelPricing | undefined;
  readonly inputTokens: number;
  readonly warm: WarmPrefix | undefined;
  readonly marks: CacheMarks;
  readonly history: TargetHistory;
}

/** Rejections mean that the caller can't use the target; other failures are reported. */
async function findCredential(exchange: Exchange, target: Target): Promise<FoundCredential> {
  try {
    const credential = await credentialsOf(exchange).find(target);
    const region = credential && target.provider.regionOf?.(target, credential);
    return { hasCredential: true, credential, region };
  } catch (refusal) {
    if (GatewayError.is(refusal) && unusableKeyCodes.has(refusal.code))
      return { hasCredential: false, credential: undefined, region: undefined };
    throw refusal;
  }
}

const unusableKeyCodes: ReadonlySet<string> = new Set([
  'provider_key_missing',
  'provider_key_mismatch',
  'provider_key_unreadable',
  'invalid_request',
]);
