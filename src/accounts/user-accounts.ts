import { randomUUID } from 'node:crypto';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { resetAddressAttempts } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import {
  type Identities,
  type Identity,
  type IdentityId,
  identityIdOf,
  type Member,
  type Members,
} from '../kernel/ports/identities.ts';
import type { Invitations, InvitationUse } from '../kernel/ports/invitations.ts';
import type { Account } from '../kernel/ports/records.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { countAddressAttempt } from './count-attempt.ts';
import { limits } from './limits.ts';
import { hashToken } from './link-token.ts';
import type { SignInMails } from './mail/sign-in-mails.ts';
import type { PasskeyResponse, Passkeys } from './passkeys.ts';
import type { SecondFactorProof, SecondFactors } from './second-factors.ts';
import type { SecretHasher } from './secret-hasher.ts';
import type { IssuedToken, Session, SessionTokens } from './session-tokens.ts';
import type { PasswordPolicy } from './sign-on/password-policy.ts';

export interface UserAccountsParts {
  readonly identities: Identities;
  readonly members: Pick<Members, 'find' | 'ofIdentity'>;
  readonly invitations: Pick<Invitations, 'isOpen' | 'accept'>;
  /** Who can sign up. */
  readonly signUp: SignUpPolicy;
  readonly attempts: RateLimiter;
  readonly tokens: SessionTokens;
  readonly signInMails: Pick<SignInMails, 'send'>;
  readonly passkeys: Pick<Passkeys, 'verify'>;
  readonly secondFactors: Pick<SecondFactors, 'require' | 'verify'>;
  readonly passwordHasher: SecretHasher;
  readonly passwordPolicy: Pick<PasswordPolicy, 'check'>;
  readonly clock: Clock;
}

type SignUpPolicy = 'on' | 'off' | 'invite';

/** A login attempt: email, password and origin. */
export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** The user agent. */
  readonly client?: string;
}

interface LoginOrigin {
  readonly remoteAddress: string;
  /** The user agent. */
  readonly client: string | undefined;
}

interface SignUpRequest extends Omit<LoginAttempt, 'remoteAddress'> {
  /** The token of an invitation. */
  readonly invitation?: string | undefined;
}

/** The entered passwords, and the origin. */
export interface PasswordChangeRequest {
  readonly current: string;
  readonly next: string;
  readonly remoteAddress: string;
}

export interface LoginResult extends IssuedToken {
  readonly member: Member;
}

/** Signing up, logging in and out. */
export class UserAccounts {
  readonly #parts: UserAccountsParts;

  constructor(parts: UserAccountsParts) {
    this.#parts = parts;
  }

  /** Counts a sign-up attempt and throws if there were too many. Does not need the body. */
  countSignUp(remoteAddress: string): Promise<void> {
    return this.#countAttempt(remoteAddress, (block) => `signup:${block}`, limits.signUpsPerAddress);
  }

  /** Counts a login attempt, to any account. */
  countLogIn(remoteAddress: string): Promise<void> {
    return this.#countAttempt(remoteAddress, (block) => `login:${block}`, limits.loginsPerAddress);
  }

  async signUp({ email, password, client, invitation = '' }: SignUpRequest): Promise<LoginResult> {
    const { identities, invitations, signUp, passwordHasher, clock } = this.#parts;
    if (signUp === 'off')
      throw new GatewayError('signup_closed', 'sign-up is closed here; ask the operator for an account');
    const use = { hash: hashToken(invitation), email: normalizeEmail(email), nowMs: clock.now() };
    // Without an invitation it must neither cost a password hash nor reveal who has an account.
    if (signUp === 'invite' && !(await invitations.isOpen(use))) throw notInvitedError();
    const passwordHash = await passwordHasher.hash(password.normalize('NFC'));
    const member = newMember({ email, passwordHash, createdAtMs: clock.now() });
    const isTaken =
      signUp === 'on' ? !(await identities.add(member)) : await this.#acceptInvitation(use, member);
    if (isTaken)
      throw new GatewayError('email_taken', 'an account with this e-mail address exists; log in', {
        param: 'email',
      });
    return this.#startSession(member, client);
  }

