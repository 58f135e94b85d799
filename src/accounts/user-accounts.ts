import { randomUUID } from 'node:crypto';
import { resetAddressAttempts } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { User, Users } from '../kernel/ports/records.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { countAddressAttempt } from './count-attempt.ts';
import { limits } from './limits.ts';
import type { SecretHasher } from './secret-hasher.ts';
import type { IssuedToken, Session, SessionTokens } from './session-tokens.ts';

export interface UserAccountsParts {
  readonly users: Users;
  readonly attempts: RateLimiter;
  readonly tokens: SessionTokens;
  readonly passwordHasher: SecretHasher;
  readonly clock: Clock;
}

/** A login attempt: email, password and origin. */
export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** The user agent. */
  readonly client?: string;
}

/** The entered passwords, and the origin. */
export interface PasswordChangeRequest {
  readonly current: string;
  readonly next: string;
  readonly remoteAddress: string;
}

export interface LoginResult extends IssuedToken {
  readonly user: User;
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

  async signUp({ email, password, client }: Omit<LoginAttempt, 'remoteAddress'>): Promise<LoginResult> {
    const { users, passwordHasher, clock } = this.#parts;
    const user: User = {
      id: randomUUID(),
      tier: 'free',
      period: undefined,
      email: normalizeEmail(email),
      passwordHash: await passwordHasher.hash(password.normalize('NFC')),
      createdAtMs: clock.now(),
    };
    if (!(await users.add(user)))
      throw new GatewayError('email_taken', 'an account with this e-mail address exists; log in', {
        param: 'email',
      });
    return this.#startSession(user, client);
  }

  /** Same error and same time, whether the address or the password is wrong. */
  async logIn({ email, password, remoteAddress, client }: LoginAttempt): Promise<LoginResult> {
    const { users, attempts: rateLimiter, passwordHasher } = this.#parts;
    const pair = loginAttemptName(normalizeEmail(email));
    await this.#countAttempt(remoteAddress, pair, limits.loginsPerAccount);
    const user = await users.byEmail(normalizeEmail(email));
    const hashed = user?.passwordHash ?? passwordHasher.decoyHash;
    const isRight = await passwordHasher.verify(hashed, password.normalize('NFC'));
    if (user === undefined || !isRight) throw wrongLoginError();
    await resetAddressAttempts(rateLimiter, { address: remoteAddress, counterName: pair });
    if (user.disabledAtMs !== undefined)
      throw new GatewayError('account_disabled', 'this account is disabled; contact the operator');
    return this.#startSession(user, client);
  }

  /** Returns the account of a session if the password is right; counts attempts like logins. */
  async confirmPassword(session: Session, password: string, remoteAddress: string): Promise<User> {
    const { attempts: rateLimiter, passwordHasher } = this.#parts;
    const user = await this.userOf(session);
    const pair = loginAttemptName(user.email);
    await this.#countAttempt(remoteAddress, pair, limits.loginsPerAccount);
    if (!(await passwordHasher.verify(user.passwordHash, password.normalize('NFC'))))
      throw wrongPasswordError();
    await resetAddressAttempts(rateLimiter, { address: remoteAddress, counterName: pair });
    return user;
  }

  /** Ends all other sessions. Of two concurrent changes, one succeeds. */
  async changePassword(session: Session, change: PasswordChangeRequest): Promise<void> {
    const { users, passwordHasher } = this.#parts;
    const { accountId, tokenId: currentSession } = session;
    const { passwordHash: before } = await this.confirmPassword(
      session,
      change.current,
      change.remoteAddress,
    );
    const after = await passwordHasher.hash(change.next.normalize('NFC'));
    if (!(await users.changePassword({ accountId, before, after, currentSession })))
      throw wrongPasswordError();
  }

  async userOf({ accountId }: Session): Promise<User> {
    const user = await this.#parts.users.byId(accountId);
    if (user === undefined)
      throw new GatewayError('authentication_required', 'the account of this session no longer exists');
    return user;
  }

  async logOut(session: Session): Promise<void> {
    await this.#parts.tokens.end(session, session.tokenId);
  }

  /** The password may have changed while it was verified. */
  async #startSession(user: User, client = ''): Promise<LoginResult> {
    const issued = await this.#parts.tokens.issue(user, client);
    if (issued === undefined) throw wrongLoginError();
    return { ...issued, user };
  }

  #countAttempt(
    address: string,
    counterName: (block: string) => string,
    limit: { readonly most: number; readonly seconds: number },
  ): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, { address, counterName, ...limit });
  }
}

/** The counter name for attempts on one account from a block of addresses. */
function loginAttemptName(email: string): (block: string) => string {
  return (block) => `login:${block}:${email.toLowerCase()}`;
}

function wrongLoginError(): GatewayError {
  return new GatewayError('wrong_login', 'the e-mail address or the password is wrong');
}

export function wrongPasswordError(): GatewayError {
  return new GatewayError('wrong_password', 'the password is wrong');
}

/** Unicode has several encodings of the same letters. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC');
}
