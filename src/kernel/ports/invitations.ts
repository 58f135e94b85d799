import type { Member } from './identities.ts';

/** An invitation for one address; only the hash of its token is stored. */
export interface Invitation {
  readonly email: string;
  readonly hash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** The use of an invitation. */
export interface InvitationUse {
  readonly hash: string;
  readonly email: string;
  readonly nowMs: number;
}

/** Invitations to sign up, which work once. */
export interface Invitations {
  /** Replaces an earlier invitation of the address, and deletes expired ones. */
  put(invitation: Invitation): Promise<void>;
  /** Unexpired ones, by address. */
  list(nowMs: number): Promise<readonly Invitation[]>;
  /** False if the address has none. */
  revoke(email: string): Promise<boolean>;
  isOpen(use: InvitationUse): Promise<boolean>;
  /** Adds a person with an account and uses up the invitation, in one transaction. */
  accept(
    use: InvitationUse,
    owner: Pick<Member, 'identity' | 'account'>,
  ): Promise<'accepted' | 'email_taken' | 'not_invited'>;
}
