import type { BatchCall, BatchEstimate, BatchFileFormat, CallTokens } from '../../kernel/batch.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import type { Provider, Target } from '../../kernel/provider.ts';
import { costOf, type RateCard } from '../../kernel/rate-card.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../lib/json.ts';
import { formatOfPath } from '../../wire/index.ts';
import { estimateInputTokens } from '../estimate-usage.ts';
import { limits } from '../limits.ts';
import { LineSplitter } from './line-splitter.ts';

/** Adds up what the calls of a batch may cost at most, as far as their input can be estimated. */
export class BatchEstimator {
  readonly #provider: Provider;
  readonly #prices: Pick<Prices, 'priceOf'>;
  readonly #models = new Set<string>();
  #calls = 0;
  #nanoUsd: NanoUsd = 0;
  #unpriced = { short: noCalls, long: noCalls };
  #fault: string | undefined;

  constructor(provider: Provider, prices: Pick<Prices, 'priceOf'>) {
    this.#provider = provider;
    this.#prices = prices;
  }

  get estimate(): BatchEstimate {
    return {
      calls: this.#calls,
      nanoUsd: this.#nanoUsd,
      models: [...this.#models],
      ...(this.#unpriced.short.calls + this.#unpriced.long.calls > 0 && { unpriced: this.#unpriced }),
      ...(this.#fault !== undefined && { fault: this.#fault }),
    };
  }

  /** A call with the body that it would have by itself. */
  add({ path, body, hasLateModel }: BatchCall): void {
    this.#calls++;
    const wire = formatOfPath(path);
    if (wire === undefined) {
      this.fail(`calls to "${path.slice(0, 100)}" can't be estimated`);
      return;
    }
    const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
    const call = new ClientRequest({ wire, fields, headers: [], query: '', path });
    const fault = hasLateModel === true ? this.#addUnpriced(call, body) : this.#addCost(call, body);
    if (fault !== undefined) this.fail(fault);
  }

  /** Its price depends on the request that makes the batch. */
  #addUnpriced(call: ClientRequest, body: JsonObject): undefined {
    const inputTokens = estimateInputTokens(call);
    const limit = outputLimitIn(body, call.wire);
    const size = inputTokens > limits.batchShortInputTokens ? 'long' : 'short';
    const sums = this.#unpriced[size];
    this.#unpriced = {
      ...this.#unpriced,
      [size]: {
        calls: sums.calls + 1,
        inputTokens: sums.inputTokens + inputTokens,
        outputTokens: sums.outputTokens + (limit ?? 0) * answersIn(body),
        unlimitedAnswers: sums.unlimitedAnswers + (limit === undefined ? answersIn(body) : 0),
      },
    };
  }

  /** Returns why the cost of the call is not known, if it is not. */
  #addCost(call: ClientRequest, body: JsonObject): string | undefined {
    const { wire, path, routing } = call;
    const model = typeof routing.model === 'string' ? routing.model : '';
    if (model === '') return 'a call names no model';
    if (this.#models.size >= limits.batchModelsMax && !this.#models.has(model))
      return `the calls name more than ${limits.batchModelsMax} models`;
    this.#models.add(model);
    const pricing = this.#prices.priceOf({ provider: this.#provider, model });
    if (pricing === undefined) return `the price of "${model}" is not known`;
    const outputLimit = outputLimitIn(body, wire) ?? pricing.outputTokensMax;
    const output = path.endsWith('/embeddings') ? 0 : outputLimit;
    if (output === undefined) return unboundedFault(model);
    this.#nanoUsd += costOf(pricing.card, {
      input_tokens: estimateInputTokens(call),
      output_tokens: output * answersIn(body),
      service_tier: 'batch',
    });
    return undefined;
  }

  /** Only the first reason is reported. */
  fail(reason: string): void {
    this.#fault ??= reason;
  }
}

/**
 * Reads the calls of a batch from the form of an upload, while it passes. A call is a line of its file; lines of the form itself are no
 * JSON objects with an address.
 */
export class BatchFileReader {
  readonly #format: BatchFileFormat;
  readonly #estimator: BatchEstimator;
  readonly #lines: LineSplitter;

