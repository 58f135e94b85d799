import { CreditPurchases } from '../billing/credit-purchases.ts';
import { type ReconcileReport, reconcile } from '../billing/reconcile.ts';
import { Subscriptions } from '../billing/subscriptions.ts';
import { openAccountChangeNotifier } from '../gateway/account-change-notifier.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import { type Settings, SettingsError } from '../gateway/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import { changeWithAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { openProcessor } from './stripe-processor.ts';

/** Compares our records with the payment processor's; resolves to the exit code, 0 if no difference is left. */
export async function reconcileBilling({ environment, flags }: CommandInput): Promise<number> {
  const reconcileReport = await reconcileWithStripe(
    await loadCommandSettings(environment),
    flags.repair === true,
  );
  console.log(flags.json ? JSON.stringify(toJson(reconcileReport)) : formatReport(reconcileReport));
  return reconcileReport.faults.length === 0 &&
    reconcileReport.discrepancies.every(({ isRepaired }) => isRepaired)
    ? 0
    : 1;
}

async function reconcileWithStripe(settings: Settings, repairs: boolean): Promise<ReconcileReport> {
  const stripe = openProcessor(settings);
  if (stripe === undefined)
    throw new SettingsError(['STRIPE_SECRET_KEY: must be set to query the payment processor']);
  const { processor } = stripe;
  const database = await openDatabase(settings);
  const versions = await openAccountChangeNotifier(settings);
  try {
    const parts = { ...database, versions, processor, clock: systemClock };
    const subscriptions = new Subscriptions({
      ...parts,
      changeTier: (account, tier, apply) =>
        changeWithAudit({ settings, database }, { event: 'tier.changed', account, tier }, apply),
    });
    const purchases = new CreditPurchases(parts);
    return await reconcile({ ...parts, subscriptions, purchases, repairs });
  } finally {
    await versions.close();
    await database.close();
    await stripe.close();
  }
}

/** The output of `--json`, whose field names are public. */
function toJson({ discrepancies, faults, ...counts }: ReconcileReport): object {
  const departures = discrepancies.map(({ accountId, description, isRepaired }) => ({
    accountId,
    what: description,
    isRepaired,
  }));
  return { ...counts, departures, faults };
}

function formatReport({ accounts, payments, discrepancies, faults }: ReconcileReport): string {
  const lines = [
    ...discrepancies.map(
      ({ accountId, description, isRepaired }) =>
        `account ${accountId}: ${description}${isRepaired ? ' (repaired)' : ''}`,
    ),
    ...faults.map((fault) => `ledger: ${fault}`),
  ];
  const summary = `compared ${accounts} accounts and ${payments} credit payments`;
  return [...lines, `${summary}: ${lines.length === 0 ? 'all agree' : `${lines.length} differ`}`].join('\n');
}
