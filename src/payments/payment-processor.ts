import type { Settlement } from '../kernel/ports/settlements.ts';
import type { Secret } from '../kernel/secret.ts';

/** Who moves the money. Nothing here is taken for failed because no answer came. */
export interface PaymentProcessor {
  /** Reserves the price of a call. */
  hold(paymentOrder: PaymentOrder): Promise<PaymentHoldResult>;
  /** Takes what was reserved. */
  capture(intent: string): Promise<CaptureResult>;
  /** What has become of a payment that somebody began; looked for by its order where its intent isn't known. */
  find(begun: Pick<Settlement, 'id' | 'atMs' | 'intent'>): Promise<IntentState | undefined>;
  /** Gives back what was reserved, or could still be. */
  cancel(intent: string): Promise<void>;
  /** Gives back what was taken. */
  refund(intent: string): Promise<void>;
}

export interface PaymentOrder {
  /** Made once, however often it is asked for. */
  readonly id: string;
  /** Of the payer's wallet. */
  readonly token: Secret;
}

export interface IntentState {
  readonly intent: string;
  /** `held`: reserved, or on the way to it. */
  readonly state: 'held' | 'paid' | 'gone';
}

export type PaymentHoldResult =
  | { readonly outcome: 'held'; readonly intent: string }
  | { readonly outcome: 'declined'; readonly why: string }
  /** The processor doesn't answer. */
  | { readonly outcome: 'unknown' };

export type CaptureResult = 'paid' | 'declined' | 'unknown';
