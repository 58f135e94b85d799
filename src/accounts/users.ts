import { randomUUID } from 'node:crypto';
import { forgetAddress } from '../kernel/address-attempts.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { User, Users } from '../kernel/ports/records.ts';
import type { Attempts } from '../kernel/ports/shared-state.ts';
import { countAddressAttempt } from './count-attempt.ts';
import type { Hashing } from './hashing.ts';
import type { IssuedToken, Session, SessionTokens } from './session-tokens.ts';

export interface AccountParts {
  readonly users: Users;
  readonly attempts: Attempts;
  readonly tokens: SessionTokens;
  readonly passwords: Hashing;
  readonly clock: Clock;
}

/** What somebody typed, and where from. */
export interface Login {
  readonly email: string;
  readonly password: string;
  readonly remoteAddress: string;
  /** What the browser or program calls itself. */
  readonly client?: string;
}

/** Passwords as they were typed, and where. */
export interface PasswordTyped {
  readonly current: string;
  readonly next: string;
  readonly remoteAddress: string;
}

export interface Entered extends IssuedToken {
  readonly user: User;
}

/** Signing up, logging in and out. */
export class Accounts {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  /** Comes before a try to sign up, which it refuses where there were too many; it needs nothing of the body. */
  countSignUp(remoteAddress: string): Promise<void> {
    return this.#count(remoteAddress, (block) => `signup:${block}`, limits.signUpsPerAddress);
  }

  /** The same before a try to log in, to whatever account. */
  countLogIn(remoteAddress: string): Promise<void> {
    return this.#count(remoteAddress, (block) => `login:${block}`, limits.loginsPerAddress);
  }

  async signUp({ email, password, client }: Omit<Login, 'remoteAddress'>): Promise<Entered> {
    const { users, passwords, clock } = this.#parts;
    const user: User = {
      id: randomUUID(),
      tier: 'free',
      period: undefined,
      email: normal(email),
      passwordHash: await passwords.hash(password.normalize('NFC')),
      createdAtMs: clock.now(),
    };
    if (!(await users.add(user)))
      throw new GatewayError('email_taken', 'there is an account with this e-mail address; log in', {
        param: 'email',
      });
    return this.#enter(user, client);
  }

  /** Says the same, and takes as long, whether the address or the password is wrong. */
  async logIn({ email, password, remoteAddress, client }: Login): Promise<Entered> {
    const { users, attempts, passwords } = this.#parts;
    const pair = pairOf(normal(email));
    await this.#count(remoteAddress, pair, limits.loginsPerAccount);
    const user = await users.byEmail(normal(email));
    const hashed = user?.passwordHash ?? passwords.decoy;
    const isRight = await passwords.verify(hashed, password.normalize('NFC'));
    if (user === undefined || !isRight) throw wrongLogin();
    await forgetAddress(attempts, { address: remoteAddress, name: pair });
    if (user.disabledAtMs !== undefined)
      throw new GatewayError('account_disabled', 'this account is closed; ask who runs this gateway');
    return this.#enter(user, client);
  }

  /** The account of a session, where the password is its own; tries are counted like those to log in. */
  async confirmed(session: Session, password: string, remoteAddress: string): Promise<User> {
    const { attempts, passwords } = this.#parts;
    const user = await this.me(session);
    const pair = pairOf(user.email);
    await this.#count(remoteAddress, pair, limits.loginsPerAccount);
    if (!(await passwords.verify(user.passwordHash, password.normalize('NFC')))) throw wrongPassword();
    await forgetAddress(attempts, { address: remoteAddress, name: pair });
    return user;
  }

  /** Ends all other sessions. Of two changes at once, one is made. */
  async changePassword(session: Session, change: PasswordTyped): Promise<void> {
    const { users, passwords } = this.#parts;
    const { accountId, tokenId: keptSession } = session;
    const { passwordHash: before } = await this.confirmed(session, change.current, change.remoteAddress);
    const after = await passwords.hash(change.next.normalize('NFC'));
    if (!(await users.changePassword({ accountId, before, after, keptSession }))) throw wrongPassword();
  }

  async me({ accountId }: Session): Promise<User> {
    const user = await this.#parts.users.byId(accountId);
    if (user === undefined)
      throw new GatewayError('authentication_required', 'the account of this session is gone');
    return user;
  }

  async logOut(session: Session): Promise<void> {
    await this.#parts.tokens.end(session, session.tokenId);
  }

  /** The password may have been changed while it was checked. */
  async #enter(user: User, client = ''): Promise<Entered> {
    const issued = await this.#parts.tokens.issue(user, client);
    if (issued === undefined) throw wrongLogin();
    return { ...issued, user };
  }

  #count(
    address: string,
    name: (block: string) => string,
    limit: { readonly most: number; readonly seconds: number },
  ): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, { address, name, ...limit });
  }
}

/** What tries of one account from a block of addresses are called. */
function pairOf(email: string): (block: string) => string {
  return (block) => `login:${block}:${email.toLowerCase()}`;
}

function wrongLogin(): GatewayError {
  return new GatewayError('wrong_login', 'the e-mail address or the password is wrong');
}

export function wrongPassword(): GatewayError {
  return new GatewayError('wrong_password', 'the password is wrong');
}

/** The same letters can be written in two ways, which look alike to the one who types them. */
export function normal(email: string): string {
  return email.trim().normalize('NFC');
}
