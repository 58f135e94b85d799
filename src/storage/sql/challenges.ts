import { type Kysely, sql } from 'kysely';
import type { Challenge, Challenges } from '../../kernel/ports/payments.ts';
import type { Tables } from './tables.ts';

export class SqlChallenges implements Challenges {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(challenge: Challenge): Promise<void> {
    await this.#db
      .insertInto('payment_challenges')
      .values({
        id: challenge.id,
        realm: challenge.realm,
        request: challenge.request,
        digest: challenge.digest,
        expires_at_ms: challenge.expiresAtMs,
        consumed_at_ms: challenge.consumedAtMs,
        attempts: 0,
      })
      .execute();
  }

  find(id: string): Promise<Challenge | undefined> {
    return this.#db
      .selectFrom('payment_challenges')
      .select([
        'id',
        'realm',
        'request',
        'digest',
        'expires_at_ms as expiresAtMs',
        'consumed_at_ms as consumedAtMs',
      ])
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async consume(id: string, nowMs: number): Promise<number | undefined> {
    const row = await this.#db
      .updateTable('payment_challenges')
      .set({ consumed_at_ms: nowMs, attempts: sql<number>`attempts + 1` })
      .where('id', '=', id)
      .where('consumed_at_ms', 'is', null)
      .where('expires_at_ms', '>', nowMs)
      .returning('attempts')
      .executeTakeFirst();
    return row?.attempts;
  }

  async tidy({ nowMs, most }: { readonly nowMs: number; readonly most: number }): Promise<void> {
    await this.#db.deleteFrom('payment_challenges').where('expires_at_ms', '<=', nowMs).execute();
    const tooOld = await this.#db
      .selectFrom('payment_challenges')
      .select('expires_at_ms')
      .orderBy('expires_at_ms', 'desc')
      .offset(most)
      .limit(1)
      .executeTakeFirst();
    if (tooOld === undefined) return;
    await this.#db
      .deleteFrom('payment_challenges')
      .where('expires_at_ms', '<=', tooOld.expires_at_ms)
      .where('consumed_at_ms', 'is', null)
      .execute();
  }
}
