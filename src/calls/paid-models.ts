import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import { nanoOfUsd } from '../kernel/money.ts';
import type { Target } from '../kernel/provider.ts';
import { costCeiling, type RateCard } from '../kernel/rate-card.ts';
import type { Secret } from '../lib/secret.ts';
import { paidRoute } from '../payments/offer.ts';
import type { ModelCatalog } from '../providers/catalog/model-catalog.ts';
import type { ProviderDirectory } from '../providers/provider-directory.ts';
import { limits } from './limits.ts';
import type { PaidBody } from './paid-body.ts';

export interface PaidModelParts {
  readonly directory: ProviderDirectory;
  readonly catalog: ModelCatalog;
  readonly credentials: ReadonlyMap<string, Secret>;
  /** Limits the models on offer, if the operator lists any. */
  readonly models: readonly string[] | undefined;
}

/** A model offered for the price, with its output limit. */
export interface SoldModel {
  readonly target: Target;
  readonly credential: Secret;
  readonly maxTokens: number;
}

/** Models whose most expensive call costs no more than the price. */
export class PaidModels {
  readonly #parts: PaidModelParts;

  constructor(parts: PaidModelParts) {
    this.#parts = parts;
  }

  /** Rejects a model that isn't offered, and a request that alone could cost more than the price. */
  requireSold({ model, max_tokens = limits.paidOutputTokens }: PaidBody, bytes: Uint8Array): SoldModel {
    const { directory: providerDirectory, catalog: modelCatalog, credentials, models } = this.#parts;
    const target = providerDirectory.find(model);
    const credential = target === undefined ? undefined : credentials.get(target.provider.name);
    if (target === undefined || credential === undefined || target.provider.answerLocally !== undefined)
      throw notSoldError(model);
    if (models?.some((listed) => isSameTarget(providerDirectory.find(listed), target)) === false)
      throw notSoldError(model);
    const modelPricing = modelCatalog.priced(target.provider, target.model);
    if (modelPricing === undefined || modelPricing.estimated) throw notSoldError(model);
    const longest = limits.paidBodyBytesMax * limits.paidTokensPerByte;
    if (affordableOutputTokens(modelPricing.card, longest) < limits.paidOutputTokensMin)
      throw notSoldError(model);
    const room = affordableOutputTokens(modelPricing.card, inputTokensMax(bytes));
    if (room < limits.paidOutputTokensMin)
      throw new GatewayError(
        'invalid_request',
        `messages: this call could cost more than the price of a call to "${truncateName(model)}"; send less text or choose a cheaper model`,
        { param: 'messages' },
      );
    const most = Math.min(room, modelPricing.outputTokensMax ?? room);
    return { target, credential, maxTokens: Math.min(max_tokens, most) };
  }
}

/** A model may have several names. */
function isSameTarget(listed: Target | undefined, { provider, model }: Target): boolean {
  return listed?.provider === provider && listed.model === model;
}

/**
 * Words have two or more characters per token; capitals, digits, punctuation and other scripts may have one token per
 * byte.
 */
function inputTokensMax(bytes: Uint8Array): number {
  let words = 0;
  for (const byte of bytes) if (byte === 0x20 || (byte >= 0x61 && byte <= 0x7a)) words++;
  return words * limits.paidTokensPerByte + (bytes.byteLength - words);
}

/** How many output tokens the price covers beside this many input tokens. */
function affordableOutputTokens(card: RateCard, questionTokens: number): number {
  const inputTokens = Math.ceil(questionTokens) + limits.paidTokensBase;
  const cost = (outputTokens: number) => costCeiling(card, { inputTokens, outputTokens, hasNoAudio: true });
  const left = nanoOfUsd(paidRoute.price_usd_per_call) - cost(0);
  const million = cost(1_000_000) - cost(0);
  return million <= 0 ? limits.paidOutputTokens : Math.max(0, Math.floor((left * 1_000_000) / million) - 1);
}

function notSoldError(model: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `model: "${truncateName(model)}" is not offered for calls that are paid one by one`,
    { param: 'model' },
  );
}

function truncateName(model: string): string {
  return model.slice(0, kernelLimits.reportedFieldCharacters).toWellFormed();
}