  /** Resolves to whether the address is taken. */
  async #acceptInvitation(use: InvitationUse, member: Member): Promise<boolean> {
    const outcome = await this.#parts.invitations.accept(use, member);
    if (outcome === 'not_invited') throw notInvitedError();
    return outcome === 'email_taken';
  }

  /**
   * Same error and same time, whether the address or the password is wrong. Throws `second_factor_required` if the password
   * is not enough.
   */
  async logIn({ email, password, remoteAddress, client }: LoginAttempt): Promise<LoginResult> {
    const { identities, members, passwordPolicy, secondFactors, attempts, passwordHasher } = this.#parts;
    const pair = loginAttemptName(normalizeEmail(email));
    await this.#countAttempt(remoteAddress, pair, limits.loginsPerAccount);
    const identity = await identities.byEmail(normalizeEmail(email));
    const hashed = identity?.passwordHash ?? passwordHasher.decoyHash;
    const isRight = await passwordHasher.verify(hashed, password.normalize('NFC'));
    if (identity?.passwordHash === undefined || !isRight) throw wrongLoginError(identity);
    await resetAddressAttempts(attempts, { address: remoteAddress, counterName: pair });
    rejectDisabled(identity);
    await secondFactors.require(identity.id);
    await passwordPolicy.check(identity);
    const [member] = await members.ofIdentity(identity.id);
    if (member === undefined) throw wrongLoginError();
    // With the hash that was verified: another may have been set meanwhile.
    return this.#logInFrom({ client, remoteAddress }, { ...member, identity });
  }

  /** Completes a login that needs a second factor. */
  async logInWithSecondFactor(proof: SecondFactorProof, client?: string): Promise<LoginResult> {
    const { remoteAddress } = proof;
    return this.#logInAs(await this.#parts.secondFactors.verify(proof), { client, remoteAddress });
  }

  /** Without a password: the device has verified its user. */
  async logInWithPasskey(
    response: PasskeyResponse<AuthenticationResponseJSON>,
    origin: LoginOrigin,
  ): Promise<LoginResult> {
    return this.#logInAs(await this.#parts.passkeys.verify(response, 'login'), origin);
  }

  async #logInAs(identityId: IdentityId, origin: LoginOrigin): Promise<LoginResult> {
    const { members, passwordPolicy } = this.#parts;
    const [member] = await members.ofIdentity(identityId);
    if (member === undefined) throw wrongLoginError();
    rejectDisabled(member.identity);
    await passwordPolicy.check(member.identity);
    return this.#logInFrom(origin, member);
  }

  /** With a mail to the person, if the program is new. */
  async #logInFrom({ client = '', remoteAddress }: LoginOrigin, member: Member): Promise<LoginResult> {
    const { tokens, signInMails, clock } = this.#parts;
    const isNew = !(await tokens.hasClient(member.identity.id, client));
    const login = await this.#startSession(member, client);
    if (isNew) signInMails.send(member.identity, { atMs: clock.now(), client, remoteAddress });
    return login;
  }

  /** Resolves to the hash if the password of a session's person is right; counts attempts like logins. */
  async confirmPassword(session: Session, password: string, remoteAddress: string): Promise<string> {
    const { attempts: rateLimiter, passwordHasher } = this.#parts;
    const { email, passwordHash } = (await this.memberOf(session)).identity;
    const pair = loginAttemptName(email);
    await this.#countAttempt(remoteAddress, pair, limits.loginsPerAccount);
    const isRight = await passwordHasher.verify(
      passwordHash ?? passwordHasher.decoyHash,
      password.normalize('NFC'),
    );
    if (passwordHash === undefined || !isRight) throw wrongPasswordError(session);
    await resetAddressAttempts(rateLimiter, { address: remoteAddress, counterName: pair });
    return passwordHash;
  }

  /** Ends all other sessions. Of two concurrent changes, one succeeds. */
  async changePassword(session: Session, change: PasswordChangeRequest): Promise<void> {
    const { identities, passwordHasher } = this.#parts;
    const { identityId, tokenId: currentSession } = session;
    const before = await this.confirmPassword(session, change.current, change.remoteAddress);
    const after = await passwordHasher.hash(change.next.normalize('NFC'));
    if (!(await identities.changePassword({ identityId, before, after, currentSession })))
      throw wrongPasswordError(session);
  }

  async memberOf({ identityId, accountId }: Session): Promise<Member> {
    const member = await this.#parts.members.find(identityId, accountId);
    if (member === undefined)
      throw new GatewayError('authentication_required', 'the account of this session no longer exists');
    return member;
  }

  async logOut(session: Session): Promise<void> {
    await this.#parts.tokens.end(session, session.tokenId);
  }

  /** The password may have changed while it was verified. */
  async #startSession(member: Member, client = ''): Promise<LoginResult> {
    const issued = await this.#parts.tokens.issue(member, client);
    if (issued === undefined) throw wrongLoginError();
    return { ...issued, member };
  }

  #countAttempt(
    address: string,
    counterName: (block: string) => string,
    limit: { readonly most: number; readonly seconds: number },
  ): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, { address, counterName, ...limit });
  }
}

/** A person and their own account, which has the same id. */
export function newMember(
  person: Pick<Identity, 'email' | 'createdAtMs'> & { readonly passwordHash: string },
): Member {
  const id = randomUUID();
  const account: Account = { id, tier: 'free', period: undefined };
  const identity = { ...person, id: identityIdOf(id), email: normalizeEmail(person.email) };
  return { identity, account, role: 'owner' };
}

/** The counter name for attempts on one account from a block of addresses. */
function loginAttemptName(email: string): (block: string) => string {
  return (block) => `login:${block}:${email.toLowerCase()}`;
}

function notInvitedError(): GatewayError {
  return new GatewayError(
    'invitation_required',
    'sign-up is by invitation: the invitation is missing, was used, has expired, or is for another address',
    { param: 'invitation' },
  );
}

function rejectDisabled({ id, disabledAtMs }: Identity): void {
  if (disabledAtMs === undefined) return;
  throw new GatewayError('account_disabled', 'this account is disabled; contact the operator', {
    user: String(id),
  });
}

function wrongLoginError(identity?: Pick<Identity, 'id'>): GatewayError {
  const user = identity && String(identity.id);
  return new GatewayError('wrong_login', 'the e-mail address or the password is wrong', { user });
}

export function wrongPasswordError({ identityId }: Pick<Session, 'identityId'>): GatewayError {
  return new GatewayError('wrong_password', 'the password is wrong', { user: String(identityId) });
}

/** Unicode has several encodings of the same letters. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC');
}
