import { setTimeout as sleep } from 'node:timers/promises';
import { BillingDesk, type Shop } from '../../billing/billing-desk.ts';
import { BillingReport } from '../../billing/billing-report.ts';
import { CreditPurchases } from '../../billing/credit-purchases.ts';
import { paidTiers } from '../../billing/processor.ts';
import { ProcessorNews } from '../../billing/processor-news.ts';
import { Recharger } from '../../billing/recharger.ts';
import { StripeBilling } from '../../billing/stripe/stripe-billing.ts';
import { Subscriptions } from '../../billing/subscriptions.ts';
import { systemClock } from '../../kernel/clock.ts';
import { billingRoutes } from '../../server/own/routes/billing.ts';
import { billingPagePaths, billingPagesRoutes } from '../../server/own/routes/billing-pages.ts';
import { billingReportRoutes } from '../../server/own/routes/billing-reports.ts';
import { stripeWebhookRoute } from '../../server/own/routes/stripe-webhook.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';
import type { People, PublicAddress } from './people.ts';
import type { Stores } from './stores.ts';

interface BillingParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly stores: Stores;
  readonly people: People;
  readonly address: PublicAddress;
  /** Who hears of accounts whose credits paid for calls. */
  readonly creditUse: CreditUse;
}

/** Filled in once somebody wants to hear. */
export interface CreditUse {
  heard: (accountIds: readonly string[]) => void;
}

interface Billing extends Part {
  /** Comes before an account is deleted: nothing is charged from then on. */
  leave(accountId: string): Promise<void>;
}

/** What accounts pay for their tier and for credits; nothing in local mode, which says so elsewhere. */
export function billingPart({ settings, log, stores, people, address, creditUse }: BillingParts): Billing {
  const { quota } = people;
  if (quota === undefined) return { leave: async () => undefined };
  const { database } = stores;
  const { shop, news } = shopOf(settings, stores, log);
  if (shop !== undefined) {
    creditUse.heard = (accountIds) => {
      for (const accountId of accountIds) void shop.recharger.look(accountId);
    };
    shop.recharger.start();
  }
  const startUrl = () => `${address.url}${billingPagePaths.start}`;
  const desk = new BillingDesk({
    ...database,
    ...stores.shared,
    clock: systemClock,
    shop,
    welcomeUrl: () => `${address.url}${billingPagePaths.welcome}`,
    startUrl,
  });
  const report = new BillingReport({ ...database, quota, clock: systemClock, upgradeUrl: startUrl });
  return {
    leave: (accountId) => desk.leave(accountId),
    routes: [
      ...billingRoutes(desk),
      ...billingReportRoutes({ desk, report }),
      stripeWebhookRoute(news),
      ...billingPagesRoutes(settings.tierLimits),
    ],
    features: ['billing'],
    async close(untilMs) {
      creditUse.heard = () => undefined;
      // What is under way then is found by whoever looks next.
      const closed = shop?.recharger.close() ?? Promise.resolve();
      await Promise.race([
        closed,
        sleep(Math.max(0, untilMs - performance.now()), undefined, { ref: false }),
      ]);
    },
  };
}

interface Opened {
  readonly shop: Shop | undefined;
  readonly news: ProcessorNews | undefined;
}

function shopOf(settings: Settings, stores: Stores, log: Log): Opened {
  const { mpp, billing } = settings;
  if (mpp.stripeKey === undefined) return { shop: undefined, news: undefined };
  const { webhookSecret, prices } = billing;
  const processor = new StripeBilling({
    client: lazyStripe({ key: mpp.stripeKey, base: mpp.stripeBase }),
    webhookSecret,
    prices,
  });
  const { database } = stores;
  const parts = { ...database, versions: stores.shared.versions, processor, clock: systemClock };
  const subscriptions = new Subscriptions(parts);
  const purchases = new CreditPurchases(parts);
  const recharger = new Recharger({
    ...parts,
    purchases,
    onFault: (err) => log.error({ err: told(err) }, 'credits are not recharged yet'),
  });
  const sold = new Set(paidTiers.filter((tier) => prices[tier].length > 0));
  const onFault = (err: unknown) => log.error({ err: told(err) }, 'the payment processor did not do it');
  const shop = { processor, subscriptions, recharger, sold, onFault };
  const news = new ProcessorNews({ ...parts, subscriptions, purchases, recharger, onFault });
  return { shop, news: webhookSecret === undefined ? undefined : news };
}

/** What the processor says may quote what it was sent. */
function told(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return thrown;
  const { name, statusCode } = thrown;
  const [code, requestId] = [
    'code' in thrown ? thrown.code : null,
    'requestId' in thrown ? thrown.requestId : null,
  ];
  return { name, statusCode, code, requestId };
}
