import { limits } from '../kernel/limits.ts';
import { withTimeout } from '../kernel/with-timeout.ts';
import type { Log } from '../telemetry/log.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import type { Part, PartRoute } from './part.ts';

/** What `start` comes to; where it fails, the parts that it has started are closed. */
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

/** The parts of a gateway in the order of their start: each may use those before it, and is closed before them. */
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

  get features(): readonly string[] {
    return this.#parts.flatMap((part) => part.features ?? []);
  }

  async drain(untilMs: number): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.drain?.(untilMs)));
  }

  /** One after the other; one that fails, or takes too long, doesn't keep the others open. */
  close(): Promise<void> {
    this.#closed ??= this.#closeBackwards();
    return this.#closed;
  }

  async #closeBackwards(): Promise<void> {
    for (const part of this.#parts.toReversed())
      try {
        const closed = part.close?.(performance.now() + limits.lastFlushMs);
        await withTimeout(Promise.resolve(closed), limits.partCloseMs, () => new Error('it takes too long'));
      } catch (err) {
        this.#log.error({ err }, 'a part of the gateway could not be closed');
      }
  }
}
