/** A price that was quoted for one request. */
export interface Challenge {
  readonly id: string;
  /** Who quoted it. */
  readonly realm: string;
  /** What is to be paid, as it stood in the header. */
  readonly request: string;
  /** Of the body that it was quoted for, as RFC 9530 writes it. */
  readonly digest: string;
  readonly expiresAtMs: number;
  /** When it was paid with; null while that can still be done. */
  readonly consumedAtMs: number | null;
}

export interface Challenges {
  add(challenge: Challenge): Promise<void>;
  find(id: string): Promise<Challenge | undefined>;
  /** The how manieth try this is, in one step with the look at its time; undefined where it can't be paid with. */
  consume(id: string, nowMs: number): Promise<number | undefined>;
  /** Forgets those whose time is over, and the oldest of those that nobody paid with where there are more than `most`. */
  tidy(bounds: { readonly nowMs: number; readonly most: number }): Promise<void>;
}

/** A line that anybody may read: a call was paid for. It is never changed and never deleted. */
export interface LedgerLine {
  readonly id: string;
  readonly atMs: number;
  readonly route: string;
  /** In the smallest unit of the currency. */
  readonly amount: string;
  readonly currency: string;
  /** Of the receipt that the payer has, in hex. */
  readonly receiptHash: string;
}

export interface LedgerQuery {
  /** Those that come after this one in the list, which are older. */
  readonly after: Pick<LedgerLine, 'id' | 'atMs'> | undefined;
  readonly limit: number;
}

export interface Ledger {
  /** One that is there already stays as it is. */
  add(line: LedgerLine): Promise<void>;
  /** The newest first. */
  page(question: LedgerQuery): Promise<readonly LedgerLine[]>;
}
