import type { Log } from '../log.ts';
import { Outage } from '../outage.ts';
import type { OtlpEncoding } from './encoding.ts';
import type { GenAiMetrics } from './gen-ai-metrics.ts';
import type { OtlpClient } from './otlp-client.ts';

interface MetricsExporterParts {
  readonly client: Pick<OtlpClient, 'send'>;
  readonly encoding: OtlpEncoding;
  readonly metrics: Pick<GenAiMetrics, 'collect'>;
  readonly intervalMs: number;
  /** Microseconds since 1970. */
  nowUs(): number;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

/** Exports metrics at an interval. The values are sums since the start, so that the next export has what a failed one had. */
export class MetricsExporter {
  readonly #parts: MetricsExporterParts;
  readonly #outage: Outage;
  readonly #timer: NodeJS.Timeout;
  #exporting: Promise<void> | undefined;
  #failures = 0;

  constructor(parts: MetricsExporterParts) {
    this.#parts = parts;
    this.#outage = new Outage(parts.log, {
      began: 'could not export metrics; will retry',
      ended: 'metrics are exported again',
    });
    this.#timer = setInterval(() => void this.export(), parts.intervalMs).unref();
  }

  /** The number of failed exports since the start. */
  get failures(): number {
    return this.#failures;
  }

  get isFailing(): boolean {
    return this.#outage.isOn;
  }

  /** Never rejects. One export at a time. */
  export(): Promise<void> {
    this.#exporting ??= this.#export().finally(() => {
      this.#exporting = undefined;
    });
    return this.#exporting;
  }

  /** Exports the last values. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exporting;
    await this.export();
  }

  async #export(): Promise<void> {
    const { client, encoding, metrics, nowUs, log } = this.#parts;
    const collected = metrics.collect(nowUs());
    if (collected.length === 0) return;
    try {
      const partialSuccess = await client.send(encoding.encodeMetrics(collected));
      this.#outage.end();
      if (partialSuccess !== undefined) log.warn({ ...partialSuccess }, 'the collector rejected metrics');
    } catch (err) {
      this.#failures++;
      this.#outage.begin({ err });
    }
  }
}
