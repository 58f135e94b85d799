import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type {
  Identities,
  Identity,
  IdentityId,
  Member,
  PasswordChange,
} from '../../kernel/ports/identities.ts';
import type { Tables } from './tables.ts';

/**
 * People are read from `identities`. They are written to `users`, whose triggers copy them, because the previous release
 * reads them there.
 */
export class SqlIdentities implements Identities {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  add(owner: Pick<Member, 'identity' | 'account'>): Promise<boolean> {
    return insertPerson(this.#db, owner);
  }

  async byEmail(email: string): Promise<Identity | undefined> {
    const row = await this.#db
      .selectFrom('identities')
      .select(identityColumns)
      .where('email_folded', '=', foldEmail(email))
      .executeTakeFirst();
    return row && toIdentity(row);
  }

  changePassword({ identityId, before, after, currentSession }: PasswordChange): Promise<boolean> {
    return this.#db
      .transaction()
      .execute((trx) =>
        setPassword(trx, { identityId, before, passwordHash: after, keptSession: currentSession }),
      );
  }

  async setDisabled(id: IdentityId, atMs: number | null): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await updatePerson(trx, id, { disabled_at_ms: atMs }).execute();
      if (atMs !== null) await endSessionsAndResetLinks(trx, id);
    });
  }
}

/** False if the address is taken. */
export async function insertPerson(
  db: Kysely<Tables>,
  { identity, account }: Pick<Member, 'identity' | 'account'>,
): Promise<boolean> {
  if (userRowId(identity.id) !== account.id)
    throw new Error('a person and their own account must have the same id');
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values({
      id: account.id,
      email: identity.email,
      email_folded: foldEmail(identity.email),
      password_hash: identity.passwordHash ?? '',
      tier: account.tier,
      period_start_ms: account.period?.startMs ?? null,
      period_end_ms: account.period?.endMs ?? null,
      created_at_ms: identity.createdAtMs,
      tier_ends_ms: account.tierEndsMs ?? null,
      overage: Number(account.overage ?? false),
      verified_at_ms: identity.verifiedAtMs ?? null,
      disabled_at_ms: identity.disabledAtMs ?? null,
    })
    .onConflict((conflict) => conflict.column('email_folded').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

type PersonColumns = Partial<Pick<Tables['users'], 'password_hash' | 'verified_at_ms' | 'disabled_at_ms'>>;

/** Locks the row first, so that it serializes with logins and other changes of the person. */
export function updatePerson(trx: Transaction<Tables>, id: IdentityId, set: PersonColumns) {
  return trx.updateTable('users').set(set).where('id', '=', userRowId(id));
}

/** The row of `users` with a person's columns. */
export function userRowId(id: IdentityId): string {
  return String(id);
}

interface PasswordUpdate {
  readonly identityId: IdentityId;
  readonly passwordHash: string;
  /** The expected current hash; any if undefined. */
  readonly before?: string;
  readonly keptSession?: string;
}

export async function setPassword(
  trx: Transaction<Tables>,
  { identityId, passwordHash, before, keptSession }: PasswordUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await updatePerson(trx, identityId, { password_hash: passwordHash })
    .where('disabled_at_ms', 'is', null)
    .$if(before !== undefined, (query) => query.where('password_hash', '=', before ?? ''))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await endSessionsAndResetLinks(trx, identityId, keptSession);
  return true;
}

/** Deletes sessions, logins in progress, and mailed links that would give access. */
export async function endSessionsAndResetLinks(
  trx: Transaction<Tables>,
  identityId: IdentityId,
  keptSession = '',
): Promise<void> {
  await trx.deleteFrom('sessions').where(sessionsOf(identityId)).where('id', '<>', keptSession).execute();
  await trx
    .deleteFrom('mailed_tokens')
    .where('account_id', '=', identityId)
    .where('purpose', '=', 'reset')
    .execute();
  await trx.deleteFrom('login_challenges').where('identity_id', '=', identityId).execute();
}

/** For a person who is deleted, or whose address somebody else has proven to own. */
export async function deleteLoginFactors(trx: Transaction<Tables>, identityId: IdentityId): Promise<void> {
  for (const table of ['passkeys', 'second_factors', 'recovery_codes', 'login_challenges'] as const)
    await sql`delete from ${sql.table(table)} where identity_id = ${identityId}`.execute(trx);
}

/** The authorizations of a person at MCP servers, and for which keys they count, in one account or in all. */
export async function deleteMcpRows(
  trx: Transaction<Tables>,
  identityId: IdentityId,
  accountId?: string,
): Promise<void> {
  const inAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  for (const table of ['mcp_grants', 'mcp_key_people'] as const)
    await sql`delete from ${sql.table(table)} where person_id = ${identityId} ${inAccount}`.execute(trx);
}

/** A condition on `sessions`. Earlier builds store no person, who then has the id of the account. */
export function sessionsOf(identityId: IdentityId): RawBuilder<boolean> {
  return sql`(identity_id = ${identityId} or (identity_id is null and account_id = ${identityId}))`;
}

export const identityColumns = [
  'identities.id as identity_id',
  'identities.email',
  'identities.password_hash',
  'identities.created_at_ms',
  'identities.verified_at_ms',
  'identities.disabled_at_ms',
] as const;

type IdentityRow = Omit<Tables['identities'], 'id' | 'email_folded'> & { readonly identity_id: IdentityId };

export function toIdentity(row: IdentityRow): Identity {
  return {
    id: row.identity_id,
    email: row.email,
    ...(row.password_hash !== null && { passwordHash: row.password_hash }),
    createdAtMs: row.created_at_ms,
    ...(row.verified_at_ms !== null && { verifiedAtMs: row.verified_at_ms }),
    ...(row.disabled_at_ms !== null && { disabledAtMs: row.disabled_at_ms }),
  };
}

/** The same for every capitalization of an address. */
export function foldEmail(email: string): string {
  return email.toLowerCase();
}
