import { setTimeout as sleep } from 'node:timers/promises';
import type { Audit } from '../../audit/audit.ts';
import { paidTiers } from '../../billing/billing-processor.ts';
import { BillingReport } from '../../billing/billing-report.ts';
import { type BillingBackend, BillingService } from '../../billing/billing-service.ts';
import { CreditPurchases } from '../../billing/credit-purchases.ts';
import { ProcessorWebhooks } from '../../billing/processor-webhooks.ts';
import { Recharger } from '../../billing/recharger.ts';
import { stopCharging } from '../../billing/stop-charging.ts';
import { StripeBilling } from '../../billing/stripe/stripe-billing.ts';
import { Subscriptions } from '../../billing/subscriptions.ts';
import type { Egress } from '../../egress/egress.ts';
import { billingRoutes } from '../../server/api/routes/billing.ts';
import { billingPagePaths, billingPageRoutes } from '../../server/api/routes/billing-pages.ts';
import { billingReportRoutes } from '../../server/api/routes/billing-reports.ts';
import { stripeWebhookRoute } from '../../server/api/routes/stripe-webhook.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';
import type { IdentityPart, PublicAddress } from './identity.ts';
import type { Stores } from './stores.ts';

interface BillingParts {
  readonly settings: Settings;
  readonly egress: Egress;
  readonly log: Log;
  readonly audit: Audit;
  readonly stores: Stores;
  readonly identity: IdentityPart;
  readonly address: PublicAddress;
  /** Listens for accounts whose credits paid for calls. */
  readonly creditUse: CreditUseListener;
}

/** Set once a listener exists. */
export interface CreditUseListener {
  onUse: (accountIds: readonly string[]) => void;
}

interface BillingPart extends Part {
  /** Called before an account is deleted; stops all charges. */
  stopCharging(accountId: string): Promise<void>;
}

/** Payments for tiers and credits; empty in local mode. */
export function billingPart({
  settings,
  egress,
  log,
  audit,
  stores,
  identity,
  address,
  creditUse: creditUseListener,
}: BillingParts): BillingPart {
  const { quota } = identity;
  if (quota === undefined) return { stopCharging: async () => undefined };
  const { database } = stores;
  const { backend, news } = createBillingBackend({ settings, egress, stores, log, audit });
  if (backend !== undefined) {
    creditUseListener.onUse = (accountIds) => {
      for (const accountId of accountIds) void backend.recharger.rechargeIfDue(accountId);
    };
    backend.recharger.start();
  }
  const plansUrl = () => `${address.url}${billingPagePaths.start}`;
  const billing = new BillingService({
    ...database,
    ...stores.shared,
    clock: stores.clock,
    backend,
    welcomeUrl: () => `${address.url}${billingPagePaths.welcome}`,
    plansUrl,
  });
  const report = new BillingReport({ ...database, quota, clock: stores.clock, upgradeUrl: plansUrl });
  return {
    stopCharging: (accountId) => stopCharging({ ...database, backend }, accountId),
    routes: [
      ...billingRoutes(billing),
      ...billingReportRoutes({ billing, report }),
      stripeWebhookRoute(news),
      ...billingPageRoutes(settings.tierLimits),
    ],
    features: ['billing', ...(backend === undefined ? [] : ['checkout'])],
    async close(untilMs) {
      creditUseListener.onUse = () => undefined;
      // The next start picks up unfinished work.
      const closed = backend?.recharger.close() ?? Promise.resolve();
      await Promise.race([
        closed,
        sleep(Math.max(0, untilMs - performance.now()), undefined, { ref: false }),
      ]);
    },
  };
}

interface ProcessorServices {
  readonly backend: BillingBackend | undefined;
  readonly news: ProcessorWebhooks | undefined;
}

function createBillingBackend({
  settings,
  egress,
  stores,
  log,
  audit,
}: Pick<BillingParts, 'settings' | 'egress' | 'stores' | 'log' | 'audit'>): ProcessorServices {
  const { mpp, billing } = settings;
  if (mpp.stripeKey === undefined) return { backend: undefined, news: undefined };
  const { webhookSecret, prices } = billing;
  const processor = new StripeBilling({
    client: lazyStripe({ egress, key: mpp.stripeKey, base: mpp.stripeBase }),
    webhookSecret,
    prices,
  });
  const { database } = stores;
  const parts = { ...database, versions: stores.shared.versions, processor, clock: stores.clock };
  const subscriptions = new Subscriptions({
    ...parts,
    changeTier: (account, tier, apply) =>
      audit.change({ event: 'tier.changed', account, tier, actor: 'stripe' }, apply),
  });
  const purchases = new CreditPurchases(parts);
  const recharger = new Recharger({
    ...parts,
    purchases,
    onFault: (err) =>
      log.error({ err: redactStripeError(err) }, 'an auto-recharge failed; it will be retried'),
  });
  const soldTiers = new Set(paidTiers.filter((tier) => prices[tier].length > 0));
  const onFault = (err: unknown) =>
    log.error({ err: redactStripeError(err) }, 'the payment processor failed');
  const backend = { processor, subscriptions, recharger, soldTiers, onFault };
  const news = new ProcessorWebhooks({ ...parts, subscriptions, purchases, recharger, onFault });
  return { backend, news: webhookSecret === undefined ? undefined : news };
}

/** Messages of the payment processor may quote request data. */
function redactStripeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return thrown;
  const { name, statusCode } = thrown;
  const [code, requestId] = [
    'code' in thrown ? thrown.code : null,
    'requestId' in thrown ? thrown.requestId : null,
  ];
  return { name, statusCode, code, requestId };
}
