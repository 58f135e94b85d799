import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import type { Member, Members } from '../kernel/ports/identities.ts';
import type { Organizations as OrganizationTable } from '../kernel/ports/organizations.ts';
import type { Account } from '../kernel/ports/records.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';
import type { Session, SessionTokens } from './session-tokens.ts';
import type { PasswordPolicy } from './sign-on/password-policy.ts';
import type { LoginResult, UserAccounts } from './user-accounts.ts';

export interface OrganizationsParts {
  readonly userAccounts: Pick<UserAccounts, 'memberOf' | 'confirmPassword'>;
  readonly organizations: OrganizationTable;
  readonly members: Pick<Members, 'find' | 'ofIdentity' | 'owner'>;
  readonly tokens: Pick<SessionTokens, 'issue' | 'end'>;
  readonly passwordPolicy: Pick<PasswordPolicy, 'mayEnter'>;
  readonly clock: Clock;
}

/** The accounts of a person: their own, and organizations that they share with others. */
export class Organizations {
  readonly #parts: OrganizationsParts;

  constructor(parts: OrganizationsParts) {
    this.#parts = parts;
  }

  /** In the order in which the person joined: the own account is the first. */
  async list({ identityId, accountId, signOn }: Session): Promise<readonly NamedMember[]> {
    const all = await this.#parts.members.ofIdentity(identityId);
    // The identity provider of one organization has no say in others.
    const shown = signOn === undefined ? all : all.filter(({ account }) => account.id === accountId);
    return Promise.all(shown.map((member) => this.#named(member)));
  }

  async create(session: Session, name: string): Promise<NamedMember> {
    requirePassword(session);
    const { identityId } = session;
    const { organizations, members, clock } = this.#parts;
    const id = randomUUID();
    const createdAtMs = clock.now();
    if (!(await organizations.add({ id, name, createdAtMs }, identityId, limits.ownedAccountsMax)))
      throw new GatewayError(
        'member_limit_reached',
        `you own ${limits.ownedAccountsMax} accounts, which is the most; delete one, or leave its ownership to others`,
      );
    const member = await members.find(identityId, id);
    if (member === undefined) throw unknownOrganizationError();
    return { ...member, name };
  }

  /** A session of the same person in another of their accounts. */
  async switchTo(session: Session, accountId: string, client: string): Promise<LoginResult> {
    const { members, tokens, passwordPolicy } = this.#parts;
    requirePassword(session);
    const member = await members.find(session.identityId, accountId);
    if (member !== undefined && !(await passwordPolicy.mayEnter(member.identity, accountId)))
      throw new GatewayError(
        'sign_on_required',
        'this organization enforces single sign-on: log out, and sign in with it',
      );
    const issued = member && (await tokens.issue(member, client));
    if (member === undefined || issued === undefined) throw unknownOrganizationError();
    return { ...issued, member };
  }

  async endSession(session: Session): Promise<void> {
    await this.#parts.tokens.end(session, session.tokenId);
  }

  async get(session: Session): Promise<NamedMember> {
    if (!session.isService) return this.#named(await this.#parts.userAccounts.memberOf(session));
    const owner = await this.#parts.members.owner(session.accountId);
    if (owner === undefined) throw unknownOrganizationError();
    return this.#named({ ...owner, role: session.role });
  }

  /** Null removes the name of a person's own account. */
  async rename(session: Session, name: string | null): Promise<NamedMember> {
    if (name === null && !isOwnAccount(await this.get(session)))
      throw new GatewayError('invalid_request', 'name: an organization needs a name', { param: 'name' });
    await this.#parts.organizations.rename(session.accountId, name);
    return this.get(session);
  }

  /** Until it is deleted, everything works, and an owner can restore it. */
  async scheduleDeletion(session: Session, password: string, remoteAddress: string): Promise<NamedMember> {
    const { userAccounts, organizations, clock } = this.#parts;
    if (isOwnAccount(await this.get(session)))
      throw new GatewayError(
        'forbidden',
        'this is your own account, not an organization: DELETE /v1/users/me deletes it',
      );
    await userAccounts.confirmPassword(session, password, remoteAddress);
    await organizations.scheduleDeletion(session.accountId, clock.now() + limits.organizationGraceMs);
    return this.get(session);
  }

  async restore(session: Session): Promise<NamedMember> {
    const { organizations, clock } = this.#parts;
    await organizations.cancelDeletion(session.accountId, clock.now());
    return this.get(session);
  }

  async #named(member: Member): Promise<NamedMember> {
    return { ...member, name: await accountName(this.#parts.members, member.account) };
  }
}

/** A session of single sign-on ends where the say of its identity provider ends: at the organization. */
export function requirePassword({ signOn }: Pick<Session, 'signOn'>): void {
  if (signOn === undefined) return;
  throw new GatewayError(
    'forbidden',
    'this session began with the single sign-on of an organization, and is for that one only: log in with your password',
  );
}

/** A member with the name of the account. */
export interface NamedMember extends Member {
  readonly name: string;
}

/** Whether an account came with the person's sign-up. */
export function isOwnAccount({ identity, account }: Pick<Member, 'identity' | 'account'>): boolean {
  return String(identity.id) === account.id;
}

/** The name of an account for people: its own one, or the address of the person whose account it is. */
export async function accountName(members: Pick<Members, 'owner'>, { id, name }: Account): Promise<string> {
  return name ?? (await members.owner(id))?.identity.email ?? id;
}

function unknownOrganizationError(): GatewayError {
  return new GatewayError('not_found', 'no such organization; GET /v1/organizations lists yours');
}
