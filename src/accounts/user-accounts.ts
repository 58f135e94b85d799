import { randomUUID } from 'node:crypto';
import { resetAddressAttempts } from '../kernel/address-attempts.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { User, Users } from '../kernel/ports/records.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import { countAddressAttempt } from './count-attempt.ts';
import type { SecretHasher } from './secret-hasher.ts';
import type { IssuedToken, Session, SessionTokens } from './session-tokens.ts';

export interface UserAccountsParts {
  readonly users: Users;
  readonly attempts: RateLimiter;
  readonly tokens: SessionTokens;
  readonly passwordHasher: SecretHasher;
  readonly clock: Clock;
}

/** What somebody typed, and where from. */
export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** What the browser or program calls itself. */
  readonly client?: string;
}

/** Passwords as they were typed, and where. */
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

  /** Comes before a try to sign up, which it refuses where there were too many; it needs nothing of the body. */
  countSignUp(remoteAddress: string): Promise<void> {
    return this.#countAttempt(remoteAddress, (block) => `signup:${block}`, limits.signUpsPerAddress);
  }

  /** The same before a try to log in, to whatever account. */
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

  /** Says the same, and takes as long, whether the address or the password is wrong. */
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

  /** The account of a session, where the password is its own; tries are counted like those to log in. */
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

  /** Ends all other sessions. Of two changes at once, one is made. */
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

  /** The password may have been changed while it was checked. */
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

/** What tries of one account from a block of addresses are called. */
function loginAttemptName(email: string): (block: string) => string {
  return (block) => `login:${block}:${email.toLowerCase()}`;
}

function wrongLoginError(): GatewayError {
  return new GatewayError('wrong_login', 'the e-mail address or the password is wrong');
}

export function wrongPasswordError(): GatewayError {
  return new GatewayError('wrong_password', 'the password is wrong');
}

/** The same letters can be written in two ways, which look alike to the one who types them. */
export function normalizeEmail(email: string): string {
  return email.trim().normalize('NFC');
}
