import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import {
  type AddedDeliveries,
  type Alert,
  type AlertBounds,
  type AlertDelivery,
  type AlertMessage,
  type AlertTable,
  type AttemptResult,
  alertChannels,
  alertEvents,
  type DeliveryQuery,
  type StoredWebhook,
  type TakenDelivery,
  type WebhookChanges,
} from '../../kernel/ports/alerts.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const dayMs = 86_400_000;

export class SqlAlertTable implements AlertTable {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  addWebhook(webhook: StoredWebhook, most: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      // Serializes additions to one account, so that the count stays valid until the insertion.
      await lockAccount(trx, this.#locksRows, webhook.accountId);
      const { count } = await trx
        .selectFrom('webhooks')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account_id', '=', webhook.accountId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= most) return false;
      await trx.insertInto('webhooks').values(webhookRow(webhook)).execute();
      return true;
    });
  }

  async webhooks(accountId: string): Promise<readonly StoredWebhook[]> {
    return webhooksOf(this.#db, accountId);
  }

  changeWebhook(accountId: string, id: string, changes: WebhookChanges): Promise<StoredWebhook | undefined> {
    const { events, sealedBy, sealed, disabledAtMs, disabledReason, failingSinceMs } = changes;
    return this.#db.transaction().execute(async (trx) => {
      const row = await trx
        .updateTable('webhooks')
        .set({
          id,
          ...(events !== undefined && { events: JSON.stringify(events) }),
          ...(sealed !== undefined && { sealed, sealed_by: sealedBy ?? '' }),
          ...(disabledAtMs !== undefined && { disabled_at_ms: disabledAtMs }),
          ...(disabledReason !== undefined && { disabled_reason: disabledReason }),
          ...(failingSinceMs !== undefined && { failing_since_ms: failingSinceMs }),
        })
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined && row.disabled_at_ms !== null)
        await trx
          .updateTable('alert_deliveries')
          .set({ due_at_ms: null, last_error: 'the webhook was disabled' })
          .where('webhook_id', '=', id)
          .where('due_at_ms', 'is not', null)
          .execute();
      return row && webhookOf(row);
    });
  }

  async deleteWebhook(accountId: string, id: string): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('webhooks')
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await trx.deleteFrom('alert_deliveries').where('webhook_id', '=', id).execute();
      return true;
    });
  }

  add(
    { accountId, event, key }: Pick<Alert, 'accountId' | 'event' | 'key'>,
    message: AlertMessage,
    bounds: AlertBounds,
  ): Promise<AddedDeliveries> {
    return this.#db.transaction().execute(async (trx) => {
      const webhooks = (await webhooksOf(trx, accountId)).filter(
        ({ disabledAtMs, events }) => disabledAtMs === null && events.includes(event),
      );
      if (webhooks.length === 0) return { stored: 0, lost: 0 };
      const { count } = await trx
        .selectFrom('alerts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('account_id', '=', accountId)
        .where('at_ms', '>', message.atMs - dayMs)
        .executeTakeFirstOrThrow();
      if (Number(count) >= bounds.alertsPerDayMax) return { stored: 0, lost: webhooks.length };
      const { numInsertedOrUpdatedRows = 0n } = await trx
        .insertInto('alerts')
        .values({ account_id: accountId, event, key, at_ms: message.atMs })
        .onConflict((conflict) => conflict.columns(['account_id', 'event', 'key']).doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return { stored: 0, lost: 0 };
      const stored = (await addDeliveries(trx, webhooks, message, bounds)).length;
      return { stored, lost: webhooks.length - stored };
    });
  }

  addDelivery(
    webhook: StoredWebhook,
    message: AlertMessage,
    bounds: AlertBounds,
  ): Promise<AlertDelivery | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const [added] = await addDeliveries(trx, [webhook], message, bounds);
      return added && deliveryOf(added);
    });
  }

  async take({
    nowMs,
    untilMs,
    most,
  }: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly TakenDelivery[]> {
    const due = await this.#db
      .selectFrom('alert_deliveries')
      .select((the) => ['webhook_id', the.fn.min('due_at_ms').as('due_at_ms')])
      .where('due_at_ms', '<=', nowMs)
      .groupBy('webhook_id')
      .orderBy('due_at_ms')
      .limit(most)
      .execute();
    const taken: TakenDelivery[] = [];
    for (const { webhook_id, due_at_ms } of due) {
      const mine = await this.#claim(webhook_id, Number(due_at_ms), untilMs);
      if (mine !== undefined) taken.push(mine);
    }
    return taken;
  }

  /** Undefined if another process was faster, or the webhook has just been deleted. */
  async #claim(webhookId: string, dueAtMs: number, untilMs: number): Promise<TakenDelivery | undefined> {
    const row = await this.#db
      .updateTable('alert_deliveries')
      .set((the) => ({ due_at_ms: untilMs, attempts: the('attempts', '+', 1) }))
      .where('due_at_ms', '=', dueAtMs)
      .where('id', '=', (the) =>
        the
          .selectFrom('alert_deliveries')
          .select('id')
          .where('webhook_id', '=', webhookId)
          .where('due_at_ms', '=', dueAtMs)
          .orderBy('id')
          .limit(1),
      )
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const webhook = await this.#db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', webhookId)
      .executeTakeFirst();
    if (webhook === undefined) return undefined;
    return { delivery: { ...deliveryOf(row), dueAtMs: untilMs }, webhook: webhookOf(webhook) };
  }

  async recordAttempt(
    { id, dueAtMs }: TakenDelivery['delivery'],
    { atMs, nextAtMs, lastStatus, lastError, deliveredAtMs }: AttemptResult,
  ): Promise<void> {
    await this.#db
      .updateTable('alert_deliveries')
      .set({
        due_at_ms: nextAtMs,
        last_attempt_at_ms: atMs,
        last_status: lastStatus,
        last_error: lastError,
        delivered_at_ms: deliveredAtMs,
      })
      .where('id', '=', id)
      .where('due_at_ms', '=', dueAtMs)
      .execute();
  }

  async deliveries({
    accountId,
    webhookId,
    before,
    limit,
  }: DeliveryQuery): Promise<readonly AlertDelivery[]> {
    const rows = await this.#db
      .selectFrom('alert_deliveries')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where('account_id', '=', accountId)
      .$if(before !== undefined, (query) =>
        query.where((the) =>
          the(the.refTuple('at_ms', 'id'), '<', the.tuple(before?.atMs ?? 0, before?.id ?? '')),
        ),
      )
      .orderBy('at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(deliveryOf);
  }

  async resend(
    { accountId, webhookId, id }: Pick<AlertDelivery, 'accountId' | 'webhookId' | 'id'>,
    nowMs: number,
  ): Promise<AlertDelivery | undefined> {
    const row = await this.#db
      .updateTable('alert_deliveries')
      .set({ due_at_ms: nowMs, started_at_ms: nowMs, attempts: 0, delivered_at_ms: null, last_error: null })
      .where('id', '=', id)
      .where('webhook_id', '=', webhookId)
      .where('account_id', '=', accountId)
      .returningAll()
      .executeTakeFirst();
    return row && deliveryOf(row);
  }

  async clean({
    alertsMs,
    deliveriesMs,
  }: {
    readonly alertsMs: number;
    readonly deliveriesMs: number;
  }): Promise<void> {
    await this.#db.deleteFrom('alerts').where('at_ms', '<', alertsMs).execute();
    await this.#db
      .deleteFrom('alert_deliveries')
      .where('at_ms', '<', deliveriesMs)
      .where('due_at_ms', 'is', null)
      .execute();
  }

  async forget(accountId: string): Promise<void> {
    for (const table of ['alert_deliveries', 'webhooks', 'alerts'] as const)
      await this.#db.deleteFrom(table).where('account_id', '=', accountId).execute();
  }
}

