import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import {
  type IdentityId,
  identityIdOf,
  type ListedMember,
  type MemberChange,
  type MemberPage,
  type Members,
  type Role,
} from '../kernel/ports/identities.ts';
import type {
  AcceptanceFailure,
  InvitedAccount,
  MemberInvitation,
  MemberInvitations,
} from '../kernel/ports/member-invitations.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { countAddressAttempt, countAttempt } from './count-attempt.ts';
import { limits } from './limits.ts';
import { createLinkToken, hashToken } from './link-token.ts';
import { composeInvitationMail } from './mail/mail-message.ts';
import type { MailQueue } from './mail/mail-queue.ts';
import { accountName, requirePassword } from './organizations.ts';
import { requireRight } from './rights.ts';
import type { Session } from './session-tokens.ts';
import { normalizeEmail, type UserAccounts } from './user-accounts.ts';

export interface OrganizationMembersParts {
  readonly userAccounts: Pick<UserAccounts, 'memberOf'>;
  readonly members: Members;
  readonly invitations: MemberInvitations;
  readonly attempts: RateLimiter;
  /** Undefined if no mail can be sent. */
  readonly mailQueue: MailQueue | undefined;
  readonly address: { readonly url: string };
  readonly clock: Clock;
}

interface NewInvitation {
  /** Null for a link that anybody may use. */
  readonly email: string | null;
  readonly role: Role;
  readonly days: number;
}

export interface CreatedInvitation {
  readonly invitation: MemberInvitation;
  /** Shown only once. */
  readonly link: string;
  readonly isMailed: boolean;
}

const dayMs = 86_400_000;

/** The members of an account, their roles, and invitations. */
export class OrganizationMembers {
  readonly #parts: OrganizationMembersParts;

  constructor(parts: OrganizationMembersParts) {
    this.#parts = parts;
  }

  page({ accountId }: Session, page: MemberPage): Promise<readonly ListedMember[]> {
    return this.#parts.members.page(accountId, page);
  }

  count({ accountId }: Session): Promise<number> {
    return this.#parts.members.count(accountId);
  }

  /** Resolves to the role before. Only owners make owners, or take the role from one. */
  async changeRole(session: Session, memberId: string, role: Role): Promise<Role> {
    const { members } = this.#parts;
    const before = await this.#roleOf(session, memberId);
    if (role === 'owner' || before === 'owner') requireRight(session, 'ownership:write');
    settle(await members.changeRole(idOf(session, memberId), role));
    return before;
  }

  async remove(session: Session, memberId: string): Promise<Role> {
    const before = await this.#roleOf(session, memberId);
    if (before === 'owner') requireRight(session, 'ownership:write');
    settle(await this.#parts.members.remove(idOf(session, memberId)));
    return before;
  }

  async leave(session: Session): Promise<void> {
    settle(await this.#parts.members.remove(session));
  }

  listInvitations({ accountId }: Session): Promise<readonly MemberInvitation[]> {
    const { invitations, clock } = this.#parts;
    return invitations.list(accountId, clock.now());
  }

  /** Mails the link if the invitation has an address and mail is configured. */
  async invite(session: Session, wanted: NewInvitation): Promise<CreatedInvitation> {
    const { userAccounts, members, invitations, mailQueue, address, clock } = this.#parts;
    const { role, days } = wanted;
    if (role === 'owner') requireRight(session, 'ownership:write');
    const email = wanted.email === null ? null : normalizeEmail(wanted.email);
    // A service account has no address: mails need a verified address of the owner.
    const inviter = session.isService
      ? await members.owner(session.accountId)
      : await userAccounts.memberOf(session);
    if (inviter === undefined) throw unknownMemberError();
    const { identity, account } = inviter;
    const isMailed = email !== null && mailQueue !== undefined;
    if (isMailed && identity.verifiedAtMs === undefined)
      throw new GatewayError(
        'email_unverified',
        'verify your mail address before you invite others by mail; POST /v1/users/verify/mail sends a link',
      );
    if (isMailed) await this.#countMail(account.id);
    const { token, hash } = createLinkToken();
    const nowMs = clock.now();
    const invitation: MemberInvitation = {
      ...{ id: randomUUID(), accountId: account.id, email, role, hash },
      ...{ invitedBy: identity.id, createdAtMs: nowMs, expiresAtMs: nowMs + days * dayMs },
    };
    const outcome = await invitations.add(invitation, limits.memberInvitationsMax);
    if (outcome === 'already_member') throw alreadyMemberError('this person is a member already');
    if (outcome === 'limit_reached')
      throw new GatewayError(
        'member_limit_reached',
        `${limits.memberInvitationsMax} invitations are open, which is the most; revoke some`,
      );
    const link = `${address.url}/join#invitation=${token}`;
    if (isMailed)
      mailQueue.enqueue(async () => {
        const organization = await accountName(members, account);
        return composeInvitationMail({ to: email, organization, link, days });
      });
    return { invitation, link, isMailed };
  }

  async revokeInvitation(session: Session, id: string): Promise<MemberInvitation> {
    const revoked = await this.#parts.invitations.revoke(session.accountId, id);
    if (revoked === undefined)
      throw new GatewayError('not_found', 'no such invitation; GET /v1/organization/invitations lists them');
    return revoked;
  }

  /** Counts the look-up or the use of an invitation, and throws if there were too many. */
  countUse(remoteAddress: string): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, {
      address: remoteAddress,
      counterName: (block) => `member invitation:${block}`,
      ...limits.invitationUsesPerAddress,
    });
  }

