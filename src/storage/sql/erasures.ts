import { type Kysely, sql } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { DeletedAccount, Erasure, Erasures } from '../../kernel/ports/sessions.ts';
import { chunks } from './chunks.ts';
import { isOfAccount, isTimeFirst } from './request-sum-columns.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/**
 * Tables with rows of accounts, each with a column to delete them in batches by. The credit ledger, its payments and
 * balances stay as the operator's bookkeeping, and so do receipts, without the account's name.
 */
const erasedTables = [
  ['further_provider_keys', 'id'],
  ['provider_keys', 'provider'],
  ['configurations', 'name'],
  ['prompt_labels', 'label'],
  ['prompt_versions', 'id'],
  ['requests', 'id'],
  ['request_kinds', 'kind'],
  ['request_sums', 'at_ms'],
  ['request_past_sums', 'kind'],
  ['request_past_models', 'at_ms'],
  ['request_past_times', 'at_ms'],
  ['request_past_model_times', 'at_ms'],
  ['request_day_sums', 'kind'],
  ['request_day_models', 'at_ms'],
  ['request_day_times', 'at_ms'],
  ['request_day_model_times', 'at_ms'],
  ['request_times', 'at_ms'],
  ['request_steps', 'at_ms'],
  ['request_step_times', 'at_ms'],
  ['conversations', 'conversation'],
  ['end_user_days', 'end_user'],
  ['log_retentions', 'account_id'],
  ['data_retentions', 'kind'],
  ['legal_holds', 'side'],
  ['key_states', 'key_id'],
  // Their rows follow as orphans.
  ['imports', 'id'],
  ['usage_days', 'day'],
  ['usage_model_days', 'day'],
  ['usage_periods', 'period_start_ms'],
  ['module_days', 'day'],
  ['tag_days', 'day'],
  ['budgets', 'id'],
  ['budget_hours', 'hour_ms'],
  ['reservations', 'process_id'],
  ['receipt_owners', 'receipt_id'],
  ['anon_claims', 'session_id'],
  ['billing_accounts', 'account_id'],
  ['sessions', 'id'],
  ['member_invitations', 'id'],
  ['project_members', 'member_id'],
  ['service_account_tokens', 'id'],
  ['service_accounts', 'id'],
  ['projects', 'id'],
  ['sign_ons', 'account_id'],
  ['sign_on_domains', 'domain'],
  ['sign_on_subjects', 'subject'],
  ['token_issuers', 'id'],
  ['scim_tokens', 'id'],
  ['scim_group_members', 'user_id'],
  ['scim_groups', 'id'],
  ['scim_users', 'id'],
  ['mcp_grants', 'server'],
  ['mcp_clients', 'issuer'],
  ['mcp_key_people', 'key_id'],
  ['mailed_tokens', 'hash'],
] as const;

export class SqlErasures implements Erasures {
  readonly #db: Kysely<Tables>;

  readonly #hasWalFile: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#hasWalFile = sqlDialect.name === 'sqlite';
  }

  /** The WAL file contains old pages until it is truncated. */
  async purgeDeleted(): Promise<void> {
    if (this.#hasWalFile) await sql`pragma wal_checkpoint(truncate)`.execute(this.#db);
  }

  async take({
    nowMs,
    untilMs,
    most,
  }: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly Erasure[]> {
    const due = await this.#db
      .selectFrom('erasures')
      .select(['account_id as accountId', 'next_at_ms'])
      .where('next_at_ms', '<=', nowMs)
      .orderBy('next_at_ms')
      .limit(most)
      .execute();
    const taken: Erasure[] = [];
    for (const { accountId, next_at_ms } of due) {
      const mine = await this.#db
        .updateTable('erasures')
        .set({ next_at_ms: untilMs })
        .where('account_id', '=', accountId)
        .where('next_at_ms', '=', next_at_ms)
        .returning(['account_id as accountId', 'pass'])
        .executeTakeFirst();
      if (mine !== undefined) taken.push(mine);
    }
    return taken;
  }

  async scheduleNextPass(accountId: string, pass: number, atMs: number): Promise<void> {
    await this.#db
      .updateTable('erasures')
      .set({ pass, next_at_ms: atMs })
      .where('account_id', '=', accountId)
      .execute();
  }

  async complete(accountId: string): Promise<void> {
    await this.#db.deleteFrom('erasures').where('account_id', '=', accountId).execute();
  }

  async deleteRows(accountId: string): Promise<void> {
    for (const [table, column] of erasedTables) while (await this.#deleteSome(accountId, table, column));
    // An open recharge has a charge in progress, which must end before the row is deleted.
    await this.#db
      .deleteFrom('recharges')
      .where('account_id', '=', accountId)
      .where('state', '<>', 'open')
      .execute();
  }

  deletions(): Promise<readonly DeletedAccount[]> {
    return this.#db
      .selectFrom('deleted_accounts')
      .select(['account_id as accountId', 'deleted_at_ms as deletedAtMs'])
      .orderBy('deleted_at_ms')
      .orderBy('account_id')
      .execute();
  }

  async recordDeletions(deletions: readonly DeletedAccount[]): Promise<void> {
    for (const some of chunks(deletions, limits.databaseRowsAtOnce)) await recordDeletions(this.#db, some);
  }

  async #deleteSome(
    accountId: string,
    table: (typeof erasedTables)[number][0],
    column: string,
  ): Promise<boolean> {
    const [rows, name] = [sql.table(table), sql.ref(column)];
    const ofAccount = isTimeFirst(table) ? isOfAccount(table, accountId) : sql`account_id = ${accountId}`;
    const some = sql`select ${name} from ${rows} where ${ofAccount} limit ${limits.databaseRowsAtOnce}`;
    const { numAffectedRows = 0n } = await sql`delete from ${rows}
      where account_id = ${accountId} and ${name} in (${some})`.execute(this.#db);
    return numAffectedRows > 0n;
  }
}

export async function recordDeletions(
  db: Kysely<Tables>,
  deletions: readonly DeletedAccount[],
): Promise<void> {
  await db
    .insertInto('deleted_accounts')
    .values(
      deletions.map(({ accountId, deletedAtMs }) => ({ account_id: accountId, deleted_at_ms: deletedAtMs })),
    )
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}
