import { limits } from '../kernel/limits.ts';
import type { BillingAccount, BillingAccounts, Credits } from '../kernel/ports/billing.ts';
import type { CreditPurchases } from './credit-purchases.ts';
import type { BillingProcessor } from './processor.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface ReconcileParts {
  readonly billing: BillingAccounts;
  readonly credits: Credits;
  readonly processor: Pick<BillingProcessor, 'payments'>;
  readonly subscriptions: Subscriptions;
  readonly purchases: CreditPurchases;
  /** Whether what can be put right is. */
  readonly repairs: boolean;
}

export interface Reconciled {
  readonly accounts: number;
  readonly payments: number;
  /** What differs, by account. */
  readonly departures: readonly Departure[];
  /** What is wrong with the ledger by itself. */
  readonly faults: readonly string[];
}

interface Departure {
  readonly accountId: string;
  readonly what: string;
  readonly isRepaired: boolean;
}

type Compared = Pick<Reconciled, 'payments' | 'departures'>;

/** Compares tiers and credits with the processor's record, account by account, and the ledger with itself. */
export async function reconcile(parts: ReconcileParts): Promise<Reconciled> {
  const departures: Departure[] = [];
  let [accounts, payments, lastId] = [0, 0, ''];
  for (;;) {
    const page = await parts.billing.page(lastId, limits.reconciledAtOnce);
    for (const account of page) {
      const compared = await compare(parts, account).catch((cause) => uncompared(account, cause));
      departures.push(...compared.departures);
      payments += compared.payments;
    }
    accounts += page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < limits.reconciledAtOnce) break;
    lastId = last.accountId;
  }
  return { accounts, payments, departures, faults: await parts.credits.faults() };
}

/** One account that can't be compared doesn't keep the others from it. */
function uncompared({ accountId }: BillingAccount, cause: unknown): Compared {
  const what = `could not be compared: ${cause instanceof Error ? cause.message : cause}`;
  return { payments: 0, departures: [{ accountId, what, isRepaired: false }] };
}

async function compare(parts: ReconcileParts, account: BillingAccount): Promise<Compared> {
  const { credits, processor, subscriptions, purchases, repairs } = parts;
  const { accountId, customerId } = account;
  if (customerId === null) return { payments: 0, departures: [] };
  const departures: Departure[] = [];
  for (const { what, canFollow } of await subscriptions.departures(account)) {
    const isRepaired = repairs && canFollow;
    if (isRepaired) await subscriptions.follow(customerId);
    departures.push({ accountId, what, isRepaired });
  }
  const known = new Map((await credits.payments(accountId)).map((payment) => [payment.intentId, payment]));
  const told = (await processor.payments(customerId)).filter((payment) => payment.accountId === accountId);
  for (const payment of told) {
    const { intentId } = payment;
    const what = purchases.departure(payment, known.get(intentId));
    known.delete(intentId);
    if (what === undefined) continue;
    const isRepaired = repairs && payment.state === 'paid';
    if (isRepaired) await purchases.follow(intentId);
    departures.push({ accountId, what: `${intentId} ${what}`, isRepaired });
  }
  for (const { intentId, credits: got } of known.values())
    departures.push({
      accountId,
      what: `got ${got} credits for ${intentId}, which the processor doesn't know`,
      isRepaired: false,
    });
  return { payments: told.length, departures };
}
