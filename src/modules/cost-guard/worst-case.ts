import {
  type ChatRequest,
  type CostBound,
  choosesOutputLimit,
  costCeiling,
  type Exchange,
  type ModelPricing,
  mayHaveTwelveHourCache,
  type NanoUsd,
  nanoOfPico,
  type RateCard,
} from '../../module-api.ts';
import type { CostFactors } from './cost-factors.ts';
import type { FurtherPass } from './further-passes.ts';
import { inputBound } from './input-bound.ts';
import { limits } from './limits.ts';
import type { CostGuardOptions } from './options.ts';

type Assumptions = Partial<Pick<CostGuardOptions, 'assume_input' | 'assume_output' | 'clamp'>>;

/** The maximum cost of a call, estimated before it is sent. */
export class WorstCase {
  /** Tokens in the request itself. */
  readonly sentTokens: number;
  /** With what the provider may read on its own. */
  readonly inputTokens: number;
  /** The field or model that lets the provider read an unknown amount of input. */
  readonly unboundedInput: string | undefined;
  /** The sum over all requested answers. */
  readonly outputTokens: number;
  readonly cost: NanoUsd;
  /** Whether the call has an output limit or will get one. */
  readonly isLimited: boolean;
  readonly #thinkingTokens: number;
  readonly #answers: number;
  readonly #card: RateCard;
  readonly #bound: CostBound;
  readonly #toolUses: number;
  readonly #passes: readonly PricedPass[];

