import type {
  LoggedCall,
  LogPage,
  LogQuery,
  LogReader,
  LogSort,
  LogSums,
  LogSumsQuery,
} from '../../kernel/ports/request-log.ts';
import { timeOfId } from '../../kernel/request-id.ts';
import type { Clock } from '../../lib/clock.ts';

interface HistoryParts {
  /** The request log of the gateway. */
  readonly recent: LogReader;
  /** Another system that has every call. */
  readonly history: LogReader;
  readonly clock: Clock;
  /** How long the gateway retains calls and their sums. */
  readonly retentionMs: number;
  /** Called when a page ends early because the history can't be read. */
  readonly onError: (error: unknown) => void;
}

/** Reads the request log, and what it no longer has from another system. */
export class LogWithHistory implements LogReader {
  readonly #parts: HistoryParts;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    const { recent, history } = this.#parts;
    return (await recent.find(id, accountId)) ?? history.find(id, accountId);
  }

  page(query: LogQuery): Promise<LogPage> {
    if (query.sort !== undefined) return this.#sortedPage(query, query.sort);
    return query.beside?.side === 'newer' ? this.#newerPage(query, query.beside.id) : this.#olderPage(query);
  }

  /** Includes the history if all of the log could be sorted. */
  async #sortedPage(query: LogQuery, sort: LogSort): Promise<LogPage> {
    const { recent, history } = this.#parts;
    const page = await recent.page(query);
    if (page.more) return page;
    const { calls, ...rest } = await history.page(query);
    const all = new Map([...calls, ...page.calls].map((call) => [call.id, call]));
    const sorted = [...all.values()].sort((one, other) => sortValueOf(other, sort) - sortValueOf(one, sort));
    return { ...rest, calls: sorted.slice(0, query.limit) };
  }

  /** Continues in the history where the log ends. */
  async #olderPage(query: LogQuery): Promise<LogPage> {
    const { recent, history, onError } = this.#parts;
    const page = await recent.page(query);
    if (page.more) return page;
    const { calls, reached } = page;
    const limit = query.limit - calls.length;
    if (limit <= 0) return { ...page, more: true };
    const beside = reached === undefined ? query.beside : { id: reached, side: 'older' as const };
    try {
      const older = await history.page({ ...query, beside, limit });
      return { ...older, calls: [...calls, ...older.calls], reached: older.reached ?? reached };
    } catch (error) {
      if (calls.length === 0) throw error;
      onError(error);
      return { ...page, more: true };
    }
  }

  /** Reads from the history up to the oldest call in the log. */
  async #newerPage(query: LogQuery, id: string): Promise<LogPage> {
    const { recent, history } = this.#parts;
    const { calls: oldest } = await recent.page({
      ...{ accountId: undefined, filter: {}, limit: 1 },
      beside: { id: '', side: 'newer' },
    });
    const logStart = oldest[0]?.id;
    if (logStart !== undefined && id >= logStart) return recent.page(query);
    const { filter } = query;
    const toMs = Math.min(
      filter.toMs ?? Number.MAX_SAFE_INTEGER,
      logStart === undefined ? Number.MAX_SAFE_INTEGER : timeOfId(logStart),
    );
    const older = await history.page({ ...query, filter: { ...filter, toMs } });
    const limit = query.limit - older.calls.length;
    if (older.more || limit <= 0) return { ...older, more: true };
    const newer = await recent.page({ ...query, limit });
    return {
      ...newer,
      calls: [...newer.calls, ...older.calls],
      reached: newer.reached ?? older.reached,
    };
  }

  /** Sums of steps that begin within the retention are in the log. */
  async sums(query: LogSumsQuery): Promise<LogSums> {
    const { recent, history, clock, retentionMs } = this.#parts;
    const { fromMs, toMs, stepMs } = query;
    const logStartMs = Math.ceil((clock.now() - retentionMs) / stepMs) * stepMs;
    if (fromMs >= logStartMs) return recent.sums(query);
    if (toMs <= logStartMs) return history.sums(query);
    const [older, newer] = await Promise.all([
      history.sums({ ...query, toMs: logStartMs }),
      recent.sums({ ...query, fromMs: logStartMs }),
    ]);
    const stepsBefore = (logStartMs - fromMs) / stepMs;
    const moveStep = <Row extends { readonly step: number }>(row: Row): Row => ({
      ...row,
      step: row.step + stepsBefore,
    });
    return {
      kinds: [...older.kinds, ...newer.kinds],
      steps: [...older.steps, ...newer.steps.map(moveStep)],
      stepTimes: [...older.stepTimes, ...newer.stepTimes.map(moveStep)],
      modelTimes: [...older.modelTimes, ...newer.modelTimes],
      modules: [...older.modules, ...newer.modules],
      moduleTimes: [...older.moduleTimes, ...newer.moduleTimes],
    };
  }
}

function sortValueOf(call: LoggedCall, sort: LogSort): number {
  switch (sort) {
    case 'cost':
      return call.costNanoUsd ?? 0;
    case 'duration':
      return call.totalMs;
    case 'tokens':
      return (
        (call.inputTokens ?? 0) +
        (call.cacheReadTokens ?? 0) +
        (call.cacheWriteTokens ?? 0) +
        (call.outputTokens ?? 0)
      );
  }
}
