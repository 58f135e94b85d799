import { z } from 'zod';
import { countAttempt } from '../../../accounts/count-attempt.ts';
import type { Webhook, Webhooks } from '../../../alerts/webhooks.ts';
import { changeOf } from '../../../audit/change.ts';
import type { AuditFacts } from '../../../audit/facts.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { type AlertDelivery, alertEvents } from '../../../kernel/ports/alerts.ts';
import type { RateLimiter } from '../../../kernel/ports/shared-state.ts';
import { limits } from '../../limits.ts';
import { byPerson, defineRoute } from '../define-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { textSchema, timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { invalidFieldError, parseQuery } from '../validation.ts';

const urlSchema = textSchema({ min: 1, max: limits.webhookUrlCharactersMax }).describe(
  'Where messages are sent. In cloud mode it must begin with https:// and have a public address',
);
const eventsSchema = z.array(z.enum(alertEvents)).min(1).describe('The events that it gets');

const webhookInfo = z.strictObject({
  id: z.string(),
  channel: z.enum(['webhook', 'mail']),
  format: z.enum(['standard', 'slack']).nullable().describe('null for mail'),
  url: z.string().nullable().describe('null for mail'),
  events: eventsSchema,
  enabled: z.boolean(),
  disabled_at: z.iso.datetime().nullable(),
  disabled_reason: z.string().nullable(),
  failing_since: z.iso.datetime().nullable().describe('Since when all attempts failed'),
  created_at: z.iso.datetime(),
  secret: z
    .string()
    .optional()
    .describe('The secret of the signatures, `whsec_…`; only in the response that creates it'),
});

const deliveryInfo = z.strictObject({
  id: z.string(),
  message_id: z.string().describe('The `webhook-id` of the message, the same in all attempts'),
  type: z.string().describe('The event, or `webhook.test`'),
  message: z.string().describe('The text for people'),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  created_at: z.iso.datetime(),
  last_attempt_at: z.iso.datetime().nullable(),
  next_attempt_at: z.iso.datetime().nullable(),
  delivered_at: z.iso.datetime().nullable(),
  response_status: z.int().nullable().describe('The HTTP status of the last attempt'),
  error: z.string().nullable().describe('Why the last attempt failed'),
});

const cursors = new TimeCursors(/^[0-9a-f-]{36}$/);
const pageQuery = {
  limit: pageLimitSchema(limits.deliveryPageMax),
  after: cursors.querySchema('A `next_cursor`: returns the older deliveries that follow it'),
};
const pageInfo = z.strictObject({
  deliveries: z.array(deliveryInfo).describe('Newest first'),
  has_more: z.boolean(),
  next_cursor: z.string().nullable().describe('For `after`; null when there is nothing older'),
});

const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
const unknown = { 404: { description: 'The account has no such webhook' } };
const limited = {
  409: { description: 'The webhook is disabled' },
  429: { description: 'Too many messages were requested' },
};

