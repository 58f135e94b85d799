/** The answer to a paid call, which its client may fetch again, from the start of the call. */
export interface PaidAnswer {
  /** A digest of the client's idempotency key and credential: secret and not guessable. */
  readonly name: string;
  /** A digest of the body. */
  readonly digest: string;
  /** The lease of the process that generates it, renewed before it expires. */
  readonly untilMs: number;
  readonly expiresAtMs: number;
  /** How often its generation was started for one payment. */
  readonly makings: number;
  /** Its payment; null before that. */
  readonly settlementId: string | null;
  /** The receipt and, once complete, the answer. */
  readonly content: SealedContent | null;
  readonly isWhole: boolean;
}

export interface SealedContent {
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

export interface PaidAnswers {
  find(name: string): Promise<PaidAnswer | undefined>;
  /** Adds one that is about to be generated; false if the name exists. */
  claim(answer: Pick<PaidAnswer, 'name' | 'digest' | 'untilMs' | 'expiresAtMs'>): Promise<boolean>;
  /** Acquires one without a process, to generate it again; false if another process was faster. */
  takeOver(left: Pick<PaidAnswer, 'name' | 'untilMs'>, untilMs: number): Promise<boolean>;
  /** Extends the leases of incomplete ones. */
  renew(names: readonly string[], untilMs: number): Promise<void>;
  markPaid(name: string, settlementId: string, content: SealedContent): Promise<void>;
  storeWhole(name: string, content: SealedContent): Promise<void>;
  /** Deletes an incomplete one; with `untilMs`, only if unchanged. */
  forget(name: string, untilMs?: number): Promise<void>;
  /** Deletes expired ones, and the oldest beyond a number and a sum of bytes. */
  tidy(bounds: { readonly nowMs: number; readonly most: number; readonly bytesMost: number }): Promise<void>;
}
