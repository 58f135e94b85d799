import { hash } from 'node:crypto';
import type { Alert, AlertTable, StoredWebhook } from '../kernel/ports/alerts.ts';
import type { Clock } from '../lib/clock.ts';
import type { InstanceWebhook } from './settings.ts';
import { openTarget, type Sealing, sealTarget } from './webhook-target.ts';

/** Owns the webhooks of the operator. No account has this id. */
export const instanceOwner = 'instance';

interface InstanceWebhooksParts {
  readonly table: AlertTable;
  readonly clock: Clock;
  readonly sealing: Sealing;
  readonly configured: readonly InstanceWebhook[];
}

/** The webhooks that the operator has set, which get the alerts of all accounts. */
export class InstanceWebhooks {
  readonly #parts: InstanceWebhooksParts;

  constructor(parts: InstanceWebhooksParts) {
    this.#parts = parts;
  }

  /** Makes those in the database the ones in the settings. A webhook stays the same while its address does. */
  async store(): Promise<void> {
    const { table, configured } = this.#parts;
    const stored = new Map((await table.webhooks(instanceOwner)).map((webhook) => [webhook.id, webhook]));
    const wanted = new Map(configured.map((webhook) => [idOf(webhook), webhook]));
    for (const id of stored.keys()) if (!wanted.has(id)) await table.deleteWebhook(instanceOwner, id);
    for (const [id, webhook] of wanted) {
      const before = stored.get(id);
      if (before === undefined) await this.#add(id, webhook);
      else if (!this.#isSame(before, webhook)) await this.#change(id, webhook);
    }
  }

  async #add(id: string, webhook: InstanceWebhook): Promise<void> {
    const { table, clock } = this.#parts;
    const row: StoredWebhook = {
      ...{ id, accountId: instanceOwner, channel: webhook.channel, events: webhook.events },
      ...this.#sealed(id, webhook),
      ...{ createdAtMs: clock.now(), disabledAtMs: null, disabledReason: null, failingSinceMs: null },
    };
    try {
      await table.addWebhook(row, Number.POSITIVE_INFINITY);
    } catch (thrown) {
      // Another process may have added it at the same time.
      const others = await table.webhooks(instanceOwner);
      if (!others.some((other) => other.id === id)) throw thrown;
    }
  }

  /** Switches it on again if its failures had switched it off. */
  async #change(id: string, webhook: InstanceWebhook): Promise<void> {
    await this.#parts.table.changeWebhook(instanceOwner, id, {
      ...this.#sealed(id, webhook),
      events: webhook.events,
      ...{ disabledAtMs: null, disabledReason: null, failingSinceMs: null },
    });
  }

  #sealed(id: string, { url, secret }: InstanceWebhook) {
    const target = { url, secret: secret?.reveal() };
    return sealTarget(this.#parts.sealing, { id, accountId: instanceOwner }, target);
  }

  #isSame(stored: StoredWebhook, { url, secret, events }: InstanceWebhook): boolean {
    const target = openTarget(this.#parts.sealing, stored);
    return (
      stored.disabledAtMs === null &&
      target?.url === url &&
      target.secret === secret?.reveal() &&
      stored.events.join() === events.join()
    );
  }
}

function idOf({ channel, url }: InstanceWebhook): string {
  return hash('sha256', `${channel} ${url}`).slice(0, 32);
}

/** The alert as the operator gets it: with the account that it is about. */
export function alertForInstance(alert: Alert): Alert {
  return {
    ...alert,
    accountId: instanceOwner,
    key: `${alert.accountId}\n${alert.key}`,
    data: { ...alert.data, account_id: alert.accountId },
  };
}