  async findInvitation(token: string): Promise<InvitedAccount & { readonly organization: string }> {
    const { invitations, members, clock } = this.#parts;
    const found = await invitations.find(hashToken(token), clock.now());
    if (found === undefined) throw invalidInvitationError();
    return { ...found, organization: await accountName(members, found.account) };
  }

  async accept(session: Session, token: string): Promise<MemberInvitation> {
    const { userAccounts, invitations, clock } = this.#parts;
    requirePassword(session);
    const { identity } = await userAccounts.memberOf(session);
    const { membersMax, membershipsMax } = limits;
    const accepted = await invitations.accept({
      ...{ hash: hashToken(token), identityId: identity.id, email: identity.email },
      ...{ nowMs: clock.now(), membersMax, membershipsMax },
    });
    if (typeof accepted === 'string') throw acceptanceError(accepted);
    return accepted;
  }

  async #roleOf({ accountId }: Session, memberId: string): Promise<Role> {
    const member = await this.#parts.members.find(identityIdOf(memberId), accountId);
    if (member === undefined) throw unknownMemberError();
    return member.role;
  }

  #countMail(accountId: string): Promise<void> {
    const limit = limits.invitationMailsPerAccount;
    return countAttempt(
      this.#parts.attempts,
      `invitation mails:${accountId}`,
      limit,
      `${limit.most} invitations a day are mailed; send further people the link yourself`,
    );
  }
}

function idOf({ accountId }: Session, memberId: string): { accountId: string; identityId: IdentityId } {
  return { accountId, identityId: identityIdOf(memberId) };
}

function settle(change: MemberChange): void {
  if (change === 'unknown') throw unknownMemberError();
  if (change === 'last_owner')
    throw new GatewayError(
      'last_owner',
      'an account needs an owner: make somebody else one first. People stay owners of the account that came with their sign-up',
    );
}

function unknownMemberError(): GatewayError {
  return new GatewayError('not_found', 'no such member; GET /v1/organization/members lists them');
}

function alreadyMemberError(message: string): GatewayError {
  return new GatewayError('already_member', message);
}

function invalidInvitationError(): GatewayError {
  return new GatewayError(
    'invalid_token',
    'this invitation has been used or revoked, or has expired; ask for a new one',
    { param: 'token' },
  );
}

function acceptanceError(failure: AcceptanceFailure): GatewayError {
  switch (failure) {
    case 'unknown':
      return invalidInvitationError();
    case 'other_address':
      return new GatewayError(
        'forbidden',
        'this invitation is for another mail address: log in with that one, or ask for an invitation for yours',
      );
    case 'already_member':
      return alreadyMemberError('you are a member already');
    case 'limit_reached':
      return new GatewayError(
        'member_limit_reached',
        `an account has at most ${limits.membersMax} members, and a person at most ${limits.membershipsMax} accounts`,
      );
  }
}
