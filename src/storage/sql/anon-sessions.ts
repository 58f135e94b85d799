import { type Kysely, sql } from 'kysely';
import type { AnonSession, AnonSessions, NewAnonSession, TakeLimits } from '../../kernel/ports/sandbox.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'session_ref as sessionRef',
  'request_limit as requestLimit',
  'requests_used as requestsUsed',
  'expires_at_ms as expiresAtMs',
  'revoked_at_ms as revokedAtMs',
] as const;

export class SqlAnonSessions implements AnonSessions {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(session: NewAnonSession, forgetBeforeMs: number): Promise<void> {
    await this.#db
      .insertInto('anon_sessions')
      .values({
        id: session.id,
        session_ref: session.sessionRef,
        token_hash: session.tokenHash,
        address_hash: session.addressHash,
        request_limit: session.requestLimit,
        requests_used: session.requestsUsed,
        given_back: 0,
        expires_at_ms: session.expiresAtMs,
        revoked_at_ms: session.revokedAtMs,
      })
      .execute();
    await this.#db.deleteFrom('anon_sessions').where('expires_at_ms', '<', forgetBeforeMs).execute();
  }

  byToken(tokenHashes: readonly string[]): Promise<AnonSession | undefined> {
    return this.#db
      .selectFrom('anon_sessions')
      .select(columns)
      .where('token_hash', 'in', [...tokenHashes])
      .executeTakeFirst();
  }

  byId(id: string): Promise<AnonSession | undefined> {
    return this.#db.selectFrom('anon_sessions').select(columns).where('id', '=', id).executeTakeFirst();
  }

  async take(id: string, { nowMs, givenBackMax }: TakeLimits): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('anon_sessions')
      .set({ requests_used: sql<number>`requests_used + 1` })
      .where('id', '=', id)
      .whereRef('requests_used', '<', 'request_limit')
      .where('given_back', '<', givenBackMax)
      .where('expires_at_ms', '>', nowMs)
      .where('revoked_at_ms', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async giveBack(id: string): Promise<void> {
    await this.#db
      .updateTable('anon_sessions')
      .set({ requests_used: sql<number>`requests_used - 1`, given_back: sql<number>`given_back + 1` })
      .where('id', '=', id)
      .where('requests_used', '>', 0)
      .execute();
  }

  async revoke(id: string, atMs: number): Promise<void> {
    await this.#db
      .updateTable('anon_sessions')
      .set({ revoked_at_ms: atMs })
      .where('id', '=', id)
      .where('revoked_at_ms', 'is', null)
      .execute();
  }
}
