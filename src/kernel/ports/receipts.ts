/** Whether anybody may see a receipt, or only whose it is. */
export type Visibility = 'public_demo' | 'private';

/** A receipt as it was signed. It is never changed and never deleted. */
export interface StoredReceipt {
  readonly id: string;
  /** The anonymous session that it is of; null where an account made the call. */
  readonly sessionRef: string | null;
  readonly visibility: Visibility;
  readonly createdAtMs: number;
  /** The exact text: a compact JWS, which has all that the receipt says. */
  readonly jws: string;
}

/** Whose it is stands beside it, so that this can be forgotten while the receipt stays. */
export interface OwnedReceipt extends StoredReceipt {
  readonly accountId: string | null;
}

/** An anonymous session whose receipts an account has made its own. */
export interface Claim {
  readonly sessionId: string;
  readonly sessionRef: string;
  readonly accountId: string;
  readonly claimedAtMs: number;
}

/** A public key, with which receipts are checked for as long as there are any. */
export interface VerificationKey {
  readonly id: string;
  /** A JWK as JSON. */
  readonly jwk: string;
  readonly createdAtMs: number;
}

export interface ReceiptQuery {
  /** Undefined for those of all. */
  readonly accountId: string | undefined;
  /** Those that come after this one in the list, which are older. */
  readonly after: Pick<StoredReceipt, 'id' | 'createdAtMs'> | undefined;
  readonly limit: number;
}

export interface Receipts {
  /** All of them or none. One that is there already stays as it is. */
  add(receipts: readonly OwnedReceipt[]): Promise<void>;
  find(id: string): Promise<OwnedReceipt | undefined>;
  /** In order of time and id. */
  ofSession(sessionRef: string): Promise<readonly StoredReceipt[]>;
  countOfSession(sessionRef: string): Promise<number>;
  /** An account's own and those that it claimed, the newest first. */
  page(question: ReceiptQuery): Promise<readonly StoredReceipt[]>;
  /** The claim that holds then: this one, or one that was there before. */
  claim(claim: Claim): Promise<Claim>;
  /** One that is there already stays as it is. */
  addKey(key: VerificationKey): Promise<void>;
  /** All there ever were, the newest first. */
  keys(): Promise<readonly VerificationKey[]>;
}