  constructor(
    exchange: Exchange,
    modelPricing: ModelPricing,
    assumed: Assumptions,
    priceOf: (model: string) => ModelPricing | undefined = () => undefined,
  ) {
    const request = requestOf(exchange);
    const { tokens, factors } = inputBound(exchange, request);
    const { model } = exchange.target;
    this.unboundedInput =
      factors.unboundedInput ?? (searchingModels.test(model) ? `model: ${model}` : undefined);
    const isHidden = this.unboundedInput !== undefined;
    const context = contextOf(exchange, modelPricing);
    const read = isHidden ? context : Math.min(tokens + factors.searchResultTokens, context);
    const unseen = isHidden || factors.searchResultTokens > 0 ? (assumed.assume_input ?? read) : 0;
    this.#answers = answerCountOf(factors);
    this.#card = modelPricing.card;
    this.#toolUses = factors.providerToolUses;
    this.sentTokens = tokens;
    this.inputTokens = Math.max(tokens, unseen);
    this.outputTokens = outputLimitOf(request, modelPricing, assumed) * this.#answers;
    this.isLimited =
      typeof request.max_tokens === 'number' || assumed.clamp === true || choosesOutputLimit(exchange);
    this.#thinkingTokens = thinkingBudgetOf(request);
    const bound = boundOf(factors, this.inputTokens, mayHaveTwelveHourCache(exchange.clientRequest));
    const { clientRequest } = exchange;
    this.#bound = {
      ...bound,
      service_tier: bound.service_tier ?? clientRequest.header(vertexTierHeader) ?? null,
    };
    this.#passes = factors.furtherPasses.map((pass) => ({
      ...pass,
      card: (pass.model === undefined ? undefined : priceOf(pass.model)?.card) ?? modelPricing.card,
    }));
    this.cost = this.costWith(this.outputTokens);
  }

  costWith(outputTokens: number): NanoUsd {
    const { webSearch, previewSearch, fileSearch } = this.#card;
    const searching = nanoOfPico(this.#toolUses * Math.max(webSearch, previewSearch, fileSearch));
    let cost = costCeiling(this.#card, { ...this.#bound, outputTokens }) + searching;
    for (const { card, times, speed = this.#bound.speed ?? null, ...pass } of this.#passes)
      cost += times * costCeiling(card, { ...this.#bound, outputTokens, ...pass, speed });
    return cost;
  }

  /** The output limit per answer that keeps the call within a cost. */
  outputLimitFor(cost: NanoUsd): number {
    const before = this.costWith(0);
    const million = this.costWith(1e6) - before;
    if (million <= 0) return this.outputTokens;
    // Costs are rounded up, so the limit may have to be a token lower.
    let limit = Math.floor(((cost - before) * 1e6) / million / this.#answers);
    while (limit > 0 && this.costWith(limit * this.#answers) > cost) limit--;
    return limit;
  }

  /** The amount to hold when Weir chooses the output limit: a fraction of the ceiling, but enough for a long answer. */
  holdAmountFor(ceiling: NanoUsd): NanoUsd {
    const least = (this.#thinkingTokens + limits.chosenOutputTokensMin) * this.#answers;
    const enough = this.costWith(Math.min(least, this.outputTokens));
    return Math.min(this.cost, Math.max(enough, Math.floor(ceiling / limits.chosenCeilingDivisor)));
  }

  /** The cost of a short answer on top of the thinking budget. */
  get minimumCost(): NanoUsd {
    const least = (this.#thinkingTokens + limits.clampedOutputTokensMin) * this.#answers;
    return this.costWith(Math.min(least, this.outputTokens));
  }
}

interface PricedPass extends FurtherPass {
  readonly card: RateCard;
}

/** Only the length of long texts matters, so an unmodified client request is parsed with them truncated. */
function requestOf(exchange: Exchange): ChatRequest {
  const { clientRequest, isUnmodified } = exchange;
  return isUnmodified
    ? clientRequest.wire.decodeRequest(clientRequest.fields.parseTruncated(), clientRequest.routing)
    : exchange.request;
}

/** `context-1m-2025-08-07` in a beta header lets a model read a million tokens. */
const widerContext = /\bcontext-(\d{1,2})m\b/;

function contextOf(
  { clientRequest }: Exchange,
  { contextTokens = limits.assumedContextTokens }: ModelPricing,
): number {
  const millions = widerContext.exec(clientRequest.header('anthropic-beta') ?? '')?.[1];
  return Math.max(contextTokens, Number(millions ?? 0) * 1_000_000);
}

/** Models that search on their own and read the results. */
const searchingModels = /compound|search-preview|deep-research/;

/** Some providers don't accept a lower limit. */
const outputTokensMin = 16;

function outputLimitOf(
  { max_tokens }: ChatRequest,
  modelPricing: ModelPricing,
  { assume_output }: Assumptions,
): number {
  if (typeof max_tokens === 'number')
    return Math.min(Math.max(max_tokens, outputTokensMin), limits.estimatedTokensMax);
  return assume_output ?? modelPricing.outputTokensMax ?? limits.assumedOutputTokens;
}

function thinkingBudgetOf({ thinking }: ChatRequest): number {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  return typeof budget === 'number' ? budget : 0;
}

/** Each answer may use the whole output limit. */
function answerCountOf({ fields }: CostFactors): number {
  const asked = fields.n ?? fields['generationConfig.candidateCount'];
  return typeof asked === 'number' && asked > 1 ? Math.ceil(Math.min(asked, limits.estimatedUsesMax)) : 1;
}

/** Vertex AI has no field for the tier. */
const vertexTierHeader = 'x-vertex-ai-llm-shared-request-type';

function boundOf(
  { fields, hourCache, isSilent }: CostFactors,
  inputTokens: number,
  isTwelveHours: boolean,
): CostBound {
  const stringField = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null);
  return {
    inputTokens,
    outputTokens: 0,
    hourCache: hourCache || isTwelveHours,
    hasNoAudio: isSilent,
    service_tier: stringField('service_tier') ?? geminiTierOf(stringField('serviceTier')),
    speed: stringField('speed'),
    inference_geo: stringField('inference_geo'),
  };
}

/** `SERVICE_TIER_PRIORITY` is another name of `priority`. */
function geminiTierOf(name: string | null): string | null {
  return name === null ? null : name.toLowerCase().replace('service_tier_', '');
}