/** Webhooks of an account, and the messages that were sent to them. */
export function webhookRoutes(webhooks: Webhooks, attempts: RateLimiter): readonly ApiRoute[] {
  const common = { tag: 'Webhooks', access: byPerson('settings') } as const;
  const countMessage = (accountId: string) =>
    countAttempt(attempts, `webhooks ${accountId}`, limits.webhookMessages);
  return [
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'webhook.created',
      path: '/v1/webhooks',
      summary: 'Create a webhook',
      body: jsonBody({
        url: urlSchema.optional(),
        events: eventsSchema,
        channel: z.enum(['webhook', 'mail']).optional().describe('webhook if it is left out'),
        format: z
          .enum(['standard', 'slack'])
          .optional()
          .describe('standard: signed JSON; slack: for an incoming webhook of Slack'),
      }),
      responses: {
        201: { description: 'The webhook, with its secret', schema: webhookInfo },
        400: { description: 'The body is invalid, or messages can’t be sent there' },
        ...unauthenticated,
        409: { description: 'The account has too many webhooks' },
      },
      async handle({ caller: { accountId }, body: { url, events, channel = 'webhook', format } }) {
        if (channel === 'mail' && url !== undefined)
          throw invalidFieldError('must be left out: mail goes to the address of the account', 'url');
        if (channel === 'mail' && format !== undefined)
          throw invalidFieldError('must be left out for mail', 'format');
        const webhook = await webhooks.create(accountId, {
          channel: channel === 'mail' ? 'mail' : format === 'slack' ? 'slack' : 'webhook',
          url,
          events: [...new Set(events)],
        });
        return { status: 201, body: describeWebhook(webhook), audit: changeOfWebhook(undefined, webhook) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/webhooks',
      summary: 'List webhooks',
      body: noBody,
      responses: {
        200: {
          description: 'The webhooks, the oldest first',
          schema: z.strictObject({
            webhooks: z.array(webhookInfo),
            events: z.array(z.enum(alertEvents)).describe('The events that a webhook may get'),
          }),
        },
        ...unauthenticated,
      },
      async handle({ caller: { accountId } }) {
        const listed = await webhooks.list(accountId);
        return { body: { webhooks: listed.map(describeWebhook), events: [...alertEvents] } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/webhooks/:id',
      summary: 'Get a webhook',
      body: noBody,
      responses: { 200: { description: 'The webhook', schema: webhookInfo }, ...unauthenticated, ...unknown },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        return { body: describeWebhook(await webhooks.find(accountId, id)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      audit: 'webhook.changed',
      path: '/v1/webhooks/:id',
      summary: 'Change a webhook, or switch it on or off',
      body: jsonBody({
        url: urlSchema.optional(),
        events: eventsSchema.optional(),
        enabled: z.boolean().optional().describe('false: messages that wait are given up'),
      }),
      responses: {
        200: { description: 'The changed webhook', schema: webhookInfo },
        400: { description: 'The body is invalid, or messages can’t be sent there' },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller: { accountId }, parameters: { id = '' }, body: { url, events, enabled } }) {
        const before = await webhooks.find(accountId, id);
        const webhook = await webhooks.change(accountId, id, { url, events, enabled });
        return { body: describeWebhook(webhook), audit: changeOfWebhook(before, webhook) };
      },
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      audit: 'webhook.deleted',
      path: '/v1/webhooks/:id',
      summary: 'Delete a webhook with its deliveries',
      body: noBody,
      responses: { 204: { description: 'Deleted' }, ...unauthenticated, ...unknown },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        const before = await webhooks.find(accountId, id);
        await webhooks.delete(accountId, id);
        return { status: 204, audit: changeOfWebhook(before, undefined) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'webhook.secret_replaced',
      path: '/v1/webhooks/:id/rotate-secret',
      summary: 'Replace the secret of a webhook; for a day, messages are signed with both',
      body: noBody,
      responses: {
        200: { description: 'The webhook, with its new secret', schema: webhookInfo },
        400: { description: 'Mail and Slack messages are not signed' },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        return {
          body: describeWebhook(await webhooks.rotateSecret(accountId, id)),
          audit: { webhook: id },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: '/v1/webhooks/:id/test',
      summary: 'Send a test message to a webhook',
      body: noBody,
      responses: {
        202: { description: 'The message is being sent', schema: deliveryInfo },
        ...unauthenticated,
        ...unknown,
        ...limited,
      },
      async handle({ caller: { accountId }, parameters: { id = '' } }) {
        await countMessage(accountId);
        return { status: 202, body: describeDelivery(await webhooks.sendTest(accountId, id)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      summary: 'List the messages for a webhook',
      body: noBody,
      query: pageQuery,
      responses: {
        200: { description: 'A page of deliveries', schema: pageInfo },
        400: { description: 'A query parameter is invalid' },
        ...unauthenticated,
        ...unknown,
      },
      async handle({ caller: { accountId }, parameters: { id: webhookId = '' }, query }) {
        const { limit = defaultPageLimit, after } = parseQuery(pageQuery, query);
        const before = after === undefined ? undefined : cursors.decode(after);
        const page = await webhooks.deliveries({ accountId, webhookId, before, limit: limit + 1 });
        const shown = page.slice(0, limit);
        const last = page.length > limit ? shown.at(-1) : undefined;
        return {
          body: {
            deliveries: shown.map(describeDelivery),
            has_more: last !== undefined,
            next_cursor: last === undefined ? null : cursors.encode({ atMs: last.message.atMs, id: last.id }),
          },
        };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      audit: 'none',
      path: '/v1/webhooks/:id/deliveries/:delivery_id/resend',
      summary: 'Send a message again',
      body: noBody,
      responses: {
        202: { description: 'The message is being sent', schema: deliveryInfo },
        ...unauthenticated,
        404: { description: 'The account has no such webhook, or the webhook no such delivery' },
        ...limited,
      },
      async handle({ caller: { accountId }, parameters: { id = '', delivery_id = '' } }) {
        await countMessage(accountId);
        return { status: 202, body: describeDelivery(await webhooks.resend(accountId, id, delivery_id)) };
      },
    }),
  ];
}

function changeOfWebhook(before: Webhook | undefined, after: Webhook | undefined): AuditFacts {
  const fieldsOf = (webhook: Webhook | undefined) =>
    webhook && { url: webhook.url, events: webhook.events, enabled: webhook.disabledAtMs === null };
  return { webhook: (after ?? before)?.id ?? '', ...changeOf(fieldsOf(before) ?? {}, fieldsOf(after) ?? {}) };
}

function describeWebhook(webhook: Webhook) {
  const { id, channel, url, events, disabledAtMs, disabledReason, newSecret } = webhook;
  return {
    id,
    channel: channel === 'mail' ? 'mail' : 'webhook',
    format: channel === 'mail' ? null : channel === 'slack' ? 'slack' : 'standard',
    url: url ?? null,
    events,
    enabled: disabledAtMs === null,
    disabled_at: timeOf(disabledAtMs),
    disabled_reason: disabledReason,
    failing_since: timeOf(webhook.failingSinceMs),
    created_at: timestamp(webhook.createdAtMs),
    ...(newSecret !== undefined && { secret: newSecret }),
  };
}

function describeDelivery(delivery: AlertDelivery) {
  const { id, message, attempts, dueAtMs, deliveredAtMs, lastAttemptAtMs, lastStatus, lastError } = delivery;
  const { message: text }: { message: string } = JSON.parse(message.body);
  return {
    id,
    message_id: message.id,
    type: message.type,
    message: text,
    status: deliveredAtMs !== null ? 'delivered' : dueAtMs === null ? 'failed' : 'pending',
    attempts,
    created_at: timestamp(message.atMs),
    last_attempt_at: timeOf(lastAttemptAtMs),
    next_attempt_at: timeOf(dueAtMs),
    delivered_at: timeOf(deliveredAtMs),
    response_status: lastStatus,
    error: lastError,
  };
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}
