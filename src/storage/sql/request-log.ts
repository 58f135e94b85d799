import type { Kysely } from 'kysely';
import type {
  ConversationSums,
  ConversationsPage,
  ConversationsQuery,
  EndUserSums,
  EndUsersQuery,
  ErrorSums,
  LogErrorsQuery,
  LoggedCall,
  LogPage,
  LogQuery,
  LogSums,
  LogSumsQuery,
  PartitionPlan,
  RequestLog,
  SumsSpan,
} from '../../kernel/ports/request-log.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { forgetEndUsers, listEndUsers } from './end-user-days.ts';
import { acquireLease } from './leases.ts';
import { isNotHeld } from './legal-holds.ts';
import { findConversation, forgetConversations, listConversations } from './request-conversations.ts';
import { readErrorSums } from './request-error-sums.ts';
import { RequestKindHasher } from './request-kind.ts';
import { callFromRow, joinPacks, packCalls, readPackedCalls, requestColumnNames } from './request-log-row.ts';
import { LogSearch } from './request-log-search.ts';
import { maintainPartitions } from './request-partitions.ts';
import { readSums } from './request-sums.ts';
import {
  foldMinutes,
  foldSums,
  forgetKinds,
  forgetSums,
  oldestSums,
  totalDay,
} from './request-sums-folding.ts';
import { shrinkFile } from './shrink-file.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const dayMs = 86_400_000;
const cleanerLease = 'request-log';

export class SqlRequestLog implements RequestLog {
  readonly #db: Kysely<Tables>;
  readonly #pool: ConnectionPool;
  readonly #dialectName: SqlDialect['name'];
  readonly #kindHasher = new RequestKindHasher();

  readonly rowsAtOnce: number;
  /** Conversations and sums of end users before this time are deleted. */
  #keptFromMs: number | undefined;

  constructor(db: Kysely<Tables>, connectionPool: ConnectionPool, { name }: SqlDialect) {
    this.#db = db;
    this.#dialectName = name;
    this.rowsAtOnce = name === 'postgres' ? limits.postgresCallsAtOnce : limits.sqliteCallsAtOnce;
    this.#pool = connectionPool;
  }

  add(calls: readonly LoggedCall[]): Promise<void> {
    return this.addPacked([this.pack(calls)]);
  }

  pack(calls: readonly LoggedCall[]): string {
    return packCalls(calls, this.#kindHasher);
  }

  readPack(line: string): string | undefined {
    return readPackedCalls(line);
  }

  async addPacked(packs: readonly string[]): Promise<void> {
    const pooledConnection = await this.#pool.acquire();
    try {
      await pooledConnection.addCalls(joinPacks(packs));
    } finally {
      pooledConnection.release();
    }
  }

  page(query: LogQuery): Promise<LogPage> {
    return new LogSearch(this.#db, this.#dialectName, query).page();
  }

  sums(query: LogSumsQuery): Promise<LogSums> {
    return readSums(this.#db, this.#dialectName, query);
  }

  errors(query: LogErrorsQuery): Promise<readonly ErrorSums[]> {
    return readErrorSums(this.#db, query);
  }

  endUsers(query: EndUsersQuery): Promise<readonly EndUserSums[]> {
    return listEndUsers(this.#db, query);
  }

  oldestSums(resolution: 'by-minute' | 'folded'): Promise<number | undefined> {
    return oldestSums(this.#db, resolution);
  }

  foldMinutes(span: SumsSpan): Promise<void> {
    return foldMinutes(this.#db, this.#dialectName, span);
  }

  foldSums(span: SumsSpan): Promise<void> {
    return foldSums(this.#db, span);
  }

  totalDay(startMs: number): Promise<void> {
    return totalDay(this.#db, startMs);
  }

  forgetSums(beforeMs: number): Promise<boolean> {
    return forgetSums(this.#db, beforeMs);
  }

  forgetKinds(): Promise<void> {
    return forgetKinds(this.#db);
  }

  conversations(query: ConversationsQuery): Promise<ConversationsPage> {
    return listConversations(this.#db, query);
  }

  conversation(name: string, accountId: string | undefined): Promise<ConversationSums | undefined> {
    return findConversation(this.#db, name, accountId);
  }

  async find(id: string, accountId: string | undefined): Promise<LoggedCall | undefined> {
    const row = await this.#db
      .selectFrom('requests')
      .select(requestColumnNames)
      .where('id', '=', id)
      .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
      .executeTakeFirst();
    return row === undefined ? undefined : callFromRow(row);
  }

  async maintain(plan: PartitionPlan): Promise<void> {
    if (plan.keptFromMs !== this.#keptFromMs) {
      await forgetConversations(this.#db, plan.keptFromMs);
      await forgetEndUsers(this.#db, plan.keptFromMs);
    }
    this.#keptFromMs = plan.keptFromMs;
    const idsFromMs = Math.floor((plan.nowMs - limits.requestIdsKeptMs) / dayMs) * dayMs;
    if (this.#dialectName === 'postgres') {
      await maintainPartitions(this.#db, 'requests', plan);
      const { nowMs } = plan;
      await maintainPartitions(this.#db, 'request_ids', { nowMs, keptFromMs: idsFromMs, spanMs: dayMs });
      return;
    }
    while ((await this.#delete('request_ids', firstIdAt(idsFromMs), limits.requestLogSearchRows)) > 0);
    await shrinkFile(this.#db);
  }

  /** Counts in parts, so that other queries don't wait for the whole. */
  async newestBehind(count: number): Promise<string | undefined> {
    let id: string | undefined;
    for (let counted = 0; counted <= count; ) {
      const some = Math.min(limits.requestLogSearchRows, count + 1 - counted);
      const last = id;
      const next = await this.#db
        .selectFrom('requests')
        .select('id')
        .$if(last !== undefined, (query) => query.where('id', '<', last ?? ''))
        .orderBy('id', 'desc')
        .offset(some - 1)
        .limit(1)
        .executeTakeFirst();
      if (next === undefined) return undefined;
      id = next.id;
      counted += some;
    }
    return id;
  }

  forget(upToId: string, most: number): Promise<number> {
    return this.#delete('requests', upToId, most);
  }

  async #delete(table: 'requests' | 'request_ids', upToId: string, most: number): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom(table)
      .where('id', 'in', (the) =>
        the
          .selectFrom(table)
          .select('id')
          .where('id', '<=', upToId)
          .$if(table === 'requests', (query) => query.where(isNotHeld('account_id')))
          .orderBy('id')
          .limit(most),
      )
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  acquireCleanupLease(holder: string, nowMs: number, untilMs: number): Promise<boolean> {
    return acquireLease(this.#db, cleanerLease, { holder, nowMs, untilMs });
  }
}
