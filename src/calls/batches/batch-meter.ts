import type { BatchFormat } from '../../kernel/batch.ts';
import type { Prices } from '../../kernel/ports/prices.ts';
import type { UsageSums } from '../../kernel/ports/records.ts';
import type { Provider } from '../../kernel/provider.ts';
import { addUsageSums } from '../../kernel/usage-sums.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { type JsonObject, jsonObjectIn } from '../../lib/json.ts';
import { formatOfPath } from '../../wire/index.ts';
import { Meter } from '../meter.ts';
import { LineSplitter } from './line-splitter.ts';
import { modelInCallPath } from './model-in-path.ts';

/** The usage and cost of the calls of a batch, by model. */
export type BatchUsage = ReadonlyMap<string, UsageSums>;

interface BatchMeterParts {
  readonly format: BatchFormat;
  /** The path of its calls. */
  readonly callPath: string;
  readonly provider: Provider;
  readonly prices: Pick<Prices, 'bill'>;
}

/** Reads the usage of each call from the results of a batch, while they pass. */
export class BatchMeter {
  readonly usage = new Map<string, UsageSums>();
  /** Whether the cost of each answer is known. */
  isKnown = true;
  readonly #parts: BatchMeterParts;
  readonly #wire: WireFormat | undefined;
  /** The model in the path of the calls, if it is there. */
  readonly #batchModel: string;
  readonly #lines = new LineSplitter((line) => this.#readLine(line));

  constructor(parts: BatchMeterParts) {
    this.#parts = parts;
    this.#wire = formatOfPath(parts.callPath);
    this.#batchModel = modelInCallPath(parts.callPath) ?? '';
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  /** False if a part could not be read, so that the cost is not known. */
  end(): boolean {
    this.#lines.end();
    return !this.#lines.hasLongLine && this.#wire !== undefined;
  }

  #readLine(line: Buffer): void {
    const result = jsonObjectIn(line);
    if (result !== undefined) this.addResult(result);
  }

  /** A line of results, or one in the description of a batch. */
  addResult(result: JsonObject): void {
    const { answer } = this.#parts.format.resultIn(result);
    if (answer !== undefined) this.#add(answer);
  }

  #add(answer: JsonObject): void {
    const { provider, prices } = this.#parts;
    if (this.#wire === undefined) return;
    const meter = new Meter();
    const decoder = this.#wire.replyDecoder('json', 'milestones');
    const events = [...decoder.push(Buffer.from(JSON.stringify(answer))), ...decoder.end()];
    for (const event of events) meter.observe(event);
    const model = meter.model ?? (typeof answer.model === 'string' ? answer.model : this.#batchModel);
    const usage = { ...meter.usage, service_tier: 'batch' };
    const bill = prices.bill({ provider, model }, usage, { model });
    if (bill === undefined) this.isKnown = false;
    const sums: UsageSums = {
      requests: 1,
      failed: 0,
      inputTokens: usage.input_tokens ?? 0,
      outputTokens: usage.output_tokens ?? 0,
      cacheReadTokens: usage.cache_read_input_tokens ?? 0,
      cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
      costNanoUsd: bill?.nanoUsd ?? 0,
    };
    const earlier = this.usage.get(model);
    this.usage.set(model, earlier === undefined ? sums : addUsageSums(earlier, sums));
  }
}
