import type { Settlement } from '../kernel/ports/settlements.ts';
import type { Secret } from '../lib/secret.ts';

/** The payment processor. A missing reply is never treated as a failure. */
export interface PaymentProcessor {
  /** Reserves the price of a call. */
  hold(paymentOrder: PaymentOrder): Promise<PaymentHoldResult>;
  /** Captures the reserved amount. */
  capture(intent: string): Promise<CaptureResult>;
  /** The state of a started payment; found by its order if its intent is unknown. */
  find(begun: Pick<Settlement, 'id' | 'atMs' | 'intent'>): Promise<IntentState | undefined>;
  /** Releases an amount that is reserved, or may still become so. */
  cancel(intent: string): Promise<void>;
  /** Refunds a captured amount. */
  refund(intent: string): Promise<void>;
}

export interface PaymentOrder {
  /** The idempotency key. */
  readonly id: string;
  /** From the payer's wallet. */
  readonly token: Secret;
}

export interface IntentState {
  readonly intent: string;
  /** `held`: reserved, or about to be. */
  readonly state: 'held' | 'paid' | 'gone';
}

export type PaymentHoldResult =
  | { readonly outcome: 'held'; readonly intent: string }
  | { readonly outcome: 'declined'; readonly why: string }
  /** The processor did not answer. */
  | { readonly outcome: 'unknown' };

export type CaptureResult = 'paid' | 'declined' | 'unknown';
