import type { JsonObject } from '../../lib/json.ts';

/** What account holders can be alerted to. */
export const alertEvents = [
  'budget.threshold',
  'budget.exceeded',
  'tier.cap_reached',
  'key.revoked',
  'credential.failing',
  'breaker.opened',
  'breaker.closed',
  'anomaly.detected',
  'anomaly.ended',
] as const;
export type AlertEvent = (typeof alertEvents)[number];

/** Something that an account holder should know. */
export interface Alert {
  readonly accountId: string;
  readonly event: AlertEvent;
  /** Of all alerts of an account with this event and key, on all replicas, only the first is sent. */
  readonly key: string;
  /** For people, in plain text: what happened, since when, and what to do. */
  readonly message: string;
  /** For programs: the fields of the event. */
  readonly data: JsonObject;
}

export interface Alerts {
  /** Never throws or waits. The alert is stored soon, and then sent to the webhooks of the account that have its event. */
  raise(alert: Alert): void;
}

/** How alerts are sent: by Standard Webhooks, to an incoming webhook of Slack, or by mail to the account holder. */
export const alertChannels = ['webhook', 'slack', 'mail'] as const;
export type AlertChannel = (typeof alertChannels)[number];

export interface StoredWebhook {
  readonly id: string;
  readonly accountId: string;
  readonly channel: AlertChannel;
  readonly events: readonly AlertEvent[];
  /** The address and the secrets, sealed. */
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
  readonly createdAtMs: number;
  /** When it was switched off, and why; null while it is on. */
  readonly disabledAtMs: number | null;
  readonly disabledReason: string | null;
  /** Since when all attempts failed; null if the last one succeeded. */
  readonly failingSinceMs: number | null;
}

export type WebhookChanges = Partial<
  Pick<StoredWebhook, 'events' | 'sealedBy' | 'sealed' | 'disabledAtMs' | 'disabledReason' | 'failingSinceMs'>
>;

/** An alert as it is sent. */
export interface AlertMessage {
  /** The same in all attempts and for all webhooks. */
  readonly id: string;
  /** An event, or `webhook.test`. */
  readonly type: string;
  /** JSON. */
  readonly body: string;
  readonly atMs: number;
}

/** A message for one webhook. */
export interface AlertDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly message: AlertMessage;
  readonly attempts: number;
  /** When the attempts began; a message that is sent again starts anew. */
  readonly startedAtMs: number;
  /** When the next attempt is due, or the lease of the running one ends; null if there is none. */
  readonly dueAtMs: number | null;
  readonly lastAttemptAtMs: number | null;
  /** The HTTP status of the last attempt. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed. */
  readonly lastError: string | null;
  readonly deliveredAtMs: number | null;
}

/** A delivery with its webhook, leased until `dueAtMs`. */
export interface TakenDelivery {
  readonly delivery: AlertDelivery & { readonly dueAtMs: number };
  readonly webhook: StoredWebhook;
}

/** How an attempt ended. */
export type AttemptResult = Pick<AlertDelivery, 'lastStatus' | 'lastError' | 'deliveredAtMs'> & {
  readonly atMs: number;
  /** When to try again; null to give up. */
  readonly nextAtMs: number | null;
};

export interface DeliveryQuery {
  readonly accountId: string;
  readonly webhookId: string;
  /** Only those before this one. */
  readonly before: { readonly atMs: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** How many deliveries of an alert are stored, and how many are lost because of the bounds. */
export interface AddedDeliveries {
  readonly stored: number;
  readonly lost: number;
}

/** The most that is stored for an account. */
export interface AlertBounds {
  readonly deliveriesMax: number;
  readonly alertsPerDayMax: number;
}

/** Webhooks, and messages that wait to be sent; shared by all replicas. */
export interface AlertTable {
  /** False if the account has `most` webhooks. */
  addWebhook(webhook: StoredWebhook, most: number): Promise<boolean>;
  /** The oldest first. */
  webhooks(accountId: string): Promise<readonly StoredWebhook[]>;
  /** Undefined if the account has no such webhook. Messages for a disabled one are given up. */
  changeWebhook(accountId: string, id: string, changes: WebhookChanges): Promise<StoredWebhook | undefined>;
  /** Deletes it with its deliveries; false if the account has no such webhook. */
  deleteWebhook(accountId: string, id: string): Promise<boolean>;
  /**
   * Stores an alert for all webhooks that have its event, unless one with the same event and key is stored. Stores
   * nothing for accounts without such webhooks.
   */
  add(
    alert: Pick<Alert, 'accountId' | 'event' | 'key'>,
    message: AlertMessage,
    bounds: AlertBounds,
  ): Promise<AddedDeliveries>;
  /** Adds one message for one webhook; false if the account has too many. */
  addDelivery(
    webhook: StoredWebhook,
    message: AlertMessage,
    bounds: AlertBounds,
  ): Promise<AlertDelivery | undefined>;
  /** Leases due deliveries, one for each webhook. Two processes never get the same. */
  take(lease: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly TakenDelivery[]>;
  /** Records an attempt, unless the lease has passed to another process. */
  recordAttempt(delivery: TakenDelivery['delivery'], result: AttemptResult): Promise<void>;
  /** The newest first. */
  deliveries(query: DeliveryQuery): Promise<readonly AlertDelivery[]>;
  /** Makes a delivery due, with all its attempts; undefined if the webhook has no such delivery. */
  resend(
    delivery: Pick<AlertDelivery, 'accountId' | 'webhookId' | 'id'>,
    nowMs: number,
  ): Promise<AlertDelivery | undefined>;
  /** Deletes alerts and ended deliveries that are older. */
  clean(before: { readonly alertsMs: number; readonly deliveriesMs: number }): Promise<void>;
  /** Deletes all of an account. */
  forget(accountId: string): Promise<void>;
}