async function webhooksOf(db: Kysely<Tables>, accountId: string): Promise<readonly StoredWebhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at_ms')
    .orderBy('id')
    .execute();
  return rows.map(webhookOf);
}

/** Makes room by deleting the oldest ended deliveries. What waits is never deleted: beyond the bound, nothing is added. */
async function addDeliveries(
  db: Kysely<Tables>,
  webhooks: readonly StoredWebhook[],
  { id: messageId, type, body, atMs }: AlertMessage,
  { deliveriesMax }: AlertBounds,
): Promise<readonly Selectable<Tables['alert_deliveries']>[]> {
  const accountId = webhooks[0]?.accountId ?? '';
  const { count } = await db
    .selectFrom('alert_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const excess = Number(count) + webhooks.length - deliveriesMax;
  let room = webhooks.length;
  if (excess > 0) {
    const { numDeletedRows } = await db
      .deleteFrom('alert_deliveries')
      .where('id', 'in', (the) =>
        the
          .selectFrom('alert_deliveries')
          .select('id')
          .where('account_id', '=', accountId)
          .where('due_at_ms', 'is', null)
          .orderBy('at_ms')
          .limit(excess),
      )
      .executeTakeFirstOrThrow();
    room -= excess - Number(numDeletedRows);
  }
  if (room <= 0) return [];
  return db
    .insertInto('alert_deliveries')
    .values(
      webhooks.slice(0, room).map(({ id }) => ({
        id: randomUUID(),
        account_id: accountId,
        webhook_id: id,
        message_id: messageId,
        type,
        body,
        at_ms: atMs,
        attempts: 0,
        started_at_ms: atMs,
        due_at_ms: atMs,
        last_attempt_at_ms: null,
        last_status: null,
        last_error: null,
        delivered_at_ms: null,
      })),
    )
    .returningAll()
    .execute();
}

function webhookRow(webhook: StoredWebhook): Tables['webhooks'] {
  return {
    id: webhook.id,
    account_id: webhook.accountId,
    channel: webhook.channel,
    events: JSON.stringify(webhook.events),
    sealed_by: webhook.sealedBy,
    sealed: webhook.sealed,
    created_at_ms: webhook.createdAtMs,
    disabled_at_ms: webhook.disabledAtMs,
    disabled_reason: webhook.disabledReason,
    failing_since_ms: webhook.failingSinceMs,
  };
}

function webhookOf(row: Tables['webhooks']): StoredWebhook {
  const events: unknown = JSON.parse(row.events);
  return {
    id: row.id,
    accountId: row.account_id,
    channel: alertChannels.find((channel) => channel === row.channel) ?? 'webhook',
    // A newer version may know further events.
    events: alertEvents.filter((event) => Array.isArray(events) && events.includes(event)),
    sealedBy: row.sealed_by,
    sealed: row.sealed,
    createdAtMs: row.created_at_ms,
    disabledAtMs: row.disabled_at_ms,
    disabledReason: row.disabled_reason,
    failingSinceMs: row.failing_since_ms,
  };
}

function deliveryOf(row: Tables['alert_deliveries']): AlertDelivery {
  return {
    id: row.id,
    accountId: row.account_id,
    webhookId: row.webhook_id,
    message: { id: row.message_id, type: row.type, body: row.body, atMs: row.at_ms },
    attempts: row.attempts,
    startedAtMs: row.started_at_ms,
    dueAtMs: row.due_at_ms,
    lastAttemptAtMs: row.last_attempt_at_ms,
    lastStatus: row.last_status,
    lastError: row.last_error,
    deliveredAtMs: row.delivered_at_ms,
  };
}
