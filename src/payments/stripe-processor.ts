import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import { z } from 'zod';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { Settlement } from '../kernel/ports/settlements.ts';
import type { Secret } from '../lib/secret.ts';
import { limits } from './limits.ts';
import { chargeTerms } from './offer.ts';
import type {
  CaptureResult,
  IntentState,
  PaymentHoldResult,
  PaymentOrder,
  PaymentProcessor,
} from './payment-processor.ts';

/**
 * Shared payment tokens need the API version that introduced their parameter. The SDK's types are of a version without
 * previews and lack it.
 */
const stripePreview = {
  apiVersion: '2026-04-22.preview',
  paymentMethod: (token: Secret) => ({ shared_payment_granted_token: token.reveal() }),
} as const;

const intentSchema = z.object({
  id: z.string(),
  status: z.string(),
  amount: z.number(),
  currency: z.string(),
  metadata: z.record(z.string(), z.string()).default({}),
});

type Intent = z.output<typeof intentSchema>;

const listSchema = z.object({ data: z.array(intentSchema), has_more: z.boolean() });

/** Payments with Stripe. */
export class StripeProcessor implements PaymentProcessor {
  readonly #stripe: () => Promise<Stripe>;

  constructor(stripe: () => Promise<Stripe>) {
    this.#stripe = stripe;
  }

  /** Retries with the same idempotency key if no reply came: the processor returns the first result. */
  async hold({ id, token }: PaymentOrder): Promise<PaymentHoldResult> {
    const params = {
      amount: chargeTerms.amount,
      currency: chargeTerms.currency,
      capture_method: 'manual',
      confirm: 'true',
      automatic_payment_methods: { enabled: 'true', allow_redirects: 'never' },
      payment_method_data: stripePreview.paymentMethod(token),
      metadata: { weir_settlement: id },
    };
    const definiteResult = await this.#retryUntilDefinite(() =>
      this.#send('POST', '/v1/payment_intents', params, id),
    );
    if (definiteResult.outcome !== 'answered') return definiteResult;
    const intent = intentSchema.parse(definiteResult.answer);
    if (intent.status === 'requires_capture' && matchesPrice(intent))
      return { outcome: 'held', intent: intent.id };
    const declined: PaymentHoldResult = { outcome: 'declined', why: `the payment is "${intent.status}"` };
    return this.cancel(intent.id).then(
      () => declined,
      () => ({ outcome: 'unknown' }),
    );
  }

  /** Reads the state again, whatever the reply was. A repeated capture is rejected, but reads as paid. */
  async capture(intent: string): Promise<CaptureResult> {
    const definiteResult = await this.#retryUntilDefinite(() =>
      this.#send('POST', `${pathOf(intent)}/capture`, {}),
    );
    const read = await this.#retryUntilDefinite(() => this.#send('GET', pathOf(intent)));
    if (read.outcome !== 'answered') return 'unknown';
    const now = intentSchema.parse(read.answer);
    if (now.status === 'succeeded' && matchesPrice(now)) return 'paid';
    return definiteResult.outcome === 'unknown' ? 'unknown' : 'declined';
  }

  async find({
    id,
    atMs,
    intent,
  }: Pick<Settlement, 'id' | 'atMs' | 'intent'>): Promise<IntentState | undefined> {
    const existing =
      intent === null ? await this.#findIntentBySettlement(id, atMs) : await this.#retrieveIntent(intent);
    return existing === undefined ? undefined : { intent: existing.id, state: stateOf(existing) };
  }

  async cancel(intent: string): Promise<void> {
    try {
      await this.#send('POST', `${pathOf(intent)}/cancel`, {});
    } catch (refusal) {
      if ((await this.#retrieveIntent(intent)).status !== 'canceled') throw refusal;
    }
  }

  async refund(intent: string): Promise<void> {
    try {
      await this.#send('POST', '/v1/refunds', { payment_intent: intent });
    } catch (refusal) {
      if (stripeErrorSchema.safeParse(refusal).data?.code !== 'charge_already_refunded') throw refusal;
    }
  }

  async #retrieveIntent(intent: string): Promise<Intent> {
    return intentSchema.parse(await this.#send('GET', pathOf(intent)));
  }

  /** Lists payments of about that time: the list is up to date, while Stripe's search lags behind. */
  async #findIntentBySettlement(settlementId: string, atMs: number): Promise<Intent | undefined> {
    const seconds = Math.floor(atMs / 1000);
    const span = kernelLimits.processorClockSeconds;
    let after = '';
    for (let page = 0; page < limits.processorPagesMax; page++) {
      const query = new URLSearchParams({
        limit: '100',
        'created[gte]': String(seconds - span),
        'created[lte]': String(seconds + span),
        ...(after !== '' && { starting_after: after }),
      });
      const { data, has_more } = listSchema.parse(await this.#send('GET', `/v1/payment_intents?${query}`));
      const intent = data.find(({ metadata }) => metadata.weir_settlement === settlementId);
      if (intent !== undefined) return intent;
      if (!has_more) return undefined;
      after = data.at(-1)?.id ?? '';
    }
    throw new Error(`settlement ${settlementId} was not found: the processor lists too many payments`);
  }

  async #send(method: string, path: string, params?: object, idempotencyKey?: string): Promise<unknown> {
    const stripe = await this.#stripe();
    return stripe.rawRequest(
      method,
      path,
      { ...params },
      {
        apiVersion: stripePreview.apiVersion,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
    );
  }

  /** Retries until the processor gives a definite result, or too many attempts got none. */
  async #retryUntilDefinite(request: () => Promise<unknown>): Promise<DefiniteResult> {
    let isInDoubt = false;
    for (let tries = 0; tries < limits.processorTries; tries++) {
      if (tries > 0) await sleep(limits.processorPauseMs);
      try {
        return { outcome: 'answered', answer: await request() };
      } catch (thrown) {
        const decline = declineOf(thrown);
        if (decline !== undefined && !(isInDoubt && decline.isAboutThisTryOnly))
          return { outcome: 'declined', why: decline.why };
        isInDoubt = true;
      }
    }
    return { outcome: 'unknown' };
  }
}

