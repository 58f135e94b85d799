import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { LogRetention, LogRetentions } from '../../kernel/ports/log-retentions.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import type { Tables } from './tables.ts';

const dayMs = 86_400_000;

export class SqlLogRetentions implements LogRetentions {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async find(accountId: string): Promise<number | undefined> {
    const row = await this.#db
      .selectFrom('log_retentions')
      .select('days')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row?.days;
  }

  async put({ accountId, days }: LogRetention): Promise<void> {
    await this.#db
      .insertInto('log_retentions')
      .values({ account_id: accountId, days })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ days }))
      .execute();
  }

  async delete(accountId: string): Promise<void> {
    await this.#db.deleteFrom('log_retentions').where('account_id', '=', accountId).execute();
  }

  page(after: string, limit: number): Promise<readonly LogRetention[]> {
    return this.#db
      .selectFrom('log_retentions')
      .select(['account_id as accountId', 'days'])
      .where('account_id', '>', after)
      .orderBy('account_id')
      .limit(limit)
      .execute();
  }

  forgetCalls(accountId: string, beforeMs: number, most: number): Promise<number> {
    return this.#delete(
      'requests',
      ['id'],
      sql`account_id = ${accountId} and id < ${firstIdAt(beforeMs)} order by id`,
      most,
    );
  }

  async forgetRest(accountId: string, beforeMs: number): Promise<void> {
    const ofAccount = sql`account_id = ${accountId}`;
    const beforeDay = Math.floor(beforeMs / dayMs) * dayMs;
    await this.#deleteAll('recordings', ['id'], sql`${ofAccount} and id < ${firstIdAt(beforeMs)}`);
    await this.#deleteAll(
      'conversations',
      ['account_id', 'conversation'],
      sql`${ofAccount} and last_hour_ms < ${beforeMs} and last_ms < ${beforeMs}`,
    );
    await this.#deleteAll(
      'end_user_days',
      ['account_id', 'end_user', 'at_ms'],
      sql`${ofAccount} and at_ms < ${beforeDay}`,
    );
  }

  async #deleteAll(...[table, key, condition]: DeleteArguments): Promise<void> {
    const most = limits.requestLogSearchRows;
    while ((await this.#delete(table, key, condition, most)) === most);
  }

  async #delete(...[table, key, condition, most]: [...DeleteArguments, most: number]): Promise<number> {
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const rows = sql.table(table);
    const { numAffectedRows = 0n } = await sql`delete from ${rows}
      where (${columns}) in (select ${columns} from ${rows} where ${condition} limit ${most})`.execute(
      this.#db,
    );
    return Number(numAffectedRows);
  }
}

type DeleteArguments = [
  table: 'requests' | 'recordings' | 'conversations' | 'end_user_days',
  key: readonly string[],
  condition: RawBuilder<unknown>,
];
