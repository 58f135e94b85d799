import { type Kysely, sql } from 'kysely';
import type { DomainProof, SignOnDomain, SignOnDomains } from '../../kernel/ports/sign-on.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlSignOnDomains implements SignOnDomains {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async list(accountId: string): Promise<readonly SignOnDomain[]> {
    const rows = await this.#db
      .selectFrom('sign_on_domains')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('domain')
      .execute();
    return rows.map(toDomain);
  }

  async proven(after: string, limit: number): Promise<readonly SignOnDomain[]> {
    const rows = await this.#db
      .selectFrom('sign_on_domains')
      .selectAll()
      .where('proven_at_ms', 'is not', null)
      .where('domain', '>', after)
      .orderBy('domain')
      .limit(limit)
      .execute();
    return rows.map(toDomain);
  }

  add(claim: Parameters<SignOnDomains['add']>[0], most: number): Promise<SignOnDomain | undefined> {
    const { accountId, domain, token, addedAtMs } = claim;
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const rows = await trx
        .selectFrom('sign_on_domains')
        .selectAll()
        .where('account_id', '=', accountId)
        .execute();
      const same = rows.find((row) => row.domain === domain);
      if (same !== undefined) return toDomain(same);
      if (rows.length >= most) return undefined;
      const row = {
        ...{ account_id: accountId, domain, token, added_at_ms: addedAtMs },
        ...{ proven_at_ms: null, proven_by: null },
      };
      await trx.insertInto('sign_on_domains').values(row).execute();
      return toDomain(row);
    });
  }

  /** The unique index decides between two organizations; the statement leaves a claim alone that would violate it. */
  async prove(claim: Parameters<SignOnDomains['prove']>[0]): ReturnType<SignOnDomains['prove']> {
    const { accountId, domain, by, atMs } = claim;
    return this.#db.transaction().execute(async (trx) => {
      // Serializes proofs of one domain: all of its claims are locked, in the same order.
      const rows = await trx
        .selectFrom('sign_on_domains')
        .select(['account_id', 'proven_at_ms'])
        .where('domain', '=', domain)
        .orderBy('account_id')
        .$if(this.#locksRows, (query) => query.forUpdate())
        .execute();
      const own = rows.find((row) => row.account_id === accountId);
      if (own === undefined) return 'unknown';
      if (own.proven_at_ms !== null) return 'proven';
      if (rows.some((row) => row.proven_at_ms !== null)) return 'taken';
      await trx
        .updateTable('sign_on_domains')
        .set({ proven_at_ms: atMs, proven_by: by })
        .where('account_id', '=', accountId)
        .where('domain', '=', domain)
        .execute();
      return 'proven';
    });
  }

  async remove(accountId: string, domain: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('sign_on_domains')
      .where('account_id', '=', accountId)
      .where('domain', '=', domain)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async ownerOf(domain: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('sign_on_domains')
      .select('account_id')
      .where('domain', '=', domain)
      .where(sql<boolean>`proven_at_ms is not null`)
      .executeTakeFirst();
    return row?.account_id;
  }
}

function toDomain(row: Tables['sign_on_domains']): SignOnDomain {
  return {
    accountId: row.account_id,
    domain: row.domain,
    token: row.token,
    addedAtMs: row.added_at_ms,
    provenAtMs: row.proven_at_ms ?? undefined,
    provenBy: proofOf(row.proven_by),
  };
}

function proofOf(name: string | null): DomainProof | undefined {
  return name === 'dns' || name === 'operator' ? name : undefined;
}
