import { randomBytes } from 'node:crypto';
import { GatewayError } from '../../kernel/errors.ts';
import type { Identities, Identity } from '../../kernel/ports/identities.ts';
import type { MailboxProof, MailedTokens } from '../../kernel/ports/sessions.ts';
import type { RateLimiter, Versions } from '../../kernel/ports/shared-state.ts';
import { countAddressAttempt } from '../count-attempt.ts';
import { limits } from '../limits.ts';
import { hashToken } from '../link-token.ts';
import type { SecretHasher } from '../secret-hasher.ts';
import type { Session } from '../session-tokens.ts';
import { normalizeEmail } from '../user-accounts.ts';
import { composeMail } from './mail-message.ts';
import type { MailQueue } from './mail-queue.ts';
import { createMailedLink, type MailedLinkParts } from './mailed-links.ts';

export interface AccountRecoveryParts extends MailedLinkParts {
  readonly identities: Pick<Identities, 'byEmail'>;
  readonly tokens: MailedTokens;
  readonly passwordHasher: SecretHasher;
  readonly attempts: RateLimiter;
  readonly versions: Pick<Versions, 'renew'>;
  /** Undefined if no mail can be sent. */
  readonly mailQueue: MailQueue | undefined;
}

/** Email verification and password reset by mailed links. */
export class AccountRecovery {
  readonly #parts: AccountRecoveryParts;

  constructor(parts: AccountRecoveryParts) {
    this.#parts = parts;
  }

  get canMail(): boolean {
    return this.#parts.mailQueue !== undefined;
  }

  /** Call this before every operation here that needs no authentication. */
  countAttempt(remoteAddress: string): Promise<void> {
    return countAddressAttempt(this.#parts.attempts, {
      address: remoteAddress,
      counterName: (block) => `mail:${block}`,
      ...limits.mailsPerAddress,
    });
  }

  /** Looks nothing up before the response, so that neither its content nor its time reveals whether the account exists. */
  requestPasswordReset(email: string): void {
    const { identities } = this.#parts;
    this.#requireMailQueue().enqueue(async () => {
      const identity = await identities.byEmail(normalizeEmail(email));
      return identity === undefined || identity.disabledAtMs !== undefined
        ? undefined
        : this.#composeMailFor('reset', identity);
    });
  }

  /** Of two concurrent uses of a link, or of two links of one person, one sets the password. */
  async resetPassword(token: string, password: string): Promise<MailboxProof> {
    const { tokens, passwordHasher, clock } = this.#parts;
    const hashed = hashToken(token);
    // A made-up token must not cost a password hash.
    if (!(await tokens.has(hashed, 'reset', clock.now()))) throw invalidLinkError();
    const passwordHash = await passwordHasher.hash(password.normalize('NFC'));
    return this.#invalidateCaches(await tokens.reset(hashed, passwordHash, clock.now()));
  }

  /** At sign-up. If no mail can be sent or too many are waiting, the user requests it later. */
  sendSignUpVerification(identity: Identity): void {
    const { mailQueue } = this.#parts;
    if (mailQueue !== undefined && mailQueue.pendingCount < limits.mailsWaiting)
      this.requestVerification(identity);
  }

  requestVerification(identity: Identity): void {
    this.#requireMailQueue().enqueue(async () => this.#composeMailFor('verify', identity));
  }

  /**
   * Without a session of the person, the owner of the mailbox may not be the person who signed up and knows the password,
   * so this replaces the password, too.
   */
  async verifyEmail(token: string, session: Session | undefined): Promise<MailboxProof> {
    const { tokens, passwordHasher, clock } = this.#parts;
    const hashed = hashToken(token);
    if (!(await tokens.has(hashed, 'verify', clock.now()))) throw invalidLinkError();
    const passwordHash = await passwordHasher.hash(randomBytes(32).toString('base64url'));
    const by = { nowMs: clock.now(), sessionId: session?.tokenId, passwordHash };
    return this.#invalidateCaches(await tokens.verify(hashed, by));
  }

  /** Throws if no mail can be sent. */
  requireMail(): void {
    this.#requireMailQueue();
  }

  /** Revoked API keys work on no replica once this resolves. */
  async #invalidateCaches(proof: MailboxProof | undefined): Promise<MailboxProof> {
    if (proof === undefined) throw invalidLinkError();
    for (const accountId of proof.accountIds) await this.#parts.versions.renew(accountId);
    return proof;
  }

  /** Undefined if the person has reached the mail limit; the client does not learn of it. */
  async #composeMailFor(purpose: 'reset' | 'verify', { id, email }: Identity) {
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
