import type { IdentityId, Role } from './identities.ts';

/** The credential of an identity provider that manages the people of an organization; only its hash is stored. */
export interface ScimToken {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: string;
  readonly createdAtMs: number;
  /** Rounded to the hour; null if it was never used. */
  readonly usedAtMs: number | null;
}

/** What an identity provider says of a person. */
export interface ScimUserFields {
  /** Unique in the organization, ignoring case. */
  readonly userName: string;
  /** The id at the identity provider; null if it sends none. */
  readonly externalId: string | null;
  /** The address by which the person is known, of a proven domain. */
  readonly email: string;
  readonly isActive: boolean;
  readonly displayName: string | null;
  readonly name: ScimName;
}

export interface ScimName {
  readonly formatted?: string | undefined;
  readonly givenName?: string | undefined;
  readonly familyName?: string | undefined;
}

interface ScimResource {
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  /** Greater with each change. */
  readonly updatedAtMs: number;
}

export interface ScimUser extends ScimResource, ScimUserFields {}

export interface ScimGroupFields {
  /** Unique in the organization, ignoring case. */
  readonly displayName: string;
  readonly externalId: string | null;
}

export interface ScimGroup extends ScimResource, ScimGroupFields {}

/** A user as a member of a group. */
export interface ScimGroupMember {
  readonly groupId: string;
  readonly userId: string;
  readonly userName: string;
}

/** Which members a group has after a change. */
export interface ScimMemberChange {
  /** Whether members from before stay, unless they are removed. */
  readonly keepsOthers: boolean;
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
}

export const scimComparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;

export type ScimComparison = (typeof scimComparisons)[number];

export type ScimValue = string | number | boolean | null;

/** A filter of RFC 7644, 3.4.2.2. Attributes are in lower case. */
export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly part: ScimFilter }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'compare';
      readonly attribute: string;
      readonly comparison: ScimComparison;
      readonly value: ScimValue;
    };

/** A filter that names an attribute that can't be filtered by, or compares it with what it can't be. */
export class ScimFilterError extends Error {}

export interface ScimQuery {
  readonly filter: ScimFilter | undefined;
  /** How many are left out at the beginning. */
  readonly offset: number;
  readonly limit: number;
}

export interface ScimPage<Item> {
  /** How many there are on all pages. */
  readonly total: number;
  readonly items: readonly Item[];
}

/** A change of a membership that follows from one of users or groups. */
export interface ScimEffect {
  readonly identityId: IdentityId;
  /** Undefined for somebody who was no member. */
  readonly before: Role | undefined;
  /** Undefined for somebody who is no member any more. */
  readonly after: Role | undefined;
}

/** What a change has led to. */
export interface ScimEffects {
  readonly members: readonly ScimEffect[];
  /** Accounts that somebody had made with an address before it was verified: what they contain is revoked. */
  readonly takenOver: readonly string[];
}

/** Why nothing was changed. */
export type ScimRefusal =
  | 'unknown'
  | 'limit_reached'
  | 'name_taken'
  | 'email_taken'
  /** The last owner, or the owner for emergencies, stays a member. */
  | 'owner_needed'
  /** Another request has changed it since. */
  | 'changed'
  | 'unknown_member';

export type ScimOutcome<Resource> =
  | ScimRefusal
  | { readonly resource: Resource; readonly effects: ScimEffects };

export interface ScimChange<Fields> {
  readonly accountId: string;
  readonly id: string;
  /** The version that the client knows; undefined for any. */
  readonly ifVersion: number | undefined;
  readonly nowMs: number;
  change(before: Fields): Fields;
}

interface ScimBounds {
  readonly usersMax: number;
  readonly groupsMax: number;
}

export interface NewScimGroup {
  readonly group: ScimGroup;
  readonly members: ScimMemberChange;
}

export interface ScimTokens {
  /** False if there are `most`. */
  add(token: ScimToken, most: number): Promise<boolean>;
  /** The oldest first. */
  list(accountId: string): Promise<readonly ScimToken[]>;
  remove(accountId: string, id: string): Promise<boolean>;
  /** Undefined also if an operator has closed the account. */
  byHash(hash: string, nowMs: number, accountId: string): Promise<ScimToken | undefined>;
  touch(id: string, atMs: number): Promise<void>;
}

export interface ScimUsers {
  find(accountId: string, id: string): Promise<ScimUser | undefined>;
  page(accountId: string, query: ScimQuery): Promise<ScimPage<ScimUser>>;
  count(accountId: string): Promise<{ readonly users: number; readonly active: number }>;
  add(user: ScimUser, bounds: Pick<ScimBounds, 'usersMax'>): Promise<ScimOutcome<ScimUser>>;
  change(change: ScimChange<ScimUserFields>): Promise<ScimOutcome<ScimUser>>;
  remove(user: Omit<ScimChange<never>, 'change'>): Promise<ScimOutcome<ScimUser>>;
  /** Sets the roles of all by their groups, after the roles of groups have changed. */
  settle(accountId: string, nowMs: number): Promise<ScimEffects>;
}

export interface ScimGroups {
  find(accountId: string, id: string): Promise<ScimGroup | undefined>;
  page(accountId: string, query: ScimQuery): Promise<ScimPage<ScimGroup>>;
  count(accountId: string): Promise<number>;
  /** Of these groups, by group and user; at most `most`. */
  members(accountId: string, groupIds: readonly string[], most: number): Promise<readonly ScimGroupMember[]>;
  /** How many each of these groups has. */
  memberCounts(accountId: string, groupIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  add(group: NewScimGroup, bounds: Pick<ScimBounds, 'groupsMax'>): Promise<ScimOutcome<ScimGroup>>;
  change(
    change: ScimChange<ScimGroupFields> & { readonly members: ScimMemberChange },
  ): Promise<ScimOutcome<ScimGroup>>;
  remove(group: Omit<ScimChange<never>, 'change'>): Promise<ScimOutcome<ScimGroup>>;
}
