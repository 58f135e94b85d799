import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  AccountRetention,
  LogRetention,
  LogRetentions,
  TierRetentions,
} from '../../kernel/ports/log-retentions.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import { isNotHeld } from './legal-holds.ts';
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

  async of(accountId: string, tiers: TierRetentions, nowMs: number): Promise<AccountRetention | undefined> {
    const row = await this.#withTiers(nowMs).where('users.id', '=', accountId).executeTakeFirst();
    return row && describe(row, tiers);
  }

  async pageOf(
    tiers: TierRetentions,
    { nowMs, after, limit }: { readonly nowMs: number; readonly after: string; readonly limit: number },
  ): Promise<readonly AccountRetention[]> {
    const rows = await this.#withTiers(nowMs)
      .where('users.id', '>', after)
      .where((the) =>
        the.or([
          the('log_retentions.days', 'is not', null),
          ...[...tiers.keys()].map((tier) => the(tierAt(nowMs), '=', tier)),
        ]),
      )
      .orderBy('users.id')
      .limit(limit)
      .execute();
    return rows.map((row) => describe(row, tiers));
  }

  #withTiers(nowMs: number) {
    return this.#db
      .selectFrom('users')
      .leftJoin('log_retentions', 'log_retentions.account_id', 'users.id')
      .select(['users.id as accountId', 'log_retentions.days as ownDays', tierAt(nowMs).as('tier')]);
  }

  forgetCalls(accountId: string, beforeMs: number, most: number): Promise<number> {
    return this.#delete(
      'requests',
      ['id'],
      sql`account_id = ${accountId} and id < ${firstIdAt(beforeMs)} order by id`,
      most,
    );
  }

  forgetRecordings(accountId: string, beforeMs: number): Promise<void> {
    const before = sql`account_id = ${accountId} and id < ${firstIdAt(beforeMs)}`;
    return this.#deleteAll('recordings', ['id'], before);
  }

  async forgetRest(accountId: string, beforeMs: number): Promise<void> {
    const ofAccount = sql`account_id = ${accountId}`;
    const beforeDay = Math.floor(beforeMs / dayMs) * dayMs;
    await this.forgetRecordings(accountId, beforeMs);
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
      where (${columns}) in (select ${columns} from ${rows}
        where ${isNotHeld('account_id')} and ${condition} limit ${most})`.execute(this.#db);
    return Number(numAffectedRows);
  }
}

/** As the tier of an account counts for its calls. */
function tierAt(nowMs: number) {
  return sql<string>`case when users.tier_ends_ms <= ${nowMs} then 'free' else users.tier end`;
}

function describe(
  row: { readonly accountId: string; readonly ownDays: number | null; readonly tier: string },
  tiers: TierRetentions,
): AccountRetention {
  const { accountId, ownDays, tier } = row;
  return { accountId, ownDays: ownDays ?? undefined, ofTier: tiers.get(tier) ?? {} };
}

type DeleteArguments = [
  table: 'requests' | 'recordings' | 'conversations' | 'end_user_days',
  key: readonly string[],
  condition: RawBuilder<unknown>,
];
