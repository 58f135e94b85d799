import { WriteBehind } from '../../kernel/write-behind.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { Outage } from '../outage.ts';
import type { OtlpEncoding, SpanBatch } from './encoding.ts';
import { type OtlpClient, RejectedExportError } from './otlp-client.ts';
import type { OtlpSettings } from './settings.ts';
import type { Span } from './span.ts';

interface SpanExporterParts {
  readonly client: Pick<OtlpClient, 'send'>;
  readonly encoding: OtlpEncoding;
  readonly queue: OtlpSettings['queue'];
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly bytesMax?: number;
}

/** Exports spans in the background, from a bounded queue. Spans that wait when the process is killed are lost. */
export class SpanExporter {
  readonly #parts: SpanExporterParts;
  readonly #batches: WriteBehind<SpanBatch>;
  readonly #outage: Outage;
  readonly #rejection: Outage;
  #rejected = 0;
  #failures = 0;

  constructor(parts: SpanExporterParts) {
    const { encoding, queue, log, bytesMax = limits.otlpBytesWaiting } = parts;
    this.#parts = parts;
    this.#outage = new Outage(log, {
      began: 'could not export traces; will retry',
      ended: 'traces are exported again',
    });
    this.#rejection = new Outage(log, {
      began: 'exports of traces are rejected, and their spans dropped',
      ended: 'exports of traces are accepted again',
    });
    this.#batches = new WriteBehind<SpanBatch>({
      createBatch: () => encoding.createSpanBatch(),
      store: (batch) => this.#send(batch),
      flushMs: queue.scheduleMs,
      retryMsMax: Math.max(limits.otlpRetryMsMax, queue.scheduleMs),
      waitingMax: bytesMax,
      giveUp: { isRejection: (error) => error instanceof RejectedExportError, rejectionsMax: 1 },
      onError: (err) => this.#onError(err),
      onDrop: () => log.error({}, 'spans are dropped before they are exported'),
    });
  }

  /** The number of spans that wait. */
  get waiting(): number {
    return this.#batches.waiting;
  }

  /** The number of spans that were dropped, or that the collector rejected, since the start. */
  get dropped(): number {
    return this.#batches.dropped + this.#rejected;
  }

  /** The number of failed exports since the start. */
  get failures(): number {
    return this.#failures;
  }

  get isFailing(): boolean {
    return this.#batches.failedRounds > 0 || this.#rejection.isOn;
  }

  /** Spans of one call stay together. */
  export(spans: readonly Span[]): void {
    const { spansMax = Number.POSITIVE_INFINITY, batchMax } = this.#parts.queue;
    if (!this.#batches.hasRoom(spans.length, this.waiting + spans.length <= spansMax)) return;
    const batch = this.#batches.filling;
    for (const span of spans) batch.add(span);
    this.#batches.setSize(batch.count, batch.bytes);
    if (batch.count >= batchMax || batch.bytes >= limits.otlpBatchBytes) this.#batches.sealAndStore();
  }

  /** Exports all spans, with retries until the time is up. False if some could not be exported. */
  flush(withinMs: number): Promise<boolean> {
    return this.#batches.flush(withinMs);
  }

  async #send(batch: SpanBatch): Promise<void> {
    const { client, log } = this.#parts;
    const partialSuccess = await client.send(batch.encode());
    batch.release();
    this.#outage.end();
    this.#rejection.end();
    if (partialSuccess === undefined) return;
    const { rejected, message } = partialSuccess;
    this.#rejected += rejected;
    log.warn(
      { rejected, message: message.slice(0, limits.otlpMessageCharacters) },
      'the collector rejected spans',
    );
  }

  #onError(err: unknown): void {
    this.#failures++;
    if (err instanceof RejectedExportError) this.#rejection.begin({ err });
    else this.#outage.begin({ err });
  }
}
