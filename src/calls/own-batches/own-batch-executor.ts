import { randomUUID } from 'node:crypto';
import type { CallFiles, OwnBatch, OwnBatches } from '../../kernel/ports/own-batches.ts';
import { limits } from '../limits.ts';
import { OwnBatchRun, type OwnBatchRunParts } from './own-batch-run.ts';
import { Permits } from './permits.ts';

interface OwnBatchExecutorParts extends Omit<OwnBatchRunParts, 'holder' | 'permits'> {
  readonly files: CallFiles;
  readonly batches: OwnBatches;
  /** Calls of batches that this process has under way at once. */
  readonly callsAtOnce: number;
  /** How long results are kept. */
  readonly keptMs: number;
  onError(error: unknown, batchId?: string): void;
}

/**
 * Runs the gateway's own batches. A process leases batches; one that is killed leaves them to another, or to itself after a restart.
 * Calls are claimed one by one in the database, so none is sent twice.
 */
export class OwnBatchExecutor {
  readonly #parts: OwnBatchExecutorParts;
  readonly #runParts: OwnBatchRunParts;
  readonly #holder = randomUUID();
  readonly #runs = new Map<string, { readonly run: OwnBatchRun; readonly ended: Promise<void> }>();
  #timers: readonly NodeJS.Timeout[] = [];
  #beating: Promise<void> | undefined;
  #isDue = false;
  #isClosing = false;

  constructor(parts: OwnBatchExecutorParts) {
    this.#parts = parts;
    this.#runParts = { ...parts, holder: this.#holder, permits: new Permits(parts.callsAtOnce) };
  }

  /** Batches that this process runs. */
  get running(): number {
    return this.#runs.size;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.look(), limits.ownBatchBeatMs).unref(),
      setInterval(() => void this.#clean().catch(this.#parts.onError), limits.ownBatchCleaningMs).unref(),
    ];
    this.look();
  }

  /** Renews leases, and takes batches that nobody runs. */
  look(): void {
    this.#isDue = true;
    this.#beating ??= this.#beat()
      .catch((error) => this.#parts.onError(error))
      .finally(() => {
        this.#beating = undefined;
      });
  }

  /** Waits for calls under way until `untilMs` by `performance.now`, and leaves the rest to other processes. */
  async close(untilMs: number): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#beating;
    for (const { run } of this.#runs.values()) run.stop();
    const ended = Promise.all([...this.#runs.values()].map((one) => one.ended));
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, Math.max(0, untilMs - performance.now()));
    await Promise.race([ended, timeout.promise]);
    clearTimeout(timer);
    await this.#parts.batches.release(this.#holder).catch(this.#parts.onError);
  }

  async #beat(): Promise<void> {
    const { batches, clock } = this.#parts;
    while (this.#isDue && !this.#isClosing) {
      this.#isDue = false;
      const nowMs = clock.now();
      const lease = { holder: this.#holder, nowMs, untilMs: nowMs + limits.ownBatchLeaseMs };
      const mine = new Map((await batches.renew(lease, [...this.#runs.keys()])).map((one) => [one.id, one]));
      for (const [id, { run }] of this.#runs) run.update(mine.get(id));
      const room = limits.ownBatchesAtOnce - this.#runs.size;
      for (const batch of room > 0 ? await batches.take({ ...lease, most: room }) : []) this.#run(batch);
    }
  }

  #run(batch: OwnBatch): void {
    const { id } = batch;
    const run = new OwnBatchRun(batch, this.#runParts);
    const ended = run
      .run()
      // Its lease expires, and then some process tries again.
      .catch((error) => this.#parts.onError(error, id))
      .finally(() => this.#runs.delete(id));
    this.#runs.set(id, { run, ended });
  }

  async #clean(): Promise<void> {
    const { batches, files, clock, keptMs } = this.#parts;
    const nowMs = clock.now();
    while (await batches.clean(nowMs - keptMs));
    while (await files.clean(nowMs));
  }
}
