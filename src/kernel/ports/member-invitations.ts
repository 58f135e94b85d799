import type { IdentityId, Role } from './identities.ts';
import type { Account } from './records.ts';

/** An invitation into an account, which works once; only the hash of its token is stored. */
export interface MemberInvitation {
  readonly id: string;
  readonly accountId: string;
  /** Null if anybody with the link may accept it. */
  readonly email: string | null;
  readonly role: Role;
  readonly hash: string;
  readonly invitedBy: IdentityId;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** The use of an invitation by a person. */
export interface MemberInvitationUse {
  readonly hash: string;
  readonly identityId: IdentityId;
  readonly email: string;
  readonly nowMs: number;
  /** The bounds of members of an account and of memberships of a person. */
  readonly membersMax: number;
  readonly membershipsMax: number;
}

export interface MemberInvitations {
  /** Replaces an earlier invitation of the address into the account, and deletes expired ones. */
  add(invitation: MemberInvitation, most: number): Promise<'added' | 'already_member' | 'limit_reached'>;
  /** Unexpired ones, the newest first. */
  list(accountId: string, nowMs: number): Promise<readonly MemberInvitation[]>;
  /** Resolves to the revoked one; undefined if the account has no such invitation. */
  revoke(accountId: string, id: string): Promise<MemberInvitation | undefined>;
  /** An unexpired one with its account. */
  find(hash: string, nowMs: number): Promise<InvitedAccount | undefined>;
  /** Makes the person a member and uses up the invitation, in one transaction. */
  accept(use: MemberInvitationUse): Promise<MemberInvitation | AcceptanceFailure>;
}

export interface InvitedAccount {
  readonly invitation: MemberInvitation;
  readonly account: Account;
}

export type AcceptanceFailure = 'unknown' | 'other_address' | 'already_member' | 'limit_reached';
