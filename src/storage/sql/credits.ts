import { type Kysely, sql } from 'kysely';
import type {
  CreditEntry,
  CreditEntryKind,
  CreditEntryQuery,
  CreditPayment,
  CreditReclaim,
  CreditStanding,
  Credits,
  Purchase,
} from '../../kernel/ports/billing.ts';
import { lockBalance, postCreditEntry } from './credit-entries.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const paymentColumns = [
  'intent_id as intentId',
  'account_id as accountId',
  'credits',
  'reclaimed',
  'taken',
  'revision',
] as const;

export class SqlCredits implements Credits {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async balance(accountId: string): Promise<number> {
    const row = await this.#db
      .selectFrom('credit_balances')
      .select('credits')
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row?.credits ?? 0;
  }

  /** One statement for a consistent result: calls past a cap are counted and charged in one step. */
  async standing(accountId: string, periodStartMs: number): Promise<CreditStanding> {
    const row = await this.#db
      .selectNoFrom((the) => [
        the.selectFrom('credit_balances').select('credits').where('account_id', '=', accountId).as('credits'),
        the
          .selectFrom('usage_periods')
          .select('calls')
          .where('account_id', '=', accountId)
          .where('period_start_ms', '=', periodStartMs)
          .as('calls'),
      ])
      .executeTakeFirstOrThrow();
    return { credits: row.credits ?? 0, calls: row.calls ?? 0 };
  }

  recordPurchase({ intentId, accountId, credits, rechargeId, atMs }: Purchase): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      await lockBalance(trx, accountId, this.#locksRows);
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('credit_payments')
        .values({
          intent_id: intentId,
          account_id: accountId,
          credits,
          reclaimed: 0,
          taken: 0,
          revision: 0,
          at_ms: atMs,
        })
        .onConflict((conflict) => conflict.column('intent_id').doNothing())
        .executeTakeFirstOrThrow();
      const isNew = numInsertedOrUpdatedRows === 1n;
      if (isNew)
        await postCreditEntry(trx, {
          id: `purchase/${intentId}`,
          accountId,
          counterpart: 'payments',
          credits,
          kind: 'purchase',
          reference: intentId,
          note: null,
          atMs,
        });
      if (rechargeId !== undefined) {
        await trx.updateTable('recharges').set({ state: 'paid' }).where('id', '=', rechargeId).execute();
        await trx
          .updateTable('billing_accounts')
          .set({ failures: 0, next_try_ms: 0 })
          .where('account_id', '=', accountId)
          .execute();
      }
      return isNew;
    });
  }

  payment(intentId: string): Promise<CreditPayment | undefined> {
    return this.#db
      .selectFrom('credit_payments')
      .select(paymentColumns)
      .where('intent_id', '=', intentId)
      .executeTakeFirst();
  }

  async reclaim({ intentId, revision, credits, kind, atMs }: CreditReclaim): Promise<number | undefined> {
    const stored = await this.payment(intentId);
    if (stored === undefined) return undefined;
    const { accountId } = stored;
    return this.#db.transaction().execute(async (trx) => {
      const balance = await lockBalance(trx, accountId, this.#locksRows);
      const payment = await trx
        .selectFrom('credit_payments')
        .select(paymentColumns)
        .where('intent_id', '=', intentId)
        .where('revision', '=', revision)
        .executeTakeFirst();
      if (payment === undefined) return undefined;
      const reclaimed = Math.min(credits, payment.credits);
      const wanted = reclaimed - payment.reclaimed;
      // Returned credits first cover the debt: credits that were spent before they could be reclaimed.
      const spent = payment.reclaimed - payment.taken;
      const taken = wanted >= 0 ? Math.min(wanted, balance) : Math.min(0, wanted + spent);
      if (wanted === 0) return 0;
      await trx
        .updateTable('credit_payments')
        .set({ reclaimed, taken: payment.taken + taken, revision: revision + 1 })
        .where('intent_id', '=', intentId)
        .execute();
      await postCreditEntry(trx, {
        id: `reclaim/${intentId}/${revision}`,
        accountId,
        counterpart: 'payments',
        credits: -taken + 0,
        kind: wanted > 0 ? kind : 'reinstated',
        reference: intentId,
        note: taken < wanted ? `${wanted - taken} of ${wanted} credits had been spent already` : null,
        atMs,
      });
      return taken;
    });
  }

  payments(accountId: string): Promise<readonly CreditPayment[]> {
    return this.#db
      .selectFrom('credit_payments')
      .select(paymentColumns)
      .where('account_id', '=', accountId)
      .orderBy('at_ms')
      .orderBy('intent_id')
      .execute();
  }

  async entries({ accountId, after, limit }: CreditEntryQuery): Promise<readonly CreditEntry[]> {
    const rows = await this.#db
      .selectFrom('credit_entries')
      .select(['entry_id as id', 'at_ms as atMs', 'kind', 'credits', 'reference', 'note'])
      .where('account_id', '=', accountId)
      .where('book', '=', 'account')
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(at_ms, entry_id) < (${after?.atMs ?? 0}, ${after?.id ?? ''})`),
      )
      .orderBy('at_ms', 'desc')
      .orderBy('entry_id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, kind: kindOf(row.kind) }));
  }

  async findInconsistencies(): Promise<readonly string[]> {
    const { rows: balances } = await sql<{ id: string; credits: number; entered: number }>`
      select b.account_id as id, b.credits, cast(coalesce(sum(e.credits), 0) as bigint) as entered
      from credit_balances b left join credit_entries e on e.account_id = b.account_id and e.book = 'account'
      group by b.account_id, b.credits having coalesce(sum(e.credits), 0) <> b.credits`.execute(this.#db);
    const { rows: open } = await sql<{ id: string }>`
      select transaction_id as id from credit_entries group by transaction_id having sum(credits) <> 0`.execute(
      this.#db,
    );
    return [
      ...balances.map(
        ({ id, credits, entered }) =>
          `account ${id} has ${credits} credits, but its entries add up to ${entered}`,
      ),
      ...open.map(({ id }) => `the entries of ${id} don't add up to 0`),
    ];
  }
}

const entryKinds = [
  'purchase',
  'overage',
  'refund',
  'dispute',
  'reinstated',
] as const satisfies readonly CreditEntryKind[];

function kindOf(name: string): CreditEntryKind {
  const kind = entryKinds.find((entryKind) => entryKind === name);
  if (kind === undefined)
    throw new Error(`the ledger has an entry of kind "${name}", which this version of Weir does not know`);
  return kind;
}