type DefiniteResult =
  | { readonly outcome: 'answered'; readonly answer: unknown }
  | Exclude<PaymentHoldResult, { outcome: 'held' }>;

const stripeErrorSchema = z.object({ statusCode: z.number(), code: z.string().nullish() });

interface Decline {
  readonly why: string;
  /** Rejected for authentication or rate limits: says nothing about an earlier attempt, which may have succeeded. */
  readonly isAboutThisTryOnly: boolean;
}

/** Undefined if the processor has not declined: no reply, its own fault, or the same request still in progress. */
function declineOf(thrown: unknown): Decline | undefined {
  const { data } = stripeErrorSchema.safeParse(thrown);
  if (data === undefined || data.statusCode >= 500 || data.statusCode === 409) return undefined;
  const { statusCode, code } = data;
  const isAboutThisTryOnly = statusCode !== 400 && statusCode !== 402;
  if (code === 'amount_too_small')
    return {
      why: 'the price of a call is below the minimum card payment of the processor',
      isAboutThisTryOnly,
    };
  return { why: `the processor rejected the payment${code ? ` (${code})` : ''}`, isAboutThisTryOnly };
}

/** A payment that waits for a person or a bank may still become held. */
function stateOf({ status }: Intent): IntentState['state'] {
  if (status === 'canceled') return 'gone';
  return status === 'succeeded' ? 'paid' : 'held';
}

function pathOf(intent: string): string {
  return `/v1/payment_intents/${encodeURIComponent(intent)}`;
}

function matchesPrice({ amount, currency }: Intent): boolean {
  return String(amount) === chargeTerms.amount && currency === chargeTerms.currency;
}
