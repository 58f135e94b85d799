import type {
  AlertDelivery,
  AlertTable,
  AttemptResult,
  StoredWebhook,
  TakenDelivery,
} from '../kernel/ports/alerts.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';
import { instanceOwner } from './instance-webhooks.ts';
import { limits } from './limits.ts';
import { signatureHeaders } from './signature.ts';
import { openTarget, type Sealing, type WebhookTarget } from './webhook-target.ts';

export interface AlertMail {
  readonly subject: string;
  readonly text: string;
}

interface DelivererParts {
  readonly table: AlertTable;
  readonly clock: Clock;
  readonly sealing: Sealing;
  readonly fetch: EgressFetch;
  /** For webhooks of the operator, whose addresses may be private. */
  readonly fetchForInstance: EgressFetch;
  /** Sends a mail to the holder of an account; undefined if no mail can be sent. */
  readonly sendMail?: ((accountId: string, mail: AlertMail) => Promise<void>) | undefined;
  onError(error: unknown): void;
}

/** How an attempt ended: an HTTP status, or the reason why there is none. */
interface Outcome {
  readonly status: number | null;
  readonly error: string | null;
}

/**
 * Sends what is stored, at least once: a process leases deliveries, and one that is killed leaves them to another. Several
 * processes may run it at once.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #closing = new AbortController();
  #timers: readonly NodeJS.Timeout[] = [];
  #sending: Promise<void> | undefined;
  #isDue = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.send(), limits.pollMs).unref(),
      setInterval(() => void this.clean().catch(this.#parts.onError), limits.cleanMs).unref(),
    ];
  }

  /** Sends what is due. */
  send(): void {
    this.#isDue = true;
    this.#sending ??= this.#sendAll()
      .catch((error) => this.#parts.onError(error))
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /** Resolves when nothing is being sent. */
  async whenIdle(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  async clean(): Promise<void> {
    const nowMs = this.#parts.clock.now();
    await this.#parts.table.clean({
      alertsMs: nowMs - limits.alertsKeptMs,
      deliveriesMs: nowMs - limits.deliveriesKeptMs,
    });
  }

  /** Gives up attempts that last longer than `withinMs`; another process makes them again. */
  async close(withinMs: number): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    const timer = setTimeout(() => this.#closing.abort(), Math.max(0, withinMs));
    this.#isDue = false;
    await this.whenIdle();
    clearTimeout(timer);
    this.#closing.abort();
  }

  async #sendAll(): Promise<void> {
    const { table, clock } = this.#parts;
    while (this.#isDue && !this.#closing.signal.aborted) {
      this.#isDue = false;
      const nowMs = clock.now();
      const taken = await table.take({ nowMs, untilMs: nowMs + limits.leaseMs, most: limits.sendsAtOnce });
      await Promise.all(taken.map((one) => this.#sendOne(one)));
      if (taken.length > 0) this.#isDue = true;
    }
  }

  async #sendOne({ delivery, webhook }: TakenDelivery): Promise<void> {
    const outcome = await this.#attempt(delivery, webhook);
    if (this.#closing.signal.aborted && outcome.status === null) return;
    const { table, clock } = this.#parts;
    const atMs = clock.now();
    const isDelivered = outcome.error === null;
    const result: AttemptResult = {
      atMs,
      nextAtMs: isDelivered ? null : nextAttemptAt(delivery, atMs),
      lastStatus: outcome.status,
      lastError: outcome.error,
      deliveredAtMs: isDelivered ? atMs : null,
    };
    await table.recordAttempt(delivery, result);
    if (isDelivered && webhook.failingSinceMs === null) return;
    const { id, accountId } = webhook;
    const failingSinceMs = isDelivered ? null : (webhook.failingSinceMs ?? atMs);
    const disabledReason = isDelivered ? undefined : reasonToDisable(outcome, atMs, failingSinceMs ?? atMs);
    await table.changeWebhook(accountId, id, {
      failingSinceMs,
      ...(disabledReason !== undefined && { disabledAtMs: atMs, disabledReason }),
    });
  }

  async #attempt(delivery: AlertDelivery, webhook: StoredWebhook): Promise<Outcome> {
    const target = openTarget(this.#parts.sealing, webhook);
    if (target === undefined) return failed('the webhook was stored with another secret of the gateway');
    try {
      if (webhook.channel === 'mail') return await this.#sendMail(delivery);
      const response = await this.#post(delivery, webhook, target);
      await response.body?.cancel();
      const { status, ok } = response;
      return { status, error: ok ? null : `the server answered ${status}` };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  #post(
    { message: { id, body } }: AlertDelivery,
    { channel, accountId }: StoredWebhook,
    { url = '', secret = '', previous }: WebhookTarget,
  ): Promise<Response> {
    const nowMs = this.#parts.clock.now();
    const secrets = previous !== undefined && nowMs < previous.untilMs ? [secret, previous.secret] : [secret];
    const signed = { id, timestamp: Math.floor(nowMs / 1000), body };
    const { fetch: fetchForAccounts, fetchForInstance } = this.#parts;
    const send = accountId === instanceOwner ? fetchForInstance : fetchForAccounts;
    return send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(channel === 'webhook' && signatureHeaders(signed, secrets)),
      },
      body: channel === 'slack' ? JSON.stringify({ text: escapeSlack(textOf(body)) }) : body,
      timeoutMs: limits.sendMs,
      maxBytes: limits.responseBytesMax,
      signal: this.#closing.signal,
    });
  }

  async #sendMail({ accountId, message: { type, body } }: AlertDelivery): Promise<Outcome> {
    const { sendMail } = this.#parts;
    if (sendMail === undefined) return failed('this gateway sends no mail');
    try {
      await sendMail(accountId, { subject: `Weir alert: ${type}`, text: textOf(body) });
      return { status: null, error: null };
    } catch (error) {
      // Only the operator may see what the mail server answers.
      this.#parts.onError(error);
      return failed('the mail could not be sent');
    }
  }
}

function failed(error: string): Outcome {
  return { status: null, error };
}

/** Null when it was tried for a day. The delays differ, so that retries of many webhooks don't come together. */
function nextAttemptAt({ attempts, startedAtMs }: AlertDelivery, nowMs: number): number | null {
  const delayMs = Math.min(limits.retryMs * limits.retryFactor ** (attempts - 1), limits.retryMsMax);
  const nextAtMs = Math.round(nowMs + delayMs * (0.75 + Math.random() / 2));
  return nextAtMs > startedAtMs + limits.deliveryMs ? null : nextAtMs;
}

function reasonToDisable({ status }: Outcome, nowMs: number, failingSinceMs: number): string | undefined {
  if (status === 410) return 'the server answered 410 Gone';
  if (nowMs - failingSinceMs < limits.failingMsMax) return undefined;
  return `all attempts failed since ${new Date(failingSinceMs).toISOString()}`;
}

/** The text for people. */
function textOf(body: string): string {
  const content: unknown = JSON.parse(body);
  return isJsonObject(content) && typeof content.message === 'string' ? content.message : body;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
