import { z } from 'zod';
import { hideProviderError } from '../../calls/hide-provider-error.ts';
import type { ClientPresence } from '../../kernel/client-presence.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { parseObject } from '../../wire/json-values.ts';
import { emptyAnswerError } from '../delivery/deliver-stream.ts';

/** The model answered, but the payment failed. */
export class PaymentFailedError extends Error {
  constructor() {
    super(
      'The payment could not be captured. Nothing was delivered, and any captured amount is refunded within minutes.',
    );
  }
}

const answerSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});

/** Rejects an answer without content, which is not charged. Streams are checked as they arrive. */
export function checkHasContent(whole: Uint8Array | undefined): void {
  if (whole === undefined) return;
  const { data } = answerSchema.safeParse(parseObject(Buffer.from(whole).toString()));
  if (data?.content.some(({ type, text }) => type !== 'text' || text !== '') !== true)
    throw emptyAnswerError();
}

export function checkClientConnected({ hasLeft }: ClientPresence): void {
  if (hasLeft) throw new GatewayError('client_gone', 'the client closed the connection');
}

export function checkFailureLimit(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0)
    throw new GatewayError('too_many_failures', 'too many unpaid calls from this address; try again later', {
      retryAfterSeconds,
    });
}

export function idempotencyKeyInUseError(): GatewayError {
  return new GatewayError(
    'idempotency_key_in_use',
    'the call with this Idempotency-Key is in progress; retry shortly',
    { retryAfterSeconds: 2, param: 'Idempotency-Key' },
  );
}

export function withNotChargedDetail(thrown: unknown): unknown {
  return withDetail(
    thrown,
    'nothing was charged; the challenge can be paid again until it expires, if the wallet reuses its token',
  );
}

export function withDetail(thrown: unknown, detail: string): unknown {
  const own = hideProviderError(thrown);
  return GatewayError.is(own) ? new GatewayError(own.code, own.message, { ...own.details, detail }) : own;
}
