import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { LoggedCall, LogPage, LogQuestion, RequestLog } from '../../kernel/ports/request-log.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import { within } from '../../kernel/within.ts';
import type { EndedCall } from '../ended-call.ts';
import { loggedCall } from './logged-call.ts';

interface RecorderParts {
  readonly log: RequestLog;
  /** Told of every try to store that failed; it is made again. */
  readonly onError?: (error: unknown) => void;
  /** Told once for each time that calls begin to be left out, because too many wait or the log refuses them. */
  readonly onDrop?: () => void;
  readonly flushMs?: number;
  readonly rowsMax?: number;
}

/** Gathers calls in memory and stores them twice a second, away from the calls. */
export class RequestRecorder {
  readonly #log: RequestLog;
  readonly #onError: (error: unknown) => void;
  readonly #onDrop: () => void;
  readonly #flushMs: number;
  readonly #rowsMax: number;
  /** In the order in which they are stored; the last one is being filled. A batch stays until it is stored. */
  readonly #batches: LoggedCall[][] = [];
  /** All calls that were ever taken in, and of these the ones that don't wait any more. */
  #taken = 0;
  #done = 0;
  #dropped = 0;
  #dropping = false;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  #failures = 0;
  #refusals = 0;

  constructor({ log, onError, onDrop, flushMs, rowsMax }: RecorderParts) {
    this.#log = log;
    this.#onError = onError ?? (() => undefined);
    this.#onDrop = onDrop ?? (() => undefined);
    this.#flushMs = flushMs ?? limits.requestLogFlushMs;
    this.#rowsMax = rowsMax ?? limits.requestLogRowsWaiting;
  }

  /** Calls that are not stored yet. */
  get waiting(): number {
    return this.#taken - this.#done;
  }

  /** Calls that were left out since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  record(call: EndedCall): void {
    if (this.waiting >= this.#rowsMax) {
      this.#drop(1);
      return;
    }
    let batch = this.#batches.at(-1);
    if (batch === undefined || batch.length >= limits.requestLogRowsAtOnce) {
      batch = [];
      this.#batches.push(batch);
    }
    batch.push(loggedCall(call));
    this.#taken++;
    if (batch.length >= limits.requestLogRowsAtOnce && this.#failures === 0) void this.#store();
    else if (this.#timer === undefined && this.#storing === undefined) this.#schedule();
  }

  /** Stores what was recorded until now, trying again until the time is over. False where some could not be stored. */
  async flush(withinMs: number): Promise<boolean> {
    const wanted = this.#taken;
    const untilMs = performance.now() + withinMs;
    while (this.#done < wanted) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await within(this.#store(), leftMs, () => unavailable('calls were not logged in time')).catch(
        this.#onError,
      );
      if (this.#failures > 0) await sleep(Math.min(Math.max(untilMs - performance.now(), 0), this.#flushMs));
    }
    return true;
  }

  /** With the calls that this process recorded until now, unless they can't be stored soon. */
  async page(question: LogQuestion): Promise<LogPage> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.page(question);
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    await this.flush(limits.requestLogReadFlushMs);
    return this.#log.find(id, accountId);
  }

  #schedule(): void {
    const pauseMs = Math.min(this.#flushMs * 2 ** this.#failures, limits.requestLogRetryMsMax);
    this.#timer = setTimeout(() => void this.#store(), pauseMs).unref();
  }

  #store(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
      if (this.waiting > 0) this.#schedule();
    });
    return this.#storing;
  }

  /** The batch on its way is not filled any more: the same calls are sent again where a try fails. */
  async #storeAll(): Promise<void> {
    const wanted = this.#taken;
    while (this.#done < wanted) {
      const [batch] = this.#batches;
      if (batch === undefined) return;
      if (this.#batches.length === 1) this.#batches.push([]);
      try {
        await this.#log.add(batch);
        this.#finish(batch);
        if (this.waiting < this.#rowsMax / 2) this.#dropping = false;
      } catch (error) {
        this.#onError(error);
        this.#failures++;
        if (isAway(error) || ++this.#refusals < limits.requestLogRefusalsMax) return;
        this.#finish(batch);
        this.#drop(batch.length);
      }
    }
  }

  #finish(batch: readonly LoggedCall[]): void {
    this.#batches.shift();
    this.#done += batch.length;
    this.#failures = 0;
    this.#refusals = 0;
  }

  #drop(calls: number): void {
    this.#dropped += calls;
    if (this.#dropping) return;
    this.#dropping = true;
    this.#onDrop();
  }
}

/** Whether the log didn't answer; else it looked at the calls and refused them, which trying again hardly changes. */
function isAway(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'storage_unavailable';
}
