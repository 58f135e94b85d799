import type { IdentityId, Role } from './identities.ts';

/** How members of an organization sign on with its identity provider. */
export interface SignOn {
  readonly accountId: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The client secret; undefined for a public client. */
  readonly secret: SealedSecret | undefined;
  /** The claim with the groups of a person; undefined if roles don't follow groups. */
  readonly groupsClaim: string | undefined;
  readonly groupRoles: readonly GroupRole[];
  /** The role of people in none of these groups; undefined if they may not sign on. */
  readonly defaultRole: Role | undefined;
  /** Whether members with an address of a proven domain can't log in with a password. */
  readonly isEnforced: boolean;
  /** The owner who may log in with a password all the same. */
  readonly breakGlass: IdentityId | undefined;
  readonly updatedAtMs: number;
}

interface SealedSecret {
  readonly sealedBy: string;
  readonly sealed: Uint8Array;
}

export interface GroupRole {
  readonly group: string;
  readonly role: Role;
}

/** A domain that an organization claims. Only one can have it proven. */
export interface SignOnDomain {
  readonly accountId: string;
  readonly domain: string;
  /** What the DNS record has to contain. */
  readonly token: string;
  readonly addedAtMs: number;
  readonly provenAtMs: number | undefined;
  readonly provenBy: DomainProof | undefined;
}

export type DomainProof = 'dns' | 'operator';

/** A sign-on that an organization enforces for a person. */
export interface EnforcedSignOn {
  readonly accountId: string;
  /** Whether the person is the owner who may log in with a password. */
  readonly isBreakGlass: boolean;
}

export interface SignOns {
  find(accountId: string): Promise<SignOn | undefined>;
  /**
   * Ends sessions of members who have to sign on from now on, and all of an earlier issuer. Without a change, `changed` if
   * another request has stored one since `before`.
   */
  put(signOn: SignOn, before: number | undefined): Promise<'stored' | 'changed'>;
  /** Also ends all sessions that began with it. */
  delete(accountId: string): Promise<boolean>;
  /** What keeps a member from logging in with a password. */
  enforcedFor(identityId: IdentityId, domain: string): Promise<EnforcedSignOn | undefined>;
}

export interface SignOnDomains {
  list(accountId: string): Promise<readonly SignOnDomain[]>;
  /** All proven ones, for the operator. */
  proven(after: string, limit: number): Promise<readonly SignOnDomain[]>;
  /** The same domain again is the same claim; undefined if there are `most`. */
  add(
    claim: Pick<SignOnDomain, 'accountId' | 'domain' | 'token' | 'addedAtMs'>,
    most: number,
  ): Promise<SignOnDomain | undefined>;
  /** `taken` if another organization has it. */
  prove(claim: {
    readonly accountId: string;
    readonly domain: string;
    readonly by: DomainProof;
    readonly atMs: number;
  }): Promise<'proven' | 'taken' | 'unknown'>;
  remove(accountId: string, domain: string): Promise<boolean>;
  /** The organization that has it proven. */
  ownerOf(domain: string): Promise<string | undefined>;
}

/** Somebody whom an identity provider has named. */
export interface Arrival {
  readonly accountId: string;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  /** The role by the groups; undefined if they give none. */
  readonly role: Role | undefined;
  /** Whether the role of a member changes to it. */
  readonly followsGroups: boolean;
  readonly nowMs: number;
  /** For a person who is new. */
  readonly newId: IdentityId;
  readonly membersMax: number;
  readonly membershipsMax: number;
}

export type Admission =
  | { readonly outcome: 'admitted'; readonly person: AdmittedPerson }
  /** Another subject of the issuer has this address. */
  | { readonly outcome: 'other_subject' }
  /** `deactivated`: the identity provider has deactivated the person by SCIM. */
  | { readonly outcome: 'no_role' | 'limit_reached' | 'disabled' | 'deactivated' };

export interface AdmittedPerson {
  readonly identityId: IdentityId;
  readonly role: Role;
  /** Undefined for a new member. */
  readonly roleBefore: Role | undefined;
  readonly isNewPerson: boolean;
  /** Accounts that somebody had made with the address before it was verified: what they contain is revoked. */
  readonly takenOver: readonly string[];
}

export interface SignOnAdmissions {
  /** Finds or makes the person, and the membership, in one transaction. */
  admit(arrival: Arrival): Promise<Admission>;
  /** Ends the sessions of a subject, or one of them; the number of sessions. */
  endSessions(
    accountId: string,
    who: { readonly subject?: string | undefined; readonly sid?: string | undefined },
  ): Promise<number>;
}
