/** The answer to a paid call whose client may ask for it again, from the moment that the call is made. */
export interface PaidAnswer {
  /** What the client calls it, with its credential: told to nobody, and not to be guessed. */
  readonly name: string;
  /** Of the body. */
  readonly digest: string;
  /** While it is being made, whoever makes it says so again before then. */
  readonly untilMs: number;
  readonly expiresAtMs: number;
  /** How often it was begun to be made for one payment. */
  readonly makings: number;
  /** How it is paid for; null before that. */
  readonly settlementId: string | null;
  /** The receipt and, once it is whole, the answer. */
  readonly content: SealedContent | null;
  readonly isWhole: boolean;
}

export interface SealedContent {
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

export interface PaidAnswers {
  find(name: string): Promise<PaidAnswer | undefined>;
  /** One that is going to be made; false where there is one of that name. */
  claim(answer: Pick<PaidAnswer, 'name' | 'digest' | 'untilMs' | 'expiresAtMs'>): Promise<boolean>;
  /** One that nobody makes any more, to be made again; false where somebody was faster. */
  takeOver(left: Pick<PaidAnswer, 'name' | 'untilMs'>, untilMs: number): Promise<boolean>;
  /** Those that are not whole. */
  renew(names: readonly string[], untilMs: number): Promise<void>;
  markPaid(name: string, settlementId: string, content: SealedContent): Promise<void>;
  storeWhole(name: string, content: SealedContent): Promise<void>;
  /** One that is not whole; only as it was found, where `untilMs` says how. */
  forget(name: string, untilMs?: number): Promise<void>;
  /** Forgets those whose time is over, and the oldest past a number and past a sum of bytes. */
  tidy(bounds: { readonly nowMs: number; readonly most: number; readonly bytesMost: number }): Promise<void>;
}
