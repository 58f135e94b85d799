import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { User, Users } from '../../kernel/ports/records.ts';
import type { MailboxProof, MailedTokens } from '../../kernel/ports/sessions.ts';
import type { RateLimiter, Versions } from '../../kernel/ports/shared-state.ts';
import { countAddressAttempt } from '../count-attempt.ts';
import type { SecretHasher } from '../secret-hasher.ts';
import type { Session } from '../session-tokens.ts';
import { normalizeEmail } from '../user-accounts.ts';
import { composeMail } from './mail-message.ts';
import type { MailQueue } from './mail-queue.ts';
import { createMailedLink, hashToken, type MailedLinkParts } from './mailed-links.ts';

export interface AccountRecoveryParts extends MailedLinkParts {
  readonly users: Users;
  readonly tokens: MailedTokens;
  readonly passwordHasher: SecretHasher;
  readonly attempts: RateLimiter;
  readonly versions: Pick<Versions, 'renew'>;
  /** Undefined where no mail can be sent. */
  readonly mailQueue: MailQueue | undefined;
}

/** What people do by a link in a mail: show that an address is theirs, and set a password that they forgot. */
export class AccountRecovery {
  readonly #parts: AccountRecoveryParts;

  constructor(parts: AccountRecoveryParts) {
    this.#parts = parts;
  }

  get canMail(): boolean {
    return this.#parts.mailQueue !== undefined;
  }

  /** Comes before anything here that strangers can ask for. */
  countAttempt(remoteAddress: string): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, {
      address: remoteAddress,
      counterName: (block) => `mail:${block}`,
      ...limits.mailsPerAddress,
    });
  }

  /** The same, and in the same time, whether there is an account or not: nothing is looked up before the answer. */
  requestPasswordReset(email: string): void {
    const { users } = this.#parts;
    this.#requireMailQueue().enqueue(async () => {
      const user = await users.byEmail(normalizeEmail(email));
      return user === undefined || user.disabledAtMs !== undefined
        ? undefined
        : this.#composeMailFor('reset', user);
    });
  }

  /** Of two who use one link, or two links of one account, one sets the password. */
  async resetPassword(token: string, password: string): Promise<MailboxProof> {
    const { tokens, passwordHasher, clock } = this.#parts;
    const hashed = hashToken(token);
    // Who makes tokens up gets no password hashed.
    if (!(await tokens.has(hashed, 'reset', clock.now()))) throw invalidLinkError();
    const passwordHash = await passwordHasher.hash(password.normalize('NFC'));
    return this.#invalidateCaches(await tokens.reset(hashed, passwordHash, clock.now()));
  }

  /** With signing up: where no mail can be sent or too many wait, the person asks for it later. */
  sendSignUpVerification(user: User): void {
    const { mailQueue } = this.#parts;
    if (mailQueue !== undefined && mailQueue.pendingCount < limits.mailsWaiting)
      this.requestVerification(user);
  }

  requestVerification(user: User): void {
    this.#requireMailQueue().enqueue(async () => this.#composeMailFor('verify', user));
  }

  /**
   * Whoever comes without a session of the account may be another person than the one who signed up and knows the password, so
   * that this password ends with the rest.
   */
  async verifyEmail(token: string, session: Session | undefined): Promise<MailboxProof> {
    const { tokens, passwordHasher, clock } = this.#parts;
    const hashed = hashToken(token);
    if (!(await tokens.has(hashed, 'verify', clock.now()))) throw invalidLinkError();
    const passwordHash = await passwordHasher.hash(randomBytes(32).toString('base64url'));
    const by = { nowMs: clock.now(), sessionId: session?.tokenId, passwordHash };
    return this.#invalidateCaches(await tokens.verify(hashed, by));
  }

  /** Refuses where there is no mail to send. */
  requireMail(): void {
    this.#requireMailQueue();
  }

  /** API keys that ended work on no replica once this resolves. */
  async #invalidateCaches(proof: MailboxProof | undefined): Promise<MailboxProof> {
    if (proof === undefined) throw invalidLinkError();
    await this.#parts.versions.renew(proof.accountId);
    return proof;
  }

  /** Undefined where this person has had enough mails for now; nobody is told. */
  async #composeMailFor(purpose: 'reset' | 'verify', { id, email }: User) {
    const { attempts: rateLimiter } = this.#parts;
    const waitSeconds = await rateLimiter.count(`mail:${purpose}:${id}`, limits.mailsPerAccount);
    if (waitSeconds > 0) return undefined;
    return composeMail(purpose, email, await createMailedLink(this.#parts, id, purpose));
  }

  #requireMailQueue(): MailQueue {
    const { mailQueue } = this.#parts;
    if (mailQueue !== undefined) return mailQueue;
    throw new GatewayError('mail_not_configured', 'this gateway sends no mail; contact the operator', {
      detail: 'mail_not_configured',
      shouldRetry: false,
    });
  }
}

function invalidLinkError(): GatewayError {
  return new GatewayError('invalid_token', 'this link has been used or has expired; request a new one', {
    param: 'token',
  });
}
