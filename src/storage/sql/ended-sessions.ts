import type { Kysely } from 'kysely';
import type { EndedSessions } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

export class SqlEndedSessions implements EndedSessions {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(tokenId: string, expiresAtMs: number, nowMs: number): Promise<void> {
    await this.#db
      .insertInto('ended_sessions')
      .values({ token_id: tokenId, expires_at_ms: expiresAtMs })
      .onConflict((conflict) => conflict.column('token_id').doNothing())
      .execute();
    await this.#db.deleteFrom('ended_sessions').where('expires_at_ms', '<=', nowMs).execute();
  }

  async has(tokenId: string): Promise<boolean> {
    const found = await this.#db
      .selectFrom('ended_sessions')
      .select('token_id')
      .where('token_id', '=', tokenId)
      .executeTakeFirst();
    return found !== undefined;
  }
}
