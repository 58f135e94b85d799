import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import type {
  AlertChannel,
  AlertDelivery,
  AlertEvent,
  AlertTable,
  DeliveryQuery,
  StoredWebhook,
} from '../kernel/ports/alerts.ts';
import type { Clock } from '../lib/clock.ts';
import { composeMessage } from './alert-outbox.ts';
import { limits } from './limits.ts';
import { createSecret } from './signature.ts';
import { openTarget, type Sealing, sealTarget, type WebhookTarget } from './webhook-target.ts';

interface WebhooksParts {
  readonly table: AlertTable;
  readonly clock: Clock;
  readonly sealing: Sealing;
  /** Why the gateway may not send to an address; undefined if it may. */
  findAddressFault(url: URL): string | undefined;
  /** Why an account can't get mail; undefined if it can. */
  findMailFault(accountId: string): Promise<string | undefined>;
  /** Called when there are deliveries to send. */
  onDue(): void;
}

/** A webhook with its address, and with its secret if that is new. */
export interface Webhook extends StoredWebhook {
  readonly url: string | undefined;
  readonly newSecret?: string | undefined;
}

interface WebhookInput {
  readonly channel: AlertChannel;
  readonly url: string | undefined;
  readonly events: readonly AlertEvent[];
}

/** What is undefined stays as it is. */
interface WebhookEdit {
  readonly url?: string | undefined;
  readonly events?: readonly AlertEvent[] | undefined;
  readonly enabled?: boolean | undefined;
}

/** The webhooks of accounts. */
export class Webhooks {
  readonly #parts: WebhooksParts;

  constructor(parts: WebhooksParts) {
    this.#parts = parts;
  }

  async create(accountId: string, { channel, url, events }: WebhookInput): Promise<Webhook> {
    const { table, clock, sealing } = this.#parts;
    if (channel === 'mail') await this.#checkMail(accountId);
    const target: WebhookTarget = {
      url: channel === 'mail' ? undefined : this.#checkAddress(url),
      secret: channel === 'webhook' ? createSecret() : undefined,
    };
    const id = randomUUID();
    const webhook: StoredWebhook = {
      ...{ id, accountId, channel, events },
      ...sealTarget(sealing, { id, accountId }, target),
      createdAtMs: clock.now(),
      disabledAtMs: null,
      disabledReason: null,
      failingSinceMs: null,
    };
    if (!(await table.addWebhook(webhook, limits.webhooksMax)))
      throw new GatewayError(
        'webhook_limit_reached',
        `the account has reached the limit of ${limits.webhooksMax} webhooks; delete one first`,
      );
    return { ...webhook, url: target.url, newSecret: target.secret };
  }

