import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import {
  signatureAlgorithms,
  type TokenIssuer,
  type TokenIssuers,
} from '../../kernel/ports/token-issuers.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const rulesSchema = z.strictObject({
  jwksUri: z.string().nullable(),
  algorithms: z.array(z.enum(signatureAlgorithms)),
  subjectClaim: z.string(),
  requiredClaims: z.array(z.strictObject({ claim: z.string(), values: z.array(z.string()) })),
  keyId: z.string().nullable(),
  projectClaim: z.string().nullable(),
  projectKeys: z.array(z.strictObject({ value: z.string(), keyId: z.string() })),
});

export class SqlTokenIssuers implements TokenIssuers {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add(one: TokenIssuer, most: number): Promise<'added' | 'taken' | 'limit_reached'> {
    return this.#locked(one.accountId, async (trx) => {
      const own = await trx
        .selectFrom('token_issuers')
        .select('id')
        .where('account_id', '=', one.accountId)
        .execute();
      if (own.length >= most) return 'limit_reached';
      if (await isTaken(trx, one)) return 'taken';
      await trx.insertInto('token_issuers').values(toRow(one)).execute();
      return 'added';
    });
  }

  async list(accountId: string): Promise<readonly TokenIssuer[]> {
    const rows = await this.#db
      .selectFrom('token_issuers')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(toIssuer);
  }

  async find(id: string): Promise<TokenIssuer | undefined> {
    const row = await this.#db
      .selectFrom('token_issuers')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && toIssuer(row);
  }

  change(one: TokenIssuer): Promise<'changed' | 'unknown' | 'taken'> {
    return this.#locked(one.accountId, async (trx) => {
      if (await isTaken(trx, one)) return 'taken';
      const { numUpdatedRows } = await trx
        .updateTable('token_issuers')
        .set(toRow(one))
        .where('id', '=', one.id)
        .where('account_id', '=', one.accountId)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n ? 'changed' : 'unknown';
    });
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('token_issuers')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async named(issuer: string, audiences: readonly string[]): Promise<readonly TokenIssuer[]> {
    const rows = await this.#db
      .selectFrom('token_issuers')
      .selectAll()
      .where('audience', 'in', audiences)
      .where('issuer', '=', issuer)
      .execute();
    return rows.map(toIssuer);
  }

  /** Serializes with other changes of the account. */
  #locked<Result>(accountId: string, change: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      return change(trx);
    });
  }
}

/** An audience contains the id of its organization, so that another can have it by a mistake only. */
async function isTaken(trx: Transaction<Tables>, { id, issuer, audience }: TokenIssuer): Promise<boolean> {
  const other = await trx
    .selectFrom('token_issuers')
    .select('id')
    .where('audience', '=', audience)
    .where('issuer', '=', issuer)
    .where('id', '<>', id)
    .executeTakeFirst();
  return other !== undefined;
}

function toRow(one: TokenIssuer): Tables['token_issuers'] {
  return {
    ...{ id: one.id, account_id: one.accountId, issuer: one.issuer, audience: one.audience },
    rules: JSON.stringify(one.rules),
    ...{ created_at_ms: one.createdAtMs, updated_at_ms: one.updatedAtMs },
  };
}

function toIssuer(row: Tables['token_issuers']): TokenIssuer {
  return {
    ...{ id: row.id, accountId: row.account_id, issuer: row.issuer, audience: row.audience },
    rules: rulesSchema.parse(JSON.parse(row.rules)),
    ...{ createdAtMs: row.created_at_ms, updatedAtMs: row.updated_at_ms },
  };
}
