import { withTimeout } from '../lib/with-timeout.ts';
import type { Check } from '../telemetry/diagnostics.ts';
import type { Log } from '../telemetry/log.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import { limits } from './limits.ts';
import type { Part, PartRoute } from './part.ts';

/** Runs `start`; if it fails, closes the parts that it has started. */
export async function startParts<Result>(
  log: Log,
  start: (parts: StartedParts) => Promise<Result>,
): Promise<Result> {
  const parts = new StartedParts(log);
  try {
    return await start(parts);
  } catch (failure) {
    await parts.close();
    throw failure;
  }
}

/** The parts of a gateway in start order: each may use earlier ones and is closed before them. */
export class StartedParts {
  readonly #log: Log;
  readonly #parts: Part[] = [];
  #closed: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add<Added extends Part>(part: Added): Added {
    this.#parts.push(part);
    return part;
  }

  get routes(): readonly PartRoute[] {
    return this.#parts.flatMap((part) => part.routes ?? []);
  }

  get gauges(): readonly Gauge[] {
    return this.#parts.flatMap((part) => part.gauges ?? []);
  }

  get checks(): readonly Check[] {
    return this.#parts.flatMap((part) => part.checks ?? []);
  }

  get features(): readonly string[] {
    return this.#parts.flatMap((part) => part.features ?? []);
  }

  async drain(untilMs: number): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.drain?.(untilMs)));
  }

  /** Closes parts one by one; a failing or slow one does not keep the others open. */
  close(): Promise<void> {
    this.#closed ??= this.#closeBackwards();
    return this.#closed;
  }

  async #closeBackwards(): Promise<void> {
    for (const part of this.#parts.toReversed())
      try {
        const closed = part.close?.(performance.now() + limits.lastFlushMs);
        await withTimeout(Promise.resolve(closed), limits.partCloseMs, () => new Error('timed out'));
      } catch (err) {
        this.#log.error({ err }, 'could not close a part of the gateway');
      }
  }
}
