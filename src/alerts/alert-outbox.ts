import { hash, randomUUID } from 'node:crypto';
import type { Alert, AlertMessage, Alerts, AlertTable } from '../kernel/ports/alerts.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import type { Clock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { alertForInstance } from './instance-webhooks.ts';
import { limits } from './limits.ts';

interface AlertOutboxParts {
  readonly table: Pick<AlertTable, 'add'>;
  readonly clock: Clock;
  /** Whether the operator gets the alerts of all accounts, too. */
  readonly hasInstanceWebhooks?: boolean;
  /** Called when there are deliveries to send. */
  onStored(): void;
  onError(error: unknown): void;
  onDrop(): void;
  /** Called when an account has too many alerts for another one. */
  onLost(accountId: string): void;
}

interface RaisedAlert {
  readonly alert: Alert;
  readonly message: AlertMessage;
}

/** Stores alerts to be sent. A row of the database decides which of several replicas stores an alert. */
export class AlertOutbox implements Alerts {
  readonly #parts: AlertOutboxParts;
  readonly #waiting: WriteBehind<RaisedAlert[]>;
  /** Most alerts are raised again with every call, such as one about a ceiling that has been reached. */
  readonly #remembered = new Lru<true>(limits.rememberedMax);
  #lost = 0;

  constructor(parts: AlertOutboxParts) {
    this.#parts = parts;
    this.#waiting = new WriteBehind({
      createBatch: () => [],
      store: (batch) => this.#store(batch),
      flushMs: limits.storeMs,
      retryMsMax: limits.storeRetryMsMax,
      waitingMax: limits.waitingMax,
      onError: parts.onError,
      onDrop: parts.onDrop,
    });
  }

  /** Alerts that are not stored yet. */
  get waiting(): number {
    return this.#waiting.waiting;
  }

  /** Alerts lost here, and deliveries lost because an account has too many. */
  get dropped(): number {
    return this.#waiting.dropped + this.#lost;
  }

  raise(alert: Alert): void {
    const name = `${alert.accountId}\n${alert.event}\n${alert.key}`;
    if (this.#remembered.get(name) === true || !this.#waiting.hasRoom()) return;
    this.#remembered.set(name, true);
    const { filling } = this.#waiting;
    const alerts = this.#parts.hasInstanceWebhooks === true ? [alert, alertForInstance(alert)] : [alert];
    for (const one of alerts)
      filling.push({ alert: one, message: composeMessage(one, this.#parts.clock.now()) });
    this.#waiting.setSize(filling.length);
  }

  /** False if some alerts could not be stored in time. */
  drain(withinMs: number): Promise<boolean> {
    return this.#waiting.drain(withinMs);
  }

  async #store(batch: readonly RaisedAlert[]): Promise<void> {
    let deliveries = 0;
    for (const { alert, message } of batch) {
      const row = { ...alert, key: shortKey(alert.key) };
      const { stored, lost } = await this.#parts.table.add(row, message, limits);
      deliveries += stored;
      this.#lost += lost;
      if (lost > 0) this.#parts.onLost(alert.accountId);
    }
    if (deliveries > 0) this.#parts.onStored();
  }
}

/** A message as webhooks get it. */
export function composeMessage(
  { event, message, data }: Pick<Alert, 'message' | 'data'> & { readonly event: string },
  atMs: number,
): AlertMessage {
  const id = `evt_${randomUUID()}`;
  const timestamp = new Date(atMs).toISOString();
  return { id, type: event, body: JSON.stringify({ id, type: event, timestamp, message, data }), atMs };
}

function shortKey(key: string): string {
  return key.length > limits.keyCharactersMax ? hash('sha256', key) : key;
}
