import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { RequestLog } from '../../kernel/ports/request-log.ts';
import { firstIdAt } from '../../kernel/request-id.ts';

export interface CleanerParts {
  readonly log: RequestLog;
  readonly clock: Clock;
  /** How long calls are kept, and how many. */
  readonly retentionMs: number;
  readonly rowsMax: number;
  /** Told of every round that failed; there is another one. */
  readonly onError?: (error: unknown) => void;
  readonly intervalMs?: number;
  readonly pauseMs?: number;
}

/** Keeps the request log within its bounds, a few rows at a time. Of many replicas one does it. */
export class LogCleaner {
  readonly #parts: CleanerParts;
  readonly #holder = randomUUID();
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #cleaning: Promise<number> | undefined;
  /** Until when sums were put together, by what they were put together to. */
  readonly #foldedUntilMs = new Map<number, number>();

  constructor(parts: CleanerParts) {
    this.#parts = parts;
  }

  /** From now on, at intervals. */
  start(): void {
    const { intervalMs = limits.requestLogCleanupMs, onError } = this.#parts;
    this.#timer = setInterval(() => {
      if (this.#cleaning === undefined) this.clean().catch((error) => onError?.(error));
    }, intervalMs).unref();
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#cleaning?.catch(() => undefined);
  }

  /** Deletes all that is too much; resolves to how many calls that was. Nothing while another replica does it. */
  clean(): Promise<number> {
    this.#cleaning ??= this.#runOnce().finally(() => {
      this.#cleaning = undefined;
    });
    return this.#cleaning;
  }

  async #runOnce(): Promise<number> {
    const { log, pauseMs = limits.requestLogDeletePauseMs } = this.#parts;
    if (!(await this.#mayClean())) return 0;
    const upToId = await this.#newestExpiredId();
    let deleted = 0;
    do {
      const some = await log.forget(upToId, limits.requestLogDeletedAtOnce);
      deleted += some;
      if (some < limits.requestLogDeletedAtOnce) break;
      await sleep(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    } while (!this.#stopped.signal.aborted && (await this.#mayClean()));
    if (!this.#stopped.signal.aborted) await this.#tidySums();
    return deleted;
  }

  async #tidySums(): Promise<void> {
    const { log, clock, retentionMs } = this.#parts;
    const { signal } = this.#stopped;
    let forgotten = false;
    while (!signal.aborted && (await log.forgetSums(clock.now() - retentionMs))) forgotten = true;
    if (forgotten) await log.forgetKinds();
    await this.#foldMinutes(clock.now() - limits.requestSumsByMinuteMs);
    await this.#fold(hourMs, clock.now() - limits.requestSumsByQuarterMs);
    await this.#fold(dayMs, clock.now() - limits.requestSumsByHourMs);
  }

  /** Also what came late. */
  async #foldMinutes(untilMs: number): Promise<void> {
    const { log } = this.#parts;
    while (!this.#stopped.signal.aborted) {
      const oldestMs = await log.oldestSums('by-minute');
      if (oldestMs === undefined) return;
      const startMs = Math.floor(oldestMs / quarterMs) * quarterMs;
      if (startMs + quarterMs > untilMs) return;
      await log.foldMinutes({ startMs, ms: quarterMs });
    }
  }

  /** What is found in an hour or a day that was folded before came late, and is right as it is. */
  async #fold(ms: number, untilMs: number): Promise<void> {
    const { log } = this.#parts;
    const oldestMs = this.#foldedUntilMs.get(ms) ?? (await log.oldestSums('folded'));
    if (oldestMs === undefined) return;
    let startMs = Math.floor(oldestMs / ms) * ms;
    for (; startMs + ms <= untilMs && !this.#stopped.signal.aborted; startMs += ms)
      await log.foldSums({ startMs, ms });
    this.#foldedUntilMs.set(ms, startMs);
  }

  /** The newest call that is too old, or one too many. */
  async #newestExpiredId(): Promise<string> {
    const { log, clock, retentionMs, rowsMax } = this.#parts;
    const tooOld = firstIdAt(clock.now() - retentionMs);
    const tooMany = await log.newestBehind(rowsMax);
    return tooMany === undefined || tooMany < tooOld ? tooOld : tooMany;
  }

  #mayClean(): Promise<boolean> {
    const nowMs = this.#parts.clock.now();
    return this.#parts.log.acquireCleanupLease(this.#holder, nowMs, nowMs + limits.requestLogCleanerMs);
  }
}

const quarterMs = 900_000;
const hourMs = 4 * quarterMs;
const dayMs = 24 * hourMs;
