import { z } from 'zod';
import type { ProcessorEvent } from '../billing-processor.ts';

/** A Stripe object, or only its id. */
const referenceSchema = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish();

const eventObjectSchema = z.object({
  id: z.string().optional(),
  mode: z.string().nullish(),
  customer: referenceSchema,
  payment_intent: referenceSchema,
  metadata: z.record(z.string(), z.string()).nullish(),
});

/** The subject of an event. Its data is ignored, because it may be outdated. */
export function eventSubjectOf(type: string, object: unknown): ProcessorEvent['subject'] {
  const { data } = eventObjectSchema.safeParse(object);
  if (data === undefined) return undefined;
  const { id, mode, customer, payment_intent: intent, metadata } = data;
  if (type.startsWith('payment_intent.'))
    return id !== undefined && metadata?.weir_credits !== undefined ? { intentId: id } : undefined;
  if (type.startsWith('charge.') || type.startsWith('refund.'))
    return intent ? { intentId: intent } : undefined;
  if (type.startsWith('checkout.session.') && mode === 'payment')
    return intent ? { intentId: intent } : undefined;
  const isOfSubscription = /^(checkout\.session|customer\.subscription|invoice)\./.test(type);
  return isOfSubscription && customer ? { customerId: customer } : undefined;
}
