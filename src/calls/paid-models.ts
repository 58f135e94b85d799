import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { nanoOfUsd } from '../kernel/money.ts';
import type { Target } from '../kernel/provider.ts';
import { costCeiling, type RateCard } from '../kernel/rate-card.ts';
import type { Secret } from '../kernel/secret.ts';
import { paidRoute } from '../payments/offer.ts';
import type { Catalog } from '../providers/catalog/catalog.ts';
import type { Directory } from '../providers/directory.ts';
import type { PaidBody } from './paid-body.ts';

export interface PaidModelParts {
  readonly directory: Directory;
  readonly catalog: Catalog;
  readonly credentials: ReadonlyMap<string, Secret>;
  /** The only ones that are sold, where the operator says so. */
  readonly models: readonly string[] | undefined;
}

/** A model that a call may be made to for the price, and how much it may answer. */
export interface SoldModel {
  readonly target: Target;
  readonly credential: Secret;
  readonly maxTokens: number;
}

/** Models whose dearest call costs no more than what is paid for it. */
export class PaidModels {
  readonly #parts: PaidModelParts;

  constructor(parts: PaidModelParts) {
    this.#parts = parts;
  }

  /** Refuses a model that isn't sold, and a question that could cost more than the price by itself. */
  sold({ model, max_tokens = limits.paidOutputTokens }: PaidBody, bytes: Uint8Array): SoldModel {
    const { directory, catalog, credentials, models } = this.#parts;
    const target = directory.find(model);
    const credential = target === undefined ? undefined : credentials.get(target.provider.name);
    if (target === undefined || credential === undefined || target.provider.local !== undefined)
      throw notSold(model);
    if (models?.some((listed) => isSame(directory.find(listed), target)) === false) throw notSold(model);
    const priced = catalog.priced(target.provider, target.model);
    if (priced === undefined || priced.estimated) throw notSold(model);
    const longest = limits.paidBodyBytesMax * limits.paidTokensPerByte;
    if (outputFor(priced.card, longest) < limits.paidOutputTokensMin) throw notSold(model);
    const room = outputFor(priced.card, tokensAtMost(bytes));
    if (room < limits.paidOutputTokensMin)
      throw new GatewayError(
        'invalid_request',
        `messages: could cost more than the price of a call with "${nameOf(model)}"; send less, or choose a cheaper model`,
        { param: 'messages' },
      );
    const most = Math.min(room, priced.outputTokensMax ?? room);
    return { target, credential, maxTokens: Math.min(max_tokens, most) };
  }
}

/** A model has several names. */
function isSame(listed: Target | undefined, { provider, model }: Target): boolean {
  return listed?.provider === provider && listed.model === model;
}

/** Words are two characters a token or more; of capitals, figures, signs and other scripts each byte may be one. */
function tokensAtMost(bytes: Uint8Array): number {
  let words = 0;
  for (const byte of bytes) if (byte === 0x20 || (byte >= 0x61 && byte <= 0x7a)) words++;
  return words * limits.paidTokensPerByte + (bytes.byteLength - words);
}

/** How many tokens of an answer the price has room for, beside a question of so many. */
function outputFor(card: RateCard, questionTokens: number): number {
  const inputTokens = Math.ceil(questionTokens) + limits.paidTokensBase;
  const cost = (outputTokens: number) => costCeiling(card, { inputTokens, outputTokens, silent: true });
  const left = nanoOfUsd(paidRoute.price_usd_per_call) - cost(0);
  const million = cost(1_000_000) - cost(0);
  return million <= 0 ? limits.paidOutputTokens : Math.max(0, Math.floor((left * 1_000_000) / million) - 1);
}

function notSold(model: string): GatewayError {
  return new GatewayError(
    'invalid_request',
    `model: "${nameOf(model)}" is not sold here for the price of a call`,
    { param: 'model' },
  );
}

function nameOf(model: string): string {
  return model.slice(0, limits.toldFieldCharacters).toWellFormed();
}
