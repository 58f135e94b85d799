import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { User, Users } from '../../kernel/ports/records.ts';
import type { MailboxProof, MailedTokens } from '../../kernel/ports/sessions.ts';
import type { Attempts, Versions } from '../../kernel/ports/shared-state.ts';
import { countAddressAttempt } from '../count-attempt.ts';
import type { Hashing } from '../hashing.ts';
import type { Session } from '../session-tokens.ts';
import { normal } from '../users.ts';
import { letterWith } from './letter.ts';
import { hashOf, type MailedLinkParts, mailedLink } from './mailed-links.ts';
import type { Postman } from './postman.ts';

export interface RecoveryParts extends MailedLinkParts {
  readonly users: Users;
  readonly tokens: MailedTokens;
  readonly passwords: Hashing;
  readonly attempts: Attempts;
  readonly versions: Pick<Versions, 'renew'>;
  /** Undefined where no mail can be sent. */
  readonly postman: Postman | undefined;
}

/** What people do by a link in a mail: show that an address is theirs, and set a password that they forgot. */
export class Recovery {
  readonly #parts: RecoveryParts;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  get canMail(): boolean {
    return this.#parts.postman !== undefined;
  }

  /** Comes before anything here that strangers can ask for. */
  countTry(remoteAddress: string): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, {
      address: remoteAddress,
      name: (block) => `mail:${block}`,
      ...limits.mailsPerAddress,
    });
  }

  /** The same, and in the same time, whether there is an account or not: nothing is looked up before the answer. */
  askReset(email: string): void {
    const { users } = this.#parts;
    this.#postman().post(async () => {
      const user = await users.byEmail(normal(email));
      return user === undefined || user.disabledAtMs !== undefined ? undefined : this.#letter('reset', user);
    });
  }

  /** Of two who use one link, or two links of one account, one sets the password. */
  async reset(token: string, password: string): Promise<MailboxProof> {
    const { tokens, passwords, clock } = this.#parts;
    const hashed = hashOf(token);
    // Who makes tokens up gets no password hashed.
    if (!(await tokens.has(hashed, 'reset', clock.now()))) throw noSuchLink();
    const passwordHash = await passwords.hash(password.normalize('NFC'));
    return this.#everywhere(await tokens.reset(hashed, passwordHash, clock.now()));
  }

  /** With signing up: where no mail can be sent or too many wait, the person asks for it later. */
  welcome(user: User): void {
    const { postman } = this.#parts;
    if (postman !== undefined && postman.waiting < limits.mailsWaiting) this.askVerification(user);
  }

  askVerification(user: User): void {
    this.#postman().post(async () => this.#letter('verify', user));
  }

  /**
   * Whoever comes without a session of the account may be another person than the one who signed up and knows the password, so
   * that this password ends with the rest.
   */
  async verify(token: string, session: Session | undefined): Promise<MailboxProof> {
    const { tokens, passwords, clock } = this.#parts;
    const hashed = hashOf(token);
    if (!(await tokens.has(hashed, 'verify', clock.now()))) throw noSuchLink();
    const passwordHash = await passwords.hash(randomBytes(32).toString('base64url'));
    const by = { nowMs: clock.now(), sessionId: session?.tokenId, passwordHash };
    return this.#everywhere(await tokens.verify(hashed, by));
  }

  /** Refuses where there is no mail to send. */
  requireMail(): void {
    this.#postman();
  }

  /** API keys that ended work on no replica once this resolves. */
  async #everywhere(proof: MailboxProof | undefined): Promise<MailboxProof> {
    if (proof === undefined) throw noSuchLink();
    await this.#parts.versions.renew(proof.accountId);
    return proof;
  }

  /** Undefined where this person has had enough mails for now; nobody is told. */
  async #letter(purpose: 'reset' | 'verify', { id, email }: User) {
    const { attempts } = this.#parts;
    const waitSeconds = await attempts.count(`mail:${purpose}:${id}`, limits.mailsPerAccount);
    if (waitSeconds > 0) return undefined;
    return letterWith(purpose, email, await mailedLink(this.#parts, id, purpose));
  }

  #postman(): Postman {
    const { postman } = this.#parts;
    if (postman !== undefined) return postman;
    throw new GatewayError('mail_not_configured', 'this gateway sends no mail; ask who runs it', {
      detail: 'mail_not_configured',
      shouldRetry: false,
    });
  }
}

function noSuchLink(): GatewayError {
  return new GatewayError('invalid_token', 'this link was used, or is too old; ask for another one', {
    param: 'token',
  });
}
