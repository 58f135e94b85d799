import type { Kysely, Transaction } from 'kysely';
import type { Account, PasswordChange, Period, TierId, User, Users } from '../../kernel/ports/records.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlUsers implements Users {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async add(user: User): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('users')
      .values({
        id: user.id,
        email: user.email,
        email_folded: foldEmail(user.email),
        password_hash: user.passwordHash,
        tier: user.tier,
        period_start_ms: user.period?.startMs ?? null,
        period_end_ms: user.period?.endMs ?? null,
        created_at_ms: user.createdAtMs,
        tier_ends_ms: user.tierEndsMs ?? null,
        overage: Number(user.overage ?? false),
        verified_at_ms: user.verifiedAtMs ?? null,
        disabled_at_ms: user.disabledAtMs ?? null,
      })
      .onConflict((conflict) => conflict.column('email_folded').doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  byEmail(email: string): Promise<User | undefined> {
    return this.#find('email_folded', foldEmail(email));
  }

  byId(id: string): Promise<User | undefined> {
    return this.#find('id', id);
  }

  async page(afterEmail: string, limit: number): Promise<readonly User[]> {
    const rows = await this.#db
      .selectFrom('users')
      .select(userColumns)
      .where('email_folded', '>', foldEmail(afterEmail))
      .orderBy('email_folded')
      .limit(limit)
      .execute();
    return rows.map(toUser);
  }

  changePassword({ accountId, before, after, currentSession }: PasswordChange): Promise<boolean> {
    return this.#db
      .transaction()
      .execute((trx) =>
        setPassword(trx, { accountId, before, passwordHash: after, keptSession: currentSession }),
      );
  }

  async setDisabled(accountId: string, atMs: number | null): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ disabled_at_ms: atMs }).where('id', '=', accountId).execute();
      if (atMs !== null) await endSessionsAndResetLinks(trx, accountId);
    });
  }

  erase(accountId: string, passwordHash: string, atMs: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const user = await trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', accountId)
        .where('password_hash', '=', passwordHash)
        .$if(this.#locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (user === undefined) return false;
      await trx.insertInto('erasures').values({ account_id: accountId, pass: 0, next_at_ms: atMs }).execute();
      await endSessionsAndResetLinks(trx, accountId);
      await trx.deleteFrom('api_keys').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('users').where('id', '=', accountId).execute();
      return true;
    });
  }

  async #find(column: 'id' | 'email_folded', value: string): Promise<User | undefined> {
    const row = await this.#db
      .selectFrom('users')
      .select(userColumns)
      .where(column, '=', value)
      .executeTakeFirst();
    return row && toUser(row);
  }
}

interface PasswordUpdate {
  readonly accountId: string;
  readonly passwordHash: string;
  /** The expected current hash; any if undefined. */
  readonly before?: string;
  readonly keptSession?: string;
}

/** Locks the user's row first, to serialize with concurrent logins. */
export async function setPassword(
  trx: Transaction<Tables>,
  { accountId, passwordHash, before, keptSession }: PasswordUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', accountId)
    .where('disabled_at_ms', 'is', null)
    .$if(before !== undefined, (query) => query.where('password_hash', '=', before ?? ''))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await endSessionsAndResetLinks(trx, accountId, keptSession);
  return true;
}

/** Deletes sessions, and mailed links that would give access. */
export async function endSessionsAndResetLinks(
  trx: Transaction<Tables>,
  accountId: string,
  keptSession = '',
): Promise<void> {
  await trx
    .deleteFrom('sessions')
    .where('account_id', '=', accountId)
    .where('id', '<>', keptSession)
    .execute();
  await trx
    .deleteFrom('mailed_tokens')
    .where('account_id', '=', accountId)
    .where('purpose', '=', 'reset')
    .execute();
}

export const accountColumns = [
  'users.id as user_id',
  'users.tier',
  'users.period_start_ms',
  'users.period_end_ms',
  'users.tier_ends_ms',
  'users.overage',
] as const;

const userColumns = [
  ...accountColumns,
  'email',
  'password_hash',
  'created_at_ms',
  'verified_at_ms',
  'disabled_at_ms',
] as const;

interface UserAccountRow {
  readonly user_id: string;
  readonly tier: string;
  readonly period_start_ms: number | null;
  readonly period_end_ms: number | null;
  readonly tier_ends_ms: number | null;
  readonly overage: number;
}

export function toAccount(row: UserAccountRow): Account {
  return {
    id: row.user_id,
    tier: tierOf(row.tier),
    period: periodOf(row.period_start_ms, row.period_end_ms),
    ...(row.tier_ends_ms !== null && { tierEndsMs: row.tier_ends_ms }),
    ...(row.overage === 1 && { overage: true }),
  };
}

type UserRow = UserAccountRow &
  Pick<Tables['users'], 'email' | 'password_hash' | 'created_at_ms' | 'verified_at_ms' | 'disabled_at_ms'>;

function toUser(row: UserRow): User {
  return {
    ...toAccount(row),
    email: row.email,
    passwordHash: row.password_hash,
    createdAtMs: row.created_at_ms,
    ...(row.verified_at_ms !== null && { verifiedAtMs: row.verified_at_ms }),
    ...(row.disabled_at_ms !== null && { disabledAtMs: row.disabled_at_ms }),
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

/** The same for every capitalization of an address. */
function foldEmail(email: string): string {
  return email.toLowerCase();
}
