import type { LogRetentions } from '../../kernel/ports/log-retentions.ts';
import type {
  LoggedCall,
  LogPage,
  LogQuery,
  LogReader,
  LogSums,
  LogSumsQuery,
} from '../../kernel/ports/request-log.ts';
import { timeOfId } from '../../kernel/request-id.ts';
import type { Clock } from '../../lib/clock.ts';

interface RetainedParts {
  readonly history: LogReader;
  readonly retentions: Pick<LogRetentions, 'find'>;
  readonly clock: Clock;
}

const dayMs = 86_400_000;

/** Hides calls in another system that their account no longer keeps. */
export class RetainedHistory implements LogReader {
  readonly #parts: RetainedParts;

  constructor(parts: RetainedParts) {
    this.#parts = parts;
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    const call = await this.#parts.history.find(id, accountId);
    return call !== undefined && timeOfId(id) < (await this.#keptFromMs(call.accountId)) ? undefined : call;
  }

  async page(query: LogQuery): Promise<LogPage> {
    const fromMs = Math.max(query.filter.fromMs ?? 0, await this.#keptFromMs(query.accountId));
    return this.#parts.history.page({ ...query, filter: { ...query.filter, fromMs } });
  }

  /** Sums name no call. */
  sums(query: LogSumsQuery): Promise<LogSums> {
    return this.#parts.history.sums(query);
  }

  async #keptFromMs(accountId: string | undefined): Promise<number> {
    const days = accountId === undefined ? undefined : await this.#parts.retentions.find(accountId);
    return days === undefined ? 0 : this.#parts.clock.now() - days * dayMs;
  }
}