  async list(accountId: string): Promise<readonly Webhook[]> {
    return (await this.#parts.table.webhooks(accountId)).map((webhook) => this.#withUrl(webhook));
  }

  async find(accountId: string, id: string): Promise<Webhook> {
    const webhook = (await this.list(accountId)).find((one) => one.id === id);
    if (webhook === undefined) throw unknownWebhookError();
    return webhook;
  }

  /** Switching a webhook on forgets its failures. */
  async change(accountId: string, id: string, { url, events, enabled }: WebhookEdit): Promise<Webhook> {
    const { sealing, clock } = this.#parts;
    const webhook = await this.find(accountId, id);
    if (url !== undefined && webhook.channel === 'mail')
      throw new GatewayError('invalid_request', 'mail goes to the address of the account: leave url out', {
        param: 'url',
      });
    const sealed =
      url === undefined
        ? {}
        : sealTarget(sealing, webhook, { ...this.#openTarget(webhook), url: this.#checkAddress(url) });
    const on = { disabledAtMs: null, disabledReason: null, failingSinceMs: null };
    const off = { disabledAtMs: clock.now(), disabledReason: 'switched off by the account holder' };
    const isEnabled = webhook.disabledAtMs === null;
    return this.#change(webhook, {
      ...sealed,
      ...(events !== undefined && { events }),
      ...(enabled !== undefined && enabled !== isEnabled && (enabled ? on : off)),
    });
  }

  /** The secret before signs as well for a day, so that receivers can change theirs at any time. */
  async rotateSecret(accountId: string, id: string): Promise<Webhook> {
    const { sealing, clock } = this.#parts;
    const webhook = await this.find(accountId, id);
    const target = this.#openTarget(webhook);
    if (target.secret === undefined)
      throw new GatewayError('invalid_request', 'mail and Slack messages are not signed: there is no secret');
    const secret = createSecret();
    const previous = { secret: target.secret, untilMs: clock.now() + limits.secretOverlapMs };
    const sealed = sealTarget(sealing, webhook, { ...target, secret, previous });
    return { ...(await this.#change(webhook, sealed)), newSecret: secret };
  }

  async delete(accountId: string, id: string): Promise<void> {
    await this.find(accountId, id);
    if (!(await this.#parts.table.deleteWebhook(accountId, id))) throw unknownWebhookError();
  }

  /** Sends a message of the type `webhook.test`, whatever the webhook's events are. */
  async sendTest(accountId: string, id: string): Promise<AlertDelivery> {
    const { table, clock, onDue } = this.#parts;
    const webhook = await this.#findEnabled(accountId, id);
    const content = {
      event: 'webhook.test',
      message: 'This is a test of Weir: alerts of your account arrive here.',
      data: { webhook_id: id },
    };
    const delivery = await table.addDelivery(webhook, composeMessage(content, clock.now()), limits);
    if (delivery === undefined)
      throw new GatewayError('busy', 'too many alerts of the account wait to be sent; try again later', {
        retryAfterSeconds: 60,
      });
    onDue();
    return delivery;
  }

  async deliveries(query: DeliveryQuery): Promise<readonly AlertDelivery[]> {
    await this.find(query.accountId, query.webhookId);
    return this.#parts.table.deliveries(query);
  }

  async resend(accountId: string, webhookId: string, id: string): Promise<AlertDelivery> {
    const { table, clock, onDue } = this.#parts;
    await this.#findEnabled(accountId, webhookId);
    // PostgreSQL rejects some characters.
    const delivery = /^[0-9a-f-]{36}$/.test(id)
      ? await table.resend({ accountId, webhookId, id }, clock.now())
      : undefined;
    if (delivery === undefined)
      throw new GatewayError(
        'not_found',
        'the webhook has no such delivery; GET /v1/webhooks/:id/deliveries lists them',
      );
    onDue();
    return delivery;
  }

  async #findEnabled(accountId: string, id: string): Promise<Webhook> {
    const webhook = await this.find(accountId, id);
    if (webhook.disabledAtMs === null) return webhook;
    throw new GatewayError(
      'webhook_disabled',
      `the webhook is disabled (${webhook.disabledReason ?? ''}); switch it on with PATCH /v1/webhooks/:id {"enabled": true}`,
    );
  }

  async #change(
    { accountId, id }: StoredWebhook,
    changes: Parameters<AlertTable['changeWebhook']>[2],
  ): Promise<Webhook> {
    const changed = await this.#parts.table.changeWebhook(accountId, id, changes);
    if (changed === undefined) throw unknownWebhookError();
    return this.#withUrl(changed);
  }

  #withUrl(webhook: StoredWebhook): Webhook {
    return { ...webhook, url: openTarget(this.#parts.sealing, webhook)?.url };
  }

  #openTarget(webhook: StoredWebhook): WebhookTarget {
    const target = openTarget(this.#parts.sealing, webhook);
    if (target !== undefined) return target;
    throw new GatewayError(
      'invalid_request',
      'the webhook was stored with another secret of the gateway; delete it and create it again',
    );
  }

  async #checkMail(accountId: string): Promise<void> {
    const fault = await this.#parts.findMailFault(accountId);
    if (fault !== undefined) throw new GatewayError('invalid_request', fault, { param: 'channel' });
  }

  #checkAddress(text: string | undefined): string {
    const url = URL.parse(text ?? '');
    const fault = url === null ? 'must be a URL' : (findFault(url) ?? this.#parts.findAddressFault(url));
    if (url !== null && fault === undefined) return url.href;
    throw new GatewayError('invalid_request', `url ${fault}`, { param: 'url' });
  }
}

function findFault({ protocol, username, password, hash }: URL): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://';
  if (username !== '' || password !== '') return 'must not contain a user or password';
  return hash === '' ? undefined : 'must not contain a fragment (#…)';
}

function unknownWebhookError(): GatewayError {
  return new GatewayError('not_found', 'the account has no such webhook; GET /v1/webhooks lists them');
}
