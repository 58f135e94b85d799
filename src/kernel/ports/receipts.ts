/** Whether a receipt is public or visible to its owner only. */
export type Visibility = 'public_demo' | 'private';

/** A signed receipt. It is never changed and never deleted. */
export interface StoredReceipt {
  readonly id: string;
  /** The anonymous session; null for a call of an account. */
  readonly sessionRef: string | null;
  readonly visibility: Visibility;
  readonly createdAtMs: number;
  /** The exact text: a compact JWS that contains the whole receipt. */
  readonly jws: string;
}

/** The owner is stored separately, so that it can be deleted while the receipt stays. */
export interface OwnedReceipt extends StoredReceipt {
  readonly accountId: string | null;
}

/** An anonymous session whose receipts an account has claimed. */
export interface Claim {
  readonly sessionId: string;
  readonly sessionRef: string;
  readonly accountId: string;
  readonly claimedAtMs: number;
}

/** A public key, kept for as long as there are receipts to verify. */
export interface VerificationKey {
  readonly id: string;
  /** A JWK as JSON. */
  readonly jwk: string;
  readonly createdAtMs: number;
}

export interface ReceiptQuery {
  /** Undefined for all sessions. */
  readonly accountId: string | undefined;
  /** The cursor: receipts after this one, which are older. */
  readonly after: Pick<StoredReceipt, 'id' | 'createdAtMs'> | undefined;
  readonly limit: number;
}

export interface Receipts {
  /** All or none. Keeps existing ones. */
  add(receipts: readonly OwnedReceipt[]): Promise<void>;
  find(id: string): Promise<OwnedReceipt | undefined>;
  /** Ordered by time and id. */
  ofSession(sessionRef: string): Promise<readonly StoredReceipt[]>;
  countOfSession(sessionRef: string): Promise<number>;
  /** An account's own and claimed receipts, the newest first. */
  page(query: ReceiptQuery): Promise<readonly StoredReceipt[]>;
  /** Resolves to the valid claim: this one, or an earlier one. */
  claim(claim: Claim): Promise<Claim>;
  /** Keeps an existing key. */
  addKey(key: VerificationKey): Promise<void>;
  /** All keys, the newest first. */
  keys(): Promise<readonly VerificationKey[]>;
}
