import type { Transaction } from 'kysely';
import { overageCreditsPerRequest } from '../../kernel/credits.ts';
import type { UsageBatch } from '../../kernel/ports/records.ts';
import { lockBalance, postCreditEntry } from './credit-entries.ts';
import type { Tables } from './tables.ts';

/** Calls of a period beyond its cap. */
export interface OverageCalls {
  readonly accountId: string;
  readonly periodStartMs: number;
  readonly calls: number;
}

interface OverageCharge extends OverageCalls {
  readonly batch: Pick<UsageBatch, 'id' | 'atMs'>;
}

/** Adds one entry for a whole batch. Charges at most the balance, which a refund may have reduced meanwhile. */
export async function chargeOverage(
  trx: Transaction<Tables>,
  { accountId, periodStartMs, calls, batch }: OverageCharge,
  locksRows: boolean,
): Promise<void> {
  const balance = await lockBalance(trx, accountId, locksRows);
  const price = calls * overageCreditsPerRequest;
  const paid = Math.min(price, balance);
  await postCreditEntry(trx, {
    id: `overage/${batch.id}/${periodStartMs}/${accountId}`,
    accountId,
    counterpart: 'overage',
    credits: -paid + 0,
    kind: 'overage',
    reference: new Date(periodStartMs).toISOString(),
    note: paid < price ? `${calls} calls; ${price - paid} credits for them were gone` : `${calls} calls`,
    atMs: batch.atMs,
  });
}
