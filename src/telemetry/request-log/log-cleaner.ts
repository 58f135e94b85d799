import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PartitionPlan, RequestLog } from '../../kernel/ports/request-log.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';
import { limits } from '../limits.ts';
import type { AccountRetentions } from './account-retentions.ts';

export interface CleanerParts {
  readonly log: RequestLog;
  readonly retentions: AccountRetentions;
  readonly clock: Clock;
  /** How long to retain calls, in whole spans, and how many at most. */
  readonly retentionMs: number;
  readonly rowsMax?: number | undefined;
  /** Called for every failed round; the next one retries. */
  readonly onError?: (error: unknown) => void;
  readonly intervalMs?: number;
  readonly pauseMs?: number;
}

/** Keeps the request log within its bounds, by partitions or a few rows at a time. Only one replica does it. */
export class LogCleaner {
  readonly #parts: CleanerParts;
  readonly #holder = randomUUID();
  readonly #rounds: PeriodicTask<number>;
  /** Until when sums are folded, by resolution. */
  readonly #foldedUntilMs = new Map<number, number>();
  /** When accounts with a retention of their own are next. */
  #accountsDueMs = 0;
  /** When the totals of days are next. */
  #totalsDueMs = 0;

  constructor(parts: CleanerParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: parts.intervalMs ?? limits.requestLogCleanupMs,
      run: () => this.#runOnce(),
      onError: (error) => parts.onError?.(error),
    });
  }

  /** Runs at intervals. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when no round is running. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Deletes all excess calls and resolves to their number. Does nothing while another replica does it. */
  clean(): Promise<number> {
    return this.#rounds.run();
  }

  async #runOnce(): Promise<number> {
    const { log, clock } = this.#parts;
    if (!(await this.#mayClean())) return 0;
    const plan = this.#partitionPlan();
    await log.maintain(plan);
    const upToId = await this.#newestExpiredId(plan.keptFromMs);
    let deleted = await this.#deleteInSteps((most) => log.forget(upToId, most));
    if (clock.now() >= this.#accountsDueMs) deleted += await this.#cleanAccounts();
    if (!this.#rounds.signal.aborted) await this.#tidySums();
    return deleted;
  }

  /** Deletes what accounts keep for a shorter time than the instance. */
  async #cleanAccounts(): Promise<number> {
    const { retentions, clock } = this.#parts;
    const { table } = retentions;
    let deleted = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await retentions.page(after, limits.retentionAccountsAtOnce);
      for (const { accountId, days, recordingDays } of page) {
        if (this.#rounds.signal.aborted || !(await this.#mayClean())) return deleted;
        if (recordingDays !== undefined)
          await table.forgetRecordings(accountId, clock.now() - recordingDays * dayMs);
        if (days === undefined) continue;
        const beforeMs = clock.now() - days * dayMs;
        deleted += await this.#deleteInSteps((most) => table.forgetCalls(accountId, beforeMs, most));
        await table.forgetRest(accountId, beforeMs);
      }
      after = page.at(-1)?.accountId;
    }
    this.#accountsDueMs = clock.now() + limits.retentionAccountsMs;
    return deleted;
  }

  /** Deletes up to `most` rows at a time until there are no more. */
  async #deleteInSteps(forget: (most: number) => Promise<number>): Promise<number> {
    let deleted = 0;
    let most: number = limits.requestLogDeletedMin;
    do {
      const startedAtMs = performance.now();
      const some = await forget(most);
      deleted += some;
      if (some < most) break;
      const tookMs = performance.now() - startedAtMs;
      most = nextStep(most, tookMs);
      await sleep(this.#parts.pauseMs ?? tookMs, undefined, { signal: this.#rounds.signal }).catch(
        () => undefined,
      );
    } while (!this.#rounds.signal.aborted && (await this.#mayClean()));
    return deleted;
  }

  async #tidySums(): Promise<void> {
    const { log, clock, retentionMs } = this.#parts;
    const { signal } = this.#rounds;
    let forgotten = false;
    const keptFromMs = Math.floor((clock.now() - retentionMs) / dayMs) * dayMs;
    while (!signal.aborted && (await log.forgetSums(keptFromMs))) forgotten = true;
    if (forgotten) await log.forgetKinds();
    await this.#foldMinutes(clock.now() - limits.requestSumsByMinuteMs);
    await this.#fold(hourMs, clock.now() - limits.requestSumsByQuarterMs);
    await this.#fold(dayMs, clock.now() - limits.requestSumsByHourMs);
    if (clock.now() >= this.#totalsDueMs) await this.#totalDays();
  }

  async #totalDays(): Promise<void> {
    const { log, clock } = this.#parts;
    const oldestMs = await log.oldestSums('folded');
    if (oldestMs === undefined) return;
    for (let startMs = Math.floor(oldestMs / dayMs) * dayMs; startMs <= clock.now(); startMs += dayMs) {
      if (this.#rounds.signal.aborted) return;
      await log.totalDay(startMs);
    }
    this.#totalsDueMs = clock.now() + limits.requestTotalsMs;
  }

  /** Includes sums that arrived late. */
  async #foldMinutes(untilMs: number): Promise<void> {
    const { log } = this.#parts;
    while (!this.#rounds.signal.aborted) {
      const oldestMs = await log.oldestSums('by-minute');
      if (oldestMs === undefined) return;
      const startMs = Math.floor(oldestMs / quarterMs) * quarterMs;
      if (startMs + quarterMs > untilMs) return;
      await log.foldMinutes({ startMs, ms: quarterMs });
    }
  }

  /** Late sums in an hour or day that was folded before are correct as they are. */
  async #fold(ms: number, untilMs: number): Promise<void> {
    const { log } = this.#parts;
    const oldestMs = this.#foldedUntilMs.get(ms) ?? (await log.oldestSums('folded'));
    if (oldestMs === undefined) return;
    let startMs = Math.floor(oldestMs / ms) * ms;
    for (; startMs + ms <= untilMs && !this.#rounds.signal.aborted; startMs += ms)
      await log.foldSums({ startMs, ms });
    this.#foldedUntilMs.set(ms, startMs);
  }

  /** The newest call that is too old or exceeds the maximum number. */
  async #newestExpiredId(keptFromMs: number): Promise<string> {
    const { log, rowsMax } = this.#parts;
    const tooOld = firstIdAt(keptFromMs);
    const tooMany = rowsMax === undefined ? undefined : await log.newestBehind(rowsMax);
    return tooMany === undefined || tooMany < tooOld ? tooOld : tooMany;
  }

  /** Whole days; weeks or months for a long retention, so that there are never more than a hundred partitions. */
  #partitionPlan(): PartitionPlan {
    const { clock, retentionMs } = this.#parts;
    const nowMs = clock.now();
    const spanMs = partitionSpansMs.find((ms) => retentionMs <= 100 * ms) ?? monthMs;
    return { nowMs, spanMs, keptFromMs: Math.floor((nowMs - retentionMs) / spanMs) * spanMs };
  }

  #mayClean(): Promise<boolean> {
    const nowMs = this.#parts.clock.now();
    return this.#parts.log.acquireCleanupLease(this.#holder, nowMs, nowMs + limits.requestLogCleanerMs);
  }
}

const quarterMs = 900_000;
const hourMs = 4 * quarterMs;
const dayMs = 24 * hourMs;
const monthMs = 30 * dayMs;
const partitionSpansMs = [dayMs, 7 * dayMs];

/** As many rows as fit into a short time, after which others get as long a turn. */
function nextStep(rows: number, tookMs: number): number {
  if (tookMs > limits.requestLogDeleteMsMax) return Math.max(limits.requestLogDeletedMin, rows / 2);
  return tookMs < limits.requestLogDeleteMsMax / 2 ? Math.min(limits.requestLogDeletedMax, rows * 2) : rows;
}
