import type { Kysely } from 'kysely';
import type { Account, Period, TierId, User, Users } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

export class SqlUsers implements Users {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(user: User): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('users')
      .values({
        id: user.id,
        email: user.email,
        email_folded: folded(user.email),
        password_hash: user.passwordHash,
        tier: user.tier,
        period_start_ms: user.period?.startMs ?? null,
        period_end_ms: user.period?.endMs ?? null,
        created_at_ms: user.createdAtMs,
        tier_ends_ms: user.tierEndsMs ?? null,
        overage: Number(user.overage ?? false),
      })
      .onConflict((conflict) => conflict.column('email_folded').doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  byEmail(email: string): Promise<User | undefined> {
    return this.#find('email_folded', folded(email));
  }

  byId(id: string): Promise<User | undefined> {
    return this.#find('id', id);
  }

  async #find(column: 'id' | 'email_folded', value: string): Promise<User | undefined> {
    const row = await this.#db
      .selectFrom('users')
      .select([...accountColumns, 'email', 'password_hash', 'created_at_ms'])
      .where(column, '=', value)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { email, password_hash: passwordHash, created_at_ms: createdAtMs } = row;
    return { ...toAccount(row), email, passwordHash, createdAtMs };
  }
}

export const accountColumns = [
  'users.id as user_id',
  'users.tier',
  'users.period_start_ms',
  'users.period_end_ms',
  'users.tier_ends_ms',
  'users.overage',
] as const;

interface AccountRow {
  readonly user_id: string;
  readonly tier: string;
  readonly period_start_ms: number | null;
  readonly period_end_ms: number | null;
  readonly tier_ends_ms: number | null;
  readonly overage: number;
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.user_id,
    tier: tierOf(row.tier),
    period: periodOf(row.period_start_ms, row.period_end_ms),
    ...(row.tier_ends_ms !== null && { tierEndsMs: row.tier_ends_ms }),
    ...(row.overage === 1 && { overage: true }),
  };
}

const tiers: readonly string[] = ['free', 'pro', 'team'] satisfies readonly TierId[];

function tierOf(name: string): TierId {
  if (!isTier(name))
    throw new Error(`the database has an account of tier "${name}", which this Weir doesn't know`);
  return name;
}

function isTier(name: string): name is TierId {
  return tiers.includes(name);
}

function periodOf(startMs: number | null, endMs: number | null): Period | undefined {
  return startMs === null || endMs === null ? undefined : { startMs, endMs };
}

/** The same for every way of writing one address in capitals and small letters. */
function folded(email: string): string {
  return email.toLowerCase();
}
