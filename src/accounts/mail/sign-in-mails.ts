import type { Identity } from '../../kernel/ports/identities.ts';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import { limits } from '../limits.ts';
import { composeSignInMail } from './mail-message.ts';
import type { MailQueue } from './mail-queue.ts';

interface SignInMailParts {
  readonly attempts: RateLimiter;
  readonly address: { readonly url: string };
  /** Undefined if no mail can be sent. */
  readonly mailQueue: MailQueue | undefined;
}

export interface SignIn {
  readonly atMs: number;
  /** The user agent. */
  readonly client: string;
  readonly remoteAddress: string;
}

/** Mails about logins with programs that a person has no session with. */
export class SignInMails {
  readonly #parts: SignInMailParts;

  constructor(parts: SignInMailParts) {
    this.#parts = parts;
  }

  /** Nothing to an address that nobody has confirmed: it may be a stranger's. A login never waits for a mail. */
  send({ id, email, verifiedAtMs }: Identity, signIn: SignIn): void {
    const { mailQueue, attempts, address } = this.#parts;
    if (verifiedAtMs === undefined || mailQueue === undefined) return;
    if (mailQueue.pendingCount >= limits.mailsWaiting) return;
    mailQueue.enqueue(async () => {
      const waitSeconds = await attempts.count(`mail:sign-in:${id}`, limits.mailsPerAccount);
      if (waitSeconds > 0) return undefined;
      return composeSignInMail({ to: email, link: `${address.url}/account`, ...signIn });
    });
  }
}
