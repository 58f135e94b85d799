import { z } from 'zod';

const stripeErrorSchema = z.object({
  type: z.string(),
  statusCode: z.number(),
  code: z.string().nullish(),
  decline_code: z.string().nullish(),
});

/** Why a charge was finally declined; undefined if the result is unknown: no reply, an error of Stripe's or of the operator's. */
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

/** Undefined if Stripe says that the object does not exist. */
export async function unlessMissing<Answer>(request: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request();
  } catch (thrown) {
    if (stripeErrorSchema.safeParse(thrown).data?.code === 'resource_missing') return undefined;
    throw thrown;
  }
}
