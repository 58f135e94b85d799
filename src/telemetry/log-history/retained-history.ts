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
import type { AccountRetentions } from '../request-log/account-retentions.ts';

interface RetainedParts {
  readonly history: LogReader;
  readonly retentions: Pick<AccountRetentions, 'find'>;
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
    if (call === undefined) return undefined;
    const keptFromMs = await this.#keptFromMs(call.accountId);
    return keptFromMs === undefined || timeOfId(id) >= keptFromMs ? call : undefined;
  }

  async page(query: LogQuery): Promise<LogPage> {
    const { history } = this.#parts;
    const keptFromMs = await this.#keptFromMs(query.accountId);
    if (keptFromMs === undefined) return history.page(query);
    const fromMs = Math.max(query.filter.fromMs ?? 0, keptFromMs);
    return history.page({ ...query, filter: { ...query.filter, fromMs } });
  }

  /** Sums name no call. */
  sums(query: LogSumsQuery): Promise<LogSums> {
    return this.#parts.history.sums(query);
  }

  /** Undefined if the account keeps its calls as long as the instance. */
  async #keptFromMs(accountId: string | undefined): Promise<number | undefined> {
    const days = accountId === undefined ? undefined : await this.#parts.retentions.find(accountId);
    return days === undefined ? undefined : this.#parts.clock.now() - days * dayMs;
  }
}
