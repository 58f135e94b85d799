import type { BatchEstimate } from '../../kernel/batch.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import type { Provider } from '../../kernel/provider.ts';
import { costOf } from '../../kernel/rate-card.ts';
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
      ...(this.#fault !== undefined && { fault: this.#fault }),
    };
  }

  /** A call with the body that it would have by itself. */
  add(path: string, body: JsonObject): void {
    this.#calls++;
    const fault = this.#addCost(path, body);
    if (fault !== undefined) this.fail(fault);
  }

  /** Returns why the cost of the call is not known, if it is not. */
  #addCost(path: string, body: JsonObject): string | undefined {
    const wire = formatOfPath(path);
    const model = typeof body.model === 'string' ? body.model : '';
    if (wire === undefined) return `calls to "${path.slice(0, 100)}" can't be estimated`;
    if (model === '') return 'a call names no model';
    if (this.#models.size >= limits.batchModelsMax && !this.#models.has(model))
      return `the calls name more than ${limits.batchModelsMax} models`;
    this.#models.add(model);
    const pricing = this.#prices.priceOf({ provider: this.#provider, model });
    if (pricing === undefined) return `the price of "${model}" is not known`;
    const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
    const call = new ClientRequest({ wire, fields, headers: [], query: '', path });
    const outputLimit = outputLimitIn(body, wire) ?? pricing.outputTokensMax;
    const output = path.endsWith('/embeddings') ? 0 : outputLimit;
    if (output === undefined) return `the most that "${model}" writes is not known: limit the output`;
    this.#nanoUsd += costOf(pricing.card, {
      input_tokens: estimateInputTokens(call),
      output_tokens: output * answersIn(body),
      service_tier: 'batch',
    });
    return undefined;
  }

  /** The first reason is kept. */
  fail(reason: string): void {
    this.#fault ??= reason;
  }
}

/**
 * Reads the calls of a batch from the form of an upload, while it passes. A call is a line of its file; lines of the form itself are no
 * JSON objects with an address.
 */
export class BatchFileReader {
  readonly #estimator: BatchEstimator;
  readonly #lines: LineSplitter;

  constructor(estimator: BatchEstimator) {
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
    const mayBeCall = line.includes('"url"') && line.includes('"body"');
    if (!mayBeCall && !line.includes('\\u00')) return;
    const call = jsonObjectIn(line);
    // A provider may read what JavaScript can't, such as NaN.
    if (call === undefined && mayBeCall) this.#estimator.fail('a line is not valid JSON');
    if (!isJsonObject(call?.body)) return;
    this.#estimator.add(typeof call.url === 'string' ? call.url : '', call.body);
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

function answersIn({ n }: JsonObject): number {
  return typeof n === 'number' && n > 1 ? Math.ceil(n) : 1;
}
