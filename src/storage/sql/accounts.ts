import { type Kysely, sql, type Transaction } from 'kysely';
import type { AccountErasure, AccountOwner, Accounts, IdentityId } from '../../kernel/ports/identities.ts';
import type { Account, Period, TierId } from '../../kernel/ports/records.ts';
import { recordDeletions } from './erasures.ts';
import { deleteLoginFactors, deleteMcpRows, endSessionsAndResetLinks, userRowId } from './identities.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlAccounts implements Accounts {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async byId(accountId: string): Promise<Account | undefined> {
    const row = await this.#db
      .selectFrom('users')
      .select(accountColumns)
      .where('id', '=', accountId)
      .executeTakeFirst();
    return row && toAccount(row);
  }

  erase(owner: AccountOwner, atMs: number): Promise<AccountErasure> {
    const { accountId, identityId, passwordHash } = owner;
    const isOwnAccount = userRowId(identityId) === accountId;
    return this.#db.transaction().execute(async (trx) => {
      // Accounts' rows before the person's, as everywhere.
      const others = isOwnAccount ? await ownedAccounts(trx, identityId) : [];
      await lockAccounts(trx, this.#locksRows, [accountId, ...others]);
      const member = await trx
        .selectFrom('identities')
        .innerJoin('memberships', 'memberships.identity_id', 'identities.id')
        .select('identities.id')
        .where('identities.id', '=', identityId)
        .where('password_hash', 'is not distinct from', passwordHash ?? null)
        .where('memberships.account_id', '=', accountId)
        .where('role', '=', 'owner')
        .$if(this.#locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (member === undefined) return 'changed';
      if (!owner.isRepeated && (await isHeld(trx, accountId))) return 'held';
      if (isOwnAccount) {
        if (!owner.isRepeated && (await isNeeded(trx, identityId))) return 'last_owner';
        await trx.deleteFrom('project_members').where('member_id', '=', accountId).execute();
        await trx.deleteFrom('memberships').where('identity_id', '=', identityId).execute();
        await trx.deleteFrom('sign_on_subjects').where('identity_id', '=', identityId).execute();
        await forgetScimPerson(trx, identityId);
        await endSessionsAndResetLinks(trx, identityId);
        await deleteLoginFactors(trx, identityId);
        await deleteMcpRows(trx, identityId);
      }
      await trx.deleteFrom('mcp_grants').where('account_id', '=', accountId).execute();
      await trx.insertInto('erasures').values({ account_id: accountId, pass: 0, next_at_ms: atMs }).execute();
      await recordDeletions(trx, [{ accountId, deletedAtMs: atMs }]);
      await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('member_invitations').where('account_id', '=', accountId).execute();
      // Another organization can have its domains at once.
      await trx.deleteFrom('sign_ons').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('sign_on_domains').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('token_issuers').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('scim_tokens').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('service_account_tokens').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('api_keys').where('account_id', '=', accountId).execute();
      // A trigger deletes the memberships, and the person with the account's id.
      await trx.deleteFrom('users').where('id', '=', accountId).execute();
      return 'erased';
    });
  }
}

async function isHeld(trx: Transaction<Tables>, accountId: string): Promise<boolean> {
  const hold = await trx
    .selectFrom('legal_holds')
    .select('side')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return hold !== undefined;
}

/** The identity provider still knows the person, who may come back as another. */
async function forgetScimPerson(trx: Transaction<Tables>, identityId: IdentityId): Promise<void> {
  await trx
    .updateTable('scim_users')
    .set({ identity_id: null, suspended: null })
    .where('identity_id', '=', identityId)
    .execute();
}

/** Locks the rows of accounts in the order of their ids, so that two transactions don't wait for each other. */
export async function lockAccounts(
  trx: Transaction<Tables>,
  locksRows: boolean,
  accountIds: readonly string[],
): Promise<void> {
  if (!locksRows) return;
  await trx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', accountIds)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Locks the row of an account, which serializes with other changes of it. SQLite has a single writer and no row locks. */
export async function lockAccount(
  trx: Transaction<Tables>,
  locksRows: boolean,
  accountId: string,
): Promise<void> {
  if (!locksRows) return;
  await trx.selectFrom('users').select('id').where('id', '=', accountId).forUpdate().execute();
}

/** Whether an account has no other owner: one beside their own, or their own with other members. */
async function isNeeded(trx: Transaction<Tables>, identityId: IdentityId): Promise<boolean> {
  const ofAccount = (others: 'owners' | 'members') =>
    sql<boolean>`exists (select 1 from memberships as others where others.account_id = memberships.account_id
      and others.identity_id <> ${identityId} ${others === 'owners' ? sql`and others.role = 'owner'` : sql``})`;
  const needing = await trx
    .selectFrom('memberships')
    .select('account_id')
    .where('identity_id', '=', identityId)
    .where('role', '=', 'owner')
    .where(sql<boolean>`not ${ofAccount('owners')}`)
    .where((the) => the.or([the('account_id', '<>', userRowId(identityId)), ofAccount('members')]))
    .executeTakeFirst();
  return needing !== undefined;
}

export async function ownedAccounts(
  trx: Transaction<Tables>,
  identityId: IdentityId,
): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('memberships')
    .select('account_id')
    .where('identity_id', '=', identityId)
    .where('role', '=', 'owner')
    .orderBy('account_id')
    .execute();
  return rows.map(({ account_id }) => account_id);
}

export const accountColumns = [
  'users.id as user_id',
  'users.tier',
  'users.period_start_ms',
  'users.period_end_ms',
  'users.tier_ends_ms',
  'users.overage',
  'users.name as account_name',
  'users.deletes_at_ms',
] as const;

interface AccountRow {
  readonly user_id: string;
  readonly tier: string;
  readonly period_start_ms: number | null;
  readonly period_end_ms: number | null;
  readonly tier_ends_ms: number | null;
  readonly overage: number;
  readonly account_name: string | null;
  readonly deletes_at_ms: number | null;
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.user_id,
    tier: tierOf(row.tier),
    period: periodOf(row.period_start_ms, row.period_end_ms),
    ...(row.tier_ends_ms !== null && { tierEndsMs: row.tier_ends_ms }),
    ...(row.overage === 1 && { overage: true }),
    ...(row.account_name !== null && { name: row.account_name }),
    ...(row.deletes_at_ms !== null && { deletesAtMs: row.deletes_at_ms }),
  };
}

const tiers: readonly string[] = ['free', 'pro', 'team'] satisfies readonly TierId[];

function tierOf(name: string): TierId {
  if (!isTier(name))
    throw new Error(
      `the database has an account of tier "${name}", which this version of Weir does not know`,
    );
  return name;
}

function isTier(name: string): name is TierId {
  return tiers.includes(name);
}

function periodOf(startMs: number | null, endMs: number | null): Period | undefined {
  return startMs === null || endMs === null ? undefined : { startMs, endMs };
}
