import { Sealer } from '../../accounts/sealer.ts';
import { AlertOutbox } from '../../alerts/alert-outbox.ts';
import { AnomalyWatcher } from '../../alerts/anomalies/anomaly-watcher.ts';
import { BudgetAlerts } from '../../alerts/budget-alerts.ts';
import { type AlertMail, Deliverer } from '../../alerts/deliverer.ts';
import { InstanceWebhooks } from '../../alerts/instance-webhooks.ts';
import { limits } from '../../alerts/limits.ts';
import { Webhooks } from '../../alerts/webhooks.ts';
import type { AllowList } from '../../egress/allow-list.ts';
import type { Egress, Reach } from '../../egress/egress.ts';
import { findPublicFault } from '../../egress/public-url.ts';
import type { Alerts } from '../../kernel/ports/alerts.ts';
import type { SpendingListener } from '../../kernel/ports/budget.ts';
import { escapeHtml } from '../../lib/html.ts';
import { webhookRoutes } from '../../server/api/routes/webhooks.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { createSmtpDelivery } from '../smtp.ts';
import { version } from '../version.ts';
import { webhooksPurpose } from './egress.ts';
import type { Stores } from './stores.ts';

interface AlertsPart extends Part {
  readonly alerts: Alerts;
  readonly spendingListener: SpendingListener;
}

interface AlertsParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly egress: Egress;
  readonly allowList: AllowList;
  readonly stores: Stores;
}

/** Alerts to account holders, and the webhooks that get them. */
export function alertsPart({ settings, log, roots, egress, allowList, stores }: AlertsParts): AlertsPart {
  const { database, clock, shared } = stores;
  const table = database.alerts;
  const sealing = new Sealer(roots.deriveKeys('webhooks'));
  const isCloud = settings.mode === 'cloud';
  const isAllowed = (origin: string) => !isCloud || allowList.allowsByName(webhooksPurpose, origin);
  const openFetch = (reachOf: (origin: string) => Reach) =>
    egress.openFetch({ purpose: webhooksPurpose, reachOf, headers: { 'user-agent': `weir/${version}` } });
  const deliverer = new Deliverer({
    table,
    clock,
    sealing,
    fetch: openFetch((origin) => (isAllowed(origin) ? 'any' : 'public')),
    fetchForInstance: openFetch(() => 'any'),
    sendMail: createMailSender({ settings, egress, stores }),
    onError: (err) => log.error({ err }, 'could not send alerts; will retry'),
  });
  const outbox = new AlertOutbox({
    table,
    clock,
    hasInstanceWebhooks: settings.webhooks.length > 0,
    onStored: () => deliverer.send(),
    onError: (err) => log.error({ err }, 'could not store alerts; will retry'),
    onDrop: () => log.error({}, 'too many alerts wait to be stored; some are lost'),
    onLost: (account) => log.warn({ account }, 'the account has too many alerts; one is lost'),
  });
  const webhooks = new Webhooks({
    table,
    clock,
    sealing,
    findAddressFault: (url) => (isAllowed(url.origin) ? undefined : findPublicFault(url)),
    findMailFault: async (accountId) => {
      if (!isCloud || settings.mail === undefined) return 'this gateway sends no mail to account holders';
      const owner = await database.members.owner(accountId);
      return owner?.identity.verifiedAtMs === undefined
        ? 'confirm the e-mail address of the account first: alerts go there'
        : undefined;
    },
    onDue: () => deliverer.send(),
  });
  const keyName = async (accountId: string, keyId: string) => {
    const key = (await database.apiKeys.list(accountId)).find(({ id }) => id === keyId);
    return key === undefined ? keyId : key.name === '' ? key.prefix : key.name;
  };
  const watcher = new AnomalyWatcher({
    activities: database.keyActivities,
    alerts: outbox,
    clock,
    keyName,
    onError: (err) => log.error({ err }, 'could not look for anomalies; will retry'),
  });
  const instance = new InstanceWebhooks({ table, clock, sealing, configured: settings.webhooks });
  const storing = instance
    .store()
    .catch((err) => log.error({ err }, 'could not store the webhooks of the settings; a reload tries again'));
  deliverer.start();
  watcher.start();
  return {
    alerts: outbox,
    spendingListener: new BudgetAlerts({ alerts: outbox, keyName }),
    routes: webhookRoutes(webhooks, shared.rateLimiter),
    gauges: [
      {
        name: 'weir_alerts_waiting',
        help: `Alerts that are not stored yet, max ${limits.waitingMax}`,
        read: () => outbox.waiting,
      },
      { name: 'weir_alerts_dropped_total', help: 'Lost alerts', read: () => outbox.dropped },
    ],
    features: ['webhooks'],
    async close(untilMs) {
      await storing;
      await watcher.stop();
      if (!(await outbox.drain(untilMs - performance.now())))
        log.error({}, 'some alerts could not be stored');
      await deliverer.close(untilMs - performance.now());
    },
  };
}

/** Undefined if no mail can be sent. */
function createMailSender({ settings, egress, stores }: Pick<AlertsParts, 'settings' | 'egress' | 'stores'>) {
  if (settings.mail === undefined) return undefined;
  const deliver = createSmtpDelivery({ ...settings.mail, egress });
  return async (accountId: string, { subject, text }: AlertMail) => {
    const owner = await stores.database.members.owner(accountId);
    if (owner?.identity.verifiedAtMs === undefined) throw new Error('the account has no confirmed address');
    const end =
      'You get this mail because alerts by mail are set up for your account, under "Alerts" in the dashboard.';
    await deliver({
      to: owner.identity.email,
      subject,
      text: `${text}\n\n${end}\n`,
      html: `<!doctype html>\n<html lang="en">\n<body style="font: 16px/1.5 system-ui, sans-serif">\n<p>${escapeHtml(text)}</p>\n<p>${escapeHtml(end)}</p>\n</body>\n</html>\n`,
    });
  };
}
