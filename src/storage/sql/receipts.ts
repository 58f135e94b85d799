import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type {
  Claim,
  OwnedReceipt,
  ReceiptQuery,
  Receipts,
  StoredReceipt,
  VerificationKey,
  Visibility,
} from '../../kernel/ports/receipts.ts';
import { chunks } from './chunks.ts';
import type { Tables } from './tables.ts';

const columns = [
  'receipts.receipt_id',
  'receipts.session_ref',
  'receipts.visibility',
  'receipts.created_at_ms',
  'receipts.jws',
] as const;

export class SqlReceipts implements Receipts {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  add(receipts: readonly OwnedReceipt[]): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      for (const some of chunks(receipts, limits.databaseRowsAtOnce)) {
        await trx
          .insertInto('receipts')
          .values(some.map(toRow))
          .onConflict((conflict) => conflict.column('receipt_id').doNothing())
          .execute();
        const owners = some.flatMap(toOwnerRows);
        if (owners.length > 0)
          await trx
            .insertInto('receipt_owners')
            .values(owners)
            .onConflict((conflict) => conflict.column('receipt_id').doNothing())
            .execute();
      }
    });
  }

  async find(id: string): Promise<OwnedReceipt | undefined> {
    const row = await this.#db
      .selectFrom('receipts')
      .leftJoin('receipt_owners', 'receipt_owners.receipt_id', 'receipts.receipt_id')
      .select([...columns, 'receipt_owners.account_id'])
      .where('receipts.receipt_id', '=', id)
      .executeTakeFirst();
    return row && { ...toReceipt(row), accountId: row.account_id };
  }

  async ofSession(sessionRef: string): Promise<readonly StoredReceipt[]> {
    const rows = await this.#db
      .selectFrom('receipts')
      .select(columns)
      .where('session_ref', '=', sessionRef)
      .orderBy('created_at_ms')
      .orderBy('receipt_id')
      .execute();
    return rows.map(toReceipt);
  }

  async countOfSession(sessionRef: string): Promise<number> {
    const { receipts } = await this.#db
      .selectFrom('receipts')
      .select((the) => the.fn.countAll<number>().as('receipts'))
      .where('session_ref', '=', sessionRef)
      .executeTakeFirstOrThrow();
    return receipts;
  }

  /** Queries own and claimed receipts separately, so that each query can use its index. */
  async page({ accountId, ...rest }: ReceiptQuery): Promise<readonly StoredReceipt[]> {
    const receipts = this.#db.selectFrom('receipts').select(columns);
    if (accountId === undefined)
      return (await newestRows(receipts, 'receipts', rest).execute()).map(toReceipt);
    const own = receipts
      .innerJoin('receipt_owners', 'receipt_owners.receipt_id', 'receipts.receipt_id')
      .where('receipt_owners.account_id', '=', accountId);
    const claimed = receipts
      .innerJoin('anon_claims', 'anon_claims.session_ref', 'receipts.session_ref')
      .where('anon_claims.account_id', '=', accountId);
    const rows = [
      ...(await newestRows(own, 'receipt_owners', rest).execute()),
      ...(await newestRows(claimed, 'receipts', rest).execute()),
    ];
    return rows.map(toReceipt).sort(compareNewestFirst).slice(0, rest.limit);
  }

  async claim(claim: Claim): Promise<Claim> {
    await this.#db
      .insertInto('anon_claims')
      .values({
        session_id: claim.sessionId,
        session_ref: claim.sessionRef,
        account_id: claim.accountId,
        claimed_at_ms: claim.claimedAtMs,
      })
      .onConflict((conflict) => conflict.column('session_id').doNothing())
      .execute();
    const held = await this.#db
      .selectFrom('anon_claims')
      .select(['account_id as accountId', 'claimed_at_ms as claimedAtMs'])
      .where('session_id', '=', claim.sessionId)
      .executeTakeFirstOrThrow();
    return { ...claim, ...held };
  }

  async addKey({ id, jwk, createdAtMs }: VerificationKey): Promise<void> {
    await this.#db
      .insertInto('receipt_keys')
      .values({ key_id: id, jwk, created_at_ms: createdAtMs })
      .onConflict((conflict) => conflict.column('key_id').doNothing())
      .execute();
  }

  keys(): Promise<readonly VerificationKey[]> {
    return this.#db
      .selectFrom('receipt_keys')
      .select(['key_id as id', 'jwk', 'created_at_ms as createdAtMs'])
      .orderBy('created_at_ms', 'desc')
      .orderBy('key_id')
      .execute();
  }
}

type PageBounds = Omit<ReceiptQuery, 'accountId'>;

/** The newest rows of a query, in the order of one table's index. */
function newestRows<Of extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Of, Row>,
  table: 'receipts' | 'receipt_owners',
  { after, limit }: PageBounds,
): SelectQueryBuilder<Tables, Of, Row> {
  const [at, id] = [sql.ref(`${table}.created_at_ms`), sql.ref(`${table}.receipt_id`)];
  const ordered = query.orderBy(at, 'desc').orderBy(id, 'desc').limit(limit);
  if (after === undefined) return ordered;
  return ordered.where(sql<boolean>`(${at}, ${id}) < (${after.createdAtMs}, ${after.id})`);
}

function compareNewestFirst(one: StoredReceipt, other: StoredReceipt): number {
  return other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
}

function toOwnerRows({ id, accountId, createdAtMs }: OwnedReceipt): readonly Tables['receipt_owners'][] {
  return accountId === null ? [] : [{ receipt_id: id, account_id: accountId, created_at_ms: createdAtMs }];
}

function toRow({ id, sessionRef, visibility, createdAtMs, jws }: OwnedReceipt): Tables['receipts'] {
  return { receipt_id: id, session_ref: sessionRef, visibility, created_at_ms: createdAtMs, jws };
}

function toReceipt(row: Tables['receipts']): StoredReceipt {
  return {
    id: row.receipt_id,
    sessionRef: row.session_ref,
    visibility: visibilityOf(row.visibility),
    createdAtMs: row.created_at_ms,
    jws: row.jws,
  };
}

/** Not public unless marked so. */
function visibilityOf(text: string): Visibility {
  return text === 'public_demo' ? text : 'private';
}