  constructor(format: BatchFileFormat, estimator: BatchEstimator) {
    this.#format = format;
    this.#estimator = estimator;
    this.#lines = new LineSplitter((line) => this.#read(line));
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  /** Undefined if the file has no calls. */
  end(): BatchEstimate | undefined {
    this.#lines.end();
    if (this.#lines.hasLongLine) this.#estimator.fail('a line is too long to be read');
    const { estimate } = this.#estimator;
    return estimate.calls === 0 && estimate.fault === undefined ? undefined : estimate;
  }

  #read(line: Buffer): void {
    if (isEncoded(line)) this.#estimator.fail('a part of the form is encoded');
    // Other files have no such lines, and parsing takes time. Names may be written with escapes.
    const mayBeCall = this.#format.names.every((name) => line.includes(`"${name}"`));
    if (!mayBeCall && !line.includes('\\u00')) return;
    const call = jsonObjectIn(line);
    // A provider may read what JavaScript can't, such as NaN.
    if (call === undefined && mayBeCall) this.#estimator.fail('a line is not valid JSON');
    const found = call && this.#format.callIn(call);
    if (found !== undefined) this.#estimator.add(found);
  }
}

/** Whether a line is the header of a part whose content is not sent as it is. */
function isEncoded(line: Buffer): boolean {
  return (
    line.byteLength < headerBytesMax &&
    /^content-transfer-encoding:\s*(?:base64|quoted)/i.test(line.toString('latin1'))
  );
}

const headerBytesMax = 200;

function outputLimitIn(body: JsonObject, { estimates }: WireFormat): number | undefined {
  const limits = estimates.outputLimits.flatMap(([field, inner]) => {
    const value = body[field];
    const limit = inner === undefined ? value : isJsonObject(value) ? value[inner] : undefined;
    return typeof limit === 'number' && limit > 0 ? limit : [];
  });
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function answersIn({ n, generationConfig, generation_config }: JsonObject): number {
  const configs = [generationConfig, generation_config].filter(isJsonObject);
  const counts = configs.flatMap(({ candidateCount, candidate_count }) => [candidateCount, candidate_count]);
  return Math.max(1, ...[n, ...counts].map((count) => (isNumeric(count) ? Math.ceil(Number(count)) : 1)));
}

/** Google's integers may be strings. */
function isNumeric(value: unknown): boolean {
  return (typeof value === 'number' || typeof value === 'string') && Number.isFinite(Number(value));
}

const noCalls: CallTokens = { calls: 0, inputTokens: 0, outputTokens: 0, unlimitedAnswers: 0 };

/** An estimate of calls whose model is known now. A call counts as the mean of those of its size. */
export function priceBatch(
  estimate: BatchEstimate,
  { provider, model }: Target,
  prices: Pick<Prices, 'priceOf'>,
): BatchEstimate {
  const { unpriced } = estimate;
  if (unpriced === undefined) return estimate;
  const models = [...new Set([...estimate.models, model])];
  const pricing = prices.priceOf({ provider, model });
  if (pricing === undefined) return { ...estimate, models, fault: `the price of "${model}" is not known` };
  const { outputTokensMax } = pricing;
  const { longInput, ...base } = pricing.card;
  const ofSize = ({ calls, inputTokens, outputTokens, unlimitedAnswers }: CallTokens, card: RateCard) => {
    if (calls === 0) return 0;
    const output = outputTokens + unlimitedAnswers * (outputTokensMax ?? 0);
    const mean = {
      input_tokens: Math.ceil(inputTokens / calls),
      output_tokens: Math.ceil(output / calls),
    };
    return calls * costOf(card, { ...mean, service_tier: 'batch' });
  };
  const { short, long } = unpriced;
  const nanoUsd = ofSize(short, base) + ofSize(long, { ...base, ...longInput?.rates });
  const isUnbounded = outputTokensMax === undefined && short.unlimitedAnswers + long.unlimitedAnswers > 0;
  const fault = isUnbounded ? unboundedFault(model) : estimate.fault;
  return { ...estimate, models, nanoUsd: estimate.nanoUsd + nanoUsd, fault };
}

function unboundedFault(model: string): string {
  return `the most that "${model}" writes is not known: limit the output`;
}
