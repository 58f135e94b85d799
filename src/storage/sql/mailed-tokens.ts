import type { Kysely, Transaction } from 'kysely';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import type {
  MailboxProof,
  MailedToken,
  MailedTokens,
  TokenPurpose,
  VerificationContext,
} from '../../kernel/ports/sessions.ts';
import { sessionsOf, setPassword, updatePerson, userRowId } from './identities.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { ownAccounts, revokeUnverifiedAccess } from './unverified-access.ts';

export class SqlMailedTokens implements MailedTokens {
  readonly #db: Kysely<Tables>;

  /** False for SQLite, which has a single writer and no row locks. */
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async add(token: MailedToken, bounds: { readonly nowMs: number; readonly most: number }): Promise<void> {
    const { hash, identityId, purpose, expiresAtMs } = token;
    await this.#db.transaction().execute(async (trx) => {
      await trx.deleteFrom('mailed_tokens').where('expires_at_ms', '<=', bounds.nowMs).execute();
      const newest = trx
        .selectFrom('mailed_tokens')
        .select('hash')
        .where('account_id', '=', identityId)
        .where('purpose', '=', purpose)
        .orderBy('expires_at_ms', 'desc')
        .limit(bounds.most - 1);
      await trx
        .deleteFrom('mailed_tokens')
        .where('account_id', '=', identityId)
        .where('purpose', '=', purpose)
        .where('hash', 'not in', newest)
        .execute();
      await trx
        .insertInto('mailed_tokens')
        .values({ hash, account_id: identityId, purpose, expires_at_ms: expiresAtMs })
        .execute();
    });
  }

  async has(hash: string, purpose: TokenPurpose, nowMs: number): Promise<boolean> {
    const row = await this.#db
      .selectFrom('mailed_tokens')
      .select('hash')
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    return row !== undefined;
  }

  verify(
    hash: string,
    { nowMs, sessionId, passwordHash }: VerificationContext,
  ): Promise<MailboxProof | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const consumedToken = await consumeToken(trx, { hash, purpose: 'verify', nowMs });
      if (consumedToken === undefined) return undefined;
      const { identityId, isFirstVerification } = consumedToken;
      const session = isFirstVerification ? await findSession(trx, identityId, sessionId) : undefined;
      const isTakeover = isFirstVerification && session === undefined;
      const set = { verified_at_ms: nowMs, ...(isTakeover && { password_hash: passwordHash }) };
      await updatePerson(trx, identityId, set).execute();
      const accountIds = await ownAccounts(trx, identityId);
      if (isFirstVerification)
        await revokeUnverifiedAccess(trx, {
          ...{ identityId, accountIds, nowMs, keptSession: session, locksRows: this.#locksRows },
        });
      return { accountIds, isTakeover };
    });
  }

  reset(hash: string, passwordHash: string, nowMs: number): Promise<MailboxProof | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const consumedToken = await consumeToken(trx, { hash, purpose: 'reset', nowMs });
      if (consumedToken === undefined) return undefined;
      const { identityId, isFirstVerification } = consumedToken;
      if (!(await setPassword(trx, { identityId, passwordHash }))) return undefined;
      const accountIds = await ownAccounts(trx, identityId);
      if (isFirstVerification) {
        // The person could read the mail, which verifies the address.
        await updatePerson(trx, identityId, { verified_at_ms: nowMs }).execute();
        await revokeUnverifiedAccess(trx, { identityId, accountIds, nowMs, locksRows: this.#locksRows });
      }
      return { accountIds, isTakeover: isFirstVerification };
    });
  }
}

async function findSession(
  trx: Transaction<Tables>,
  identityId: IdentityId,
  sessionId: string | undefined,
): Promise<string | undefined> {
  if (sessionId === undefined) return undefined;
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where(sessionsOf(identityId))
    .executeTakeFirst();
  return row?.id;
}

interface TokenUse {
  readonly hash: string;
  readonly purpose: TokenPurpose;
  readonly nowMs: number;
}

interface ConsumedToken {
  readonly identityId: IdentityId;
  /** Whether this verified the address for the first time. */
  readonly isFirstVerification: boolean;
}

/**
 * If two requests use one token at the same time, the second waits here and finds none. The person's row is always locked
 * before those of tokens, so that transactions can't deadlock.
 */
async function consumeToken(
  trx: Transaction<Tables>,
  { hash, purpose, nowMs }: TokenUse,
): Promise<ConsumedToken | undefined> {
  const found = await trx
    .selectFrom('mailed_tokens')
    .select('account_id as identityId')
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const person = await trx
    .updateTable('users')
    .set((the) => ({ verified_at_ms: the.ref('verified_at_ms') }))
    .where('id', '=', userRowId(found.identityId))
    .returning('verified_at_ms')
    .executeTakeFirst();
  const token = await trx
    .deleteFrom('mailed_tokens')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at_ms', '>', nowMs)
    .returning('hash')
    .executeTakeFirst();
  if (person === undefined || token === undefined) return undefined;
  return { identityId: found.identityId, isFirstVerification: person.verified_at_ms === null };
}
