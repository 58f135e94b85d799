import { z } from 'zod';
import type { StoredWebhook } from '../kernel/ports/alerts.ts';

/** The address of a webhook, and the secrets that sign its messages. */
export interface WebhookTarget {
  /** Undefined for mail. */
  readonly url?: string | undefined;
  /** Undefined for mail and Slack. */
  readonly secret?: string | undefined;
  /** The secret before the last rotation, which also signs messages until `untilMs`. */
  readonly previous?: { readonly secret: string; readonly untilMs: number } | undefined;
}

/** Encrypts targets for the database. */
export interface Sealing {
  seal(content: string, context: string): { readonly sealedBy: string; readonly sealed: Uint8Array };
  /** Undefined if it was sealed with another secret of the gateway. */
  open(
    sealedBytes: { readonly sealedBy: string; readonly sealed: Uint8Array },
    context: string,
  ): string | undefined;
}

const targetSchema = z.object({
  url: z.string().optional(),
  secret: z.string().optional(),
  previous: z.object({ secret: z.string(), untilMs: z.number() }).optional(),
});

type WebhookId = Pick<StoredWebhook, 'id' | 'accountId'>;

export function sealTarget(sealing: Sealing, webhook: WebhookId, target: WebhookTarget) {
  return sealing.seal(JSON.stringify(target), contextOf(webhook));
}

/** Undefined if it was stored with another secret of the gateway. */
export function openTarget(sealing: Sealing, webhook: StoredWebhook): WebhookTarget | undefined {
  const content = sealing.open(webhook, contextOf(webhook));
  return content === undefined ? undefined : targetSchema.parse(JSON.parse(content));
}

function contextOf({ accountId, id }: WebhookId): string {
  return `webhook ${accountId} ${id}`;
}
