import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A secret as Standard Webhooks writes it: https://www.standardwebhooks.com. */
export function createSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a message by Standard Webhooks, with a signature for each secret. */
export function signatureHeaders(
  { id, timestamp, body }: SignedContent,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
