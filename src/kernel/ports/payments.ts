/** A price quoted for one request. */
export interface Challenge {
  readonly id: string;
  /** The gateway that quoted it. */
  readonly realm: string;
  /** The payment request, as sent in the header. */
  readonly request: string;
  /** The digest of the quoted body, as in RFC 9530. */
  readonly digest: string;
  readonly expiresAtMs: number;
  /** When it was paid; null before that. */
  readonly consumedAtMs: number | null;
}

export interface Challenges {
  add(challenge: Challenge): Promise<void>;
  find(id: string): Promise<Challenge | undefined>;
  /**
   * Starts an attempt and returns its number, atomically with the check of its expiry; undefined if it can't be paid.
   */
  consume(id: string, nowMs: number): Promise<number | undefined>;
  /** Deletes expired ones, and the oldest unpaid ones beyond `most`. */
  tidy(bounds: { readonly nowMs: number; readonly most: number }): Promise<void>;
}

/** A public ledger line: a call was paid for. It is never changed and never deleted. */
export interface LedgerLine {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  /** In the smallest unit of the currency. */
  readonly amount: string;
  readonly currency: string;
  /** The hash of the payer's receipt, in hex. */
  readonly receiptHash: string;
}

export interface LedgerQuery {
  /** The cursor: lines after this one, which are older. */
  readonly after: Pick<LedgerLine, 'id' | 'atMs'> | undefined;
  readonly limit: number;
}

export interface Ledger {
  /** Keeps an existing line. */
  add(line: LedgerLine): Promise<void>;
  /** The newest first. */
  page(query: LedgerQuery): Promise<readonly LedgerLine[]>;
}
