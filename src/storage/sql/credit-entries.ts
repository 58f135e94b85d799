import { sql, type Transaction } from 'kysely';
import type { CreditEntry } from '../../kernel/ports/billing.ts';
import type { Tables } from './tables.ts';

/** The counterparties of an account's credits. */
type Counterpart = 'payments' | 'overage';

interface NewCreditEntry extends CreditEntry {
  readonly accountId: string;
  readonly counterpart: Counterpart;
}

/** The balance of an account, locked until the transaction ends. SQLite has a single writer and needs no row lock. */
export async function lockBalance(
  trx: Transaction<Tables>,
  accountId: string,
  locksRows: boolean,
): Promise<number> {
  await trx
    .insertInto('credit_balances')
    .values({ account_id: accountId, credits: 0 })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  const { credits } = await trx
    .selectFrom('credit_balances')
    .select('credits')
    .where('account_id', '=', accountId)
    .$if(locksRows, (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return credits;
}

/** Adds both sides of the entry and updates the balance. The caller has locked the balance. */
export async function postCreditEntry(
  trx: Transaction<Tables>,
  newCreditEntry: NewCreditEntry,
): Promise<void> {
  const { id, accountId, counterpart, credits, kind, reference, note, atMs } = newCreditEntry;
  const common = { transaction_id: id, account_id: accountId, kind, reference, note, at_ms: atMs };
  await trx
    .insertInto('credit_entries')
    .values([
      { entry_id: id, book: 'account', credits, ...common },
      { entry_id: `${id}/${counterpart}`, book: counterpart, credits: -credits, ...common },
    ])
    .execute();
  await trx
    .updateTable('credit_balances')
    .set({ credits: sql<number>`credits + ${credits}` })
    .where('account_id', '=', accountId)
    .execute();
}
