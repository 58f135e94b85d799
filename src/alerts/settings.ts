import { z } from 'zod';
import { type AlertEvent, alertEvents } from '../kernel/ports/alerts.ts';
import { Secret } from '../lib/secret.ts';
import { jsonText } from '../lib/setting-schemas.ts';
import { envVariable } from '../lib/settings.ts';
import { limits } from './limits.ts';

/** A webhook of the operator. */
export interface InstanceWebhook {
  readonly channel: 'webhook' | 'slack';
  readonly url: string;
  readonly events: readonly AlertEvent[];
  /** Signs messages; Slack needs none. */
  readonly secret: Secret | undefined;
}

const webhook = z
  .strictObject({
    url: z
      .string()
      .refine(
        (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
        'must be an http or https address',
      ),
    channel: z.enum(['webhook', 'slack'], 'must be webhook or slack').default('webhook'),
    events: z
      .array(z.enum(alertEvents))
      .min(1)
      .default([...alertEvents]),
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes in base64')
      .optional(),
  })
  .refine(({ channel, secret }) => channel === 'slack' || secret !== undefined, {
    message: 'is required: it signs the messages',
    path: ['secret'],
  });
const webhooks = z.array(webhook).max(limits.webhooksMax);

export const alertSettings = {
  /** Webhooks that get the alerts of all accounts. */
  webhooks: envVariable(
    'WEIR_WEBHOOKS',
    jsonText(webhooks)
      .transform((listed): readonly InstanceWebhook[] =>
        listed.map(({ secret, ...rest }) => ({
          ...rest,
          secret: secret === undefined ? undefined : new Secret(secret),
        })),
      )
      .default([]),
    { at: 'webhooks', form: 'document', document: webhooks, isSecret: true },
  ),
} as const;
