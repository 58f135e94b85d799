import { z } from 'zod';

const stripeErrorSchema = z.object({
  type: z.string(),
  statusCode: z.number(),
  code: z.string().nullish(),
  decline_code: z.string().nullish(),
});

/** Why a charge was refused for good; undefined where that isn't said: silence, a fault of Stripe's, or one of the operator's. */
export function declineReason(thrown: unknown): string | undefined {
  const { data } = stripeErrorSchema.safeParse(thrown);
  if (data === undefined || data.type === 'StripeIdempotencyError') return undefined;
  const isFinal = data.statusCode === 402 || data.statusCode === 400 || data.statusCode === 404;
  if (!isFinal) return undefined;
  const code = data.decline_code || data.code;
  return data.code === 'authentication_required'
    ? 'the bank wants the card holder to confirm the payment'
    : `the card was declined${code ? ` (${code})` : ''}`;
}

/** Undefined where Stripe says that there is no such thing. */
export async function unlessMissing<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    if (stripeErrorSchema.safeParse(thrown).data?.code === 'resource_missing') return undefined;
    throw thrown;
  }
}
