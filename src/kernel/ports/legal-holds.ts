/** Whose hold it is: an owner of the account, or the operator. Each can release their own. */
export type HoldSide = 'owner' | 'operator';

/** While it stands, nothing that it covers is deleted from the account. */
export interface LegalHold {
  readonly accountId: string;
  readonly side: HoldSide;
  readonly reason: string;
  readonly placedAtMs: number;
}

export interface LegalHolds {
  /** False if there is no such account. Replaces the reason of a hold that stands. */
  place(hold: LegalHold): Promise<boolean>;
  /** False if there is none. The personal values of people who have gone meanwhile are deleted with the last one. */
  release(accountId: string, side: HoldSide): Promise<boolean>;
  of(accountId: string): Promise<readonly LegalHold[]>;
  /** In the order of the accounts' ids, after the given one. */
  page(after: string, limit: number): Promise<readonly LegalHold[]>;
}
