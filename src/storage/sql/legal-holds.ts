import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { HoldSide, LegalHold, LegalHolds } from '../../kernel/ports/legal-holds.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** A condition for rows of accounts without a legal hold; part of every statement that deletes what a hold covers. */
export function isNotHeld(column: 'account_id' | 'chain' | 'users.id'): RawBuilder<boolean> {
  const name = sql.ref(column);
  return sql<boolean>`(${name} is null or ${name} not in (select held.account_id from legal_holds as held))`;
}

/** The same for rows with the scope of an account. */
export function isScopeNotHeld(scope: RawBuilder<unknown> = sql.ref('scope')): RawBuilder<boolean> {
  return sql<boolean>`${scope} not in (select 'account:' || held.account_id from legal_holds as held)`;
}

export class SqlLegalHolds implements LegalHolds {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, { name }: SqlDialect) {
    this.#db = db;
    this.#locksRows = name === 'postgres';
  }

  place({ accountId, side, reason, placedAtMs }: LegalHold): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      // The deletion of an account waits, or has deleted it.
      await lockAccount(trx, this.#locksRows, accountId);
      const account = await trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', accountId)
        .executeTakeFirst();
      if (account === undefined) return false;
      await trx
        .insertInto('legal_holds')
        .values({ account_id: accountId, side, reason, placed_at_ms: placedAtMs })
        .onConflict((conflict) => conflict.columns(['account_id', 'side']).doUpdateSet({ reason }))
        .execute();
      return true;
    });
  }

  release(accountId: string, side: HoldSide): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const { numDeletedRows } = await trx
        .deleteFrom('legal_holds')
        .where('account_id', '=', accountId)
        .where('side', '=', side)
        .executeTakeFirstOrThrow();
      await sql`delete from audit_values where chain = ${accountId} and ${isNotHeld('chain')}
        and person <> '' and person not in (select id from identities)`.execute(trx);
      return numDeletedRows > 0n;
    });
  }

  async of(accountId: string): Promise<readonly LegalHold[]> {
    return this.#holds().where('account_id', '=', accountId).orderBy('side').execute();
  }

  page(after: string, limit: number): Promise<readonly LegalHold[]> {
    return this.#holds()
      .where('account_id', '>', after)
      .orderBy('account_id')
      .orderBy('side')
      .limit(limit)
      .execute();
  }

  #holds() {
    return this.#db
      .selectFrom('legal_holds')
      .select(['account_id as accountId', 'side', 'reason', 'placed_at_ms as placedAtMs']);
  }
}
