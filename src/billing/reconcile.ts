import type { BillingAccount, BillingAccounts, Credits } from '../kernel/ports/billing.ts';
import type { BillingProcessor } from './billing-processor.ts';
import type { CreditPurchases } from './credit-purchases.ts';
import { limits } from './limits.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface ReconcileParts {
  readonly billing: BillingAccounts;
  readonly credits: Credits;
  readonly processor: Pick<BillingProcessor, 'payments'>;
  readonly subscriptions: Subscriptions;
  readonly purchases: CreditPurchases;
  /** Whether to repair what can be repaired. */
  readonly repairs: boolean;
}

export interface ReconcileReport {
  readonly accounts: number;
  readonly payments: number;
  /** Discrepancies by account. */
  readonly discrepancies: readonly Discrepancy[];
  /** Internal inconsistencies of the ledger. */
  readonly faults: readonly string[];
}

interface Discrepancy {
  readonly accountId: string;
  readonly description: string;
  readonly isRepaired: boolean;
}

type AccountComparison = Pick<ReconcileReport, 'payments' | 'discrepancies'>;

/** Compares tiers and credits with the processor's records, by account, and checks the ledger. */
export async function reconcile(parts: ReconcileParts): Promise<ReconcileReport> {
  const discrepancies: Discrepancy[] = [];
  let [accounts, payments, lastId] = [0, 0, ''];
  for (;;) {
    const page = await parts.billing.page(lastId, limits.reconciledAtOnce);
    for (const account of page) {
      const accountComparison = await compareAccount(parts, account).catch((cause) =>
        comparisonFailure(account, cause),
      );
      discrepancies.push(...accountComparison.discrepancies);
      payments += accountComparison.payments;
    }
    accounts += page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < limits.reconciledAtOnce) break;
    lastId = last.accountId;
  }
  return { accounts, payments, discrepancies, faults: await parts.credits.findInconsistencies() };
}

/** An account that can't be compared doesn't stop the others. */
function comparisonFailure({ accountId }: BillingAccount, cause: unknown): AccountComparison {
  const description = `could not be compared: ${cause instanceof Error ? cause.message : cause}`;
  return { payments: 0, discrepancies: [{ accountId, description, isRepaired: false }] };
}

async function compareAccount(parts: ReconcileParts, account: BillingAccount): Promise<AccountComparison> {
  const { credits, processor, subscriptions, purchases, repairs } = parts;
  const { accountId, customerId } = account;
  if (customerId === null) return { payments: 0, discrepancies: [] };
  const discrepancies: Discrepancy[] = [];
  for (const { description, canRepair } of await subscriptions.findDiscrepancies(account)) {
    const isRepaired = repairs && canRepair;
    if (isRepaired) await subscriptions.sync(customerId);
    discrepancies.push({ accountId, description, isRepaired });
  }
  const recorded = new Map((await credits.payments(accountId)).map((payment) => [payment.intentId, payment]));
  const payments = (await processor.payments(customerId)).filter(
    (payment) => payment.accountId === accountId,
  );
  for (const payment of payments) {
    const { intentId } = payment;
    const difference = purchases.findDiscrepancy(payment, recorded.get(intentId));
    recorded.delete(intentId);
    if (difference === undefined) continue;
    const isRepaired = repairs && payment.state === 'paid';
    if (isRepaired) await purchases.syncPayment(intentId);
    discrepancies.push({ accountId, description: `${intentId} ${difference}`, isRepaired });
  }
  for (const { intentId, credits: received } of recorded.values())
    discrepancies.push({
      accountId,
      description: `received ${received} credits for ${intentId}, which the processor does not know`,
      isRepaired: false,
    });
  return { payments: payments.length, discrepancies };
}
