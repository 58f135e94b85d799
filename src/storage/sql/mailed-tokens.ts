import type { Kysely, Transaction } from 'kysely';
import type {
  MailboxProof,
  MailedToken,
  MailedTokens,
  TokenPurpose,
  VerificationContext,
} from '../../kernel/ports/sessions.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { endSessionsAndResetLinks, setPassword } from './users.ts';

export class SqlMailedTokens implements MailedTokens {
  readonly #db: Kysely<Tables>;

  /** False for SQLite, which has a single writer and no row locks. */
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async add(token: MailedToken, bounds: { readonly nowMs: number; readonly most: number }): Promise<void> {
    const { hash, accountId, purpose, expiresAtMs } = token;
    await this.#db.transaction().execute(async (trx) => {
      await trx.deleteFrom('mailed_tokens').where('expires_at_ms', '<=', bounds.nowMs).execute();
      const newest = trx
        .selectFrom('mailed_tokens')
        .select('hash')
        .where('account_id', '=', accountId)
        .where('purpose', '=', purpose)
        .orderBy('expires_at_ms', 'desc')
        .limit(bounds.most - 1);
      await trx
        .deleteFrom('mailed_tokens')
        .where('account_id', '=', accountId)
        .where('purpose', '=', purpose)
        .where('hash', 'not in', newest)
        .execute();
      await trx
        .insertInto('mailed_tokens')
        .values({ hash, account_id: accountId, purpose, expires_at_ms: expiresAtMs })
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
      const { accountId, isFirstVerification } = consumedToken;
      const session = isFirstVerification ? await findSession(trx, accountId, sessionId) : undefined;
      const isTakeover = isFirstVerification && session === undefined;
      await trx
        .updateTable('users')
        .set({ verified_at_ms: nowMs, ...(isTakeover && { password_hash: passwordHash }) })
        .where('id', '=', accountId)
        .execute();
      if (isFirstVerification) await this.#revokeUnverifiedAccess(trx, accountId, nowMs, session);
      return { accountId, isTakeover };
    });
  }

  reset(hash: string, passwordHash: string, nowMs: number): Promise<MailboxProof | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const consumedToken = await consumeToken(trx, { hash, purpose: 'reset', nowMs });
      if (consumedToken === undefined) return undefined;
      const { accountId, isFirstVerification } = consumedToken;
      if (!(await setPassword(trx, { accountId, passwordHash }))) return undefined;
      if (isFirstVerification) {
        // The user could read the mail, which verifies the address.
        await trx.updateTable('users').set({ verified_at_ms: nowMs }).where('id', '=', accountId).execute();
        await this.#revokeUnverifiedAccess(trx, accountId, nowMs);
      }
      return { accountId, isTakeover: isFirstVerification };
    });
  }

  /**
   * Revokes everything created before the address was verified. Provider keys stay if the session that stored them stays.
   */
  async #revokeUnverifiedAccess(
    trx: Transaction<Tables>,
    accountId: string,
    nowMs: number,
    keptSession?: string,
  ): Promise<void> {
    await endSessionsAndResetLinks(trx, accountId, keptSession);
    await trx.deleteFrom('mailed_tokens').where('account_id', '=', accountId).execute();
    const inUse = trx
      .selectFrom('api_keys')
      .select('id')
      .where('account_id', '=', accountId)
      .where('revoked_at_ms', 'is', null);
    // Locks keys in the same order as the writer of key uses.
    if (this.#locksRows) await inUse.orderBy('id').forUpdate().execute();
    await trx.updateTable('api_keys').set({ revoked_at_ms: nowMs }).where('id', 'in', inUse).execute();
    if (keptSession === undefined)
      await trx.deleteFrom('provider_keys').where('account_id', '=', accountId).execute();
  }
}

async function findSession(
  trx: Transaction<Tables>,
  accountId: string,
  sessionId: string | undefined,
): Promise<string | undefined> {
  if (sessionId === undefined) return undefined;
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.id;
}

interface TokenUse {
  readonly hash: string;
  readonly purpose: TokenPurpose;
  readonly nowMs: number;
}

interface ConsumedToken {
  readonly accountId: string;
  /** Whether this verified the address for the first time. */
  readonly isFirstVerification: boolean;
}

/**
 * If two requests use one token at the same time, the second waits here and finds none. The user's row is always locked
 * before those of tokens, so that transactions can't deadlock.
 */
async function consumeToken(
  trx: Transaction<Tables>,
  { hash, purpose, nowMs }: TokenUse,
): Promise<ConsumedToken | undefined> {
  const accountIds = trx.selectFrom('mailed_tokens').select('account_id').where('hash', '=', hash);
  const user = await trx
    .updateTable('users')
    .set((the) => ({ verified_at_ms: the.ref('verified_at_ms') }))
    .where('id', 'in', accountIds)
    .returning(['id', 'verified_at_ms'])
    .executeTakeFirst();
  const token = await trx
    .deleteFrom('mailed_tokens')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at_ms', '>', nowMs)
    .returning('account_id')
    .executeTakeFirst();
  if (user === undefined || token === undefined) return undefined;
  return { accountId: user.id, isFirstVerification: user.verified_at_ms === null };
}
