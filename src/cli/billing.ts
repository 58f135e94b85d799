import { CreditPurchases } from '../billing/credit-purchases.ts';
import { type Reconciled, reconcile } from '../billing/reconcile.ts';
import { StripeBilling } from '../billing/stripe/stripe-billing.ts';
import { Subscriptions } from '../billing/subscriptions.ts';
import { outsideVersions } from '../gateway/outside-versions.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import { type Settings, SettingsError } from '../gateway/settings.ts';
import { lazyStripe } from '../gateway/stripe-client.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Given } from './command.ts';
import { settingsBeside } from './settings-from.ts';

/** Compares our record with the processor's; resolves to the exit code, which is 0 where nothing is left that differs. */
export async function reconcileBilling({ environment, flags }: Given): Promise<number> {
  const reconciled = await run(settingsBeside(environment), flags.repair === true);
  console.log(flags.json ? JSON.stringify(reconciled) : report(reconciled));
  return reconciled.faults.length === 0 && reconciled.departures.every(({ isRepaired }) => isRepaired)
    ? 0
    : 1;
}

async function run(settings: Settings, repairs: boolean): Promise<Reconciled> {
  const { mpp, billing: set } = settings;
  if (mpp.stripeKey === undefined)
    throw new SettingsError(['STRIPE_SECRET_KEY: must be set to ask the processor']);
  const processor = new StripeBilling({
    client: lazyStripe({ key: mpp.stripeKey, base: mpp.stripeBase }),
    ...set,
  });
  const database = await openDatabase(settings);
  const versions = await outsideVersions(settings);
  try {
    const parts = { ...database, versions, processor, clock: systemClock };
    const [subscriptions, purchases] = [new Subscriptions(parts), new CreditPurchases(parts)];
    return await reconcile({ ...parts, subscriptions, purchases, repairs });
  } finally {
    await versions.close();
    await database.close();
  }
}

function report({ accounts, payments, departures, faults }: Reconciled): string {
  const lines = [
    ...departures.map(
      ({ accountId, what, isRepaired }) => `account ${accountId}: ${what}${isRepaired ? ' (put right)' : ''}`,
    ),
    ...faults.map((fault) => `ledger: ${fault}`),
  ];
  const summary = `${accounts} accounts and ${payments} payments for credits compared`;
  return [...lines, `${summary}: ${lines.length === 0 ? 'all agree' : `${lines.length} differ`}`].join('\n');
}
