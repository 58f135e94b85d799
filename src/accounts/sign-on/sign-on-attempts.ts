import { z } from 'zod';
import type { RateLimiter } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import type { Sealer } from '../sealer.ts';

const attemptSchema = z.strictObject({
  accountId: z.string(),
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnPath: z.string(),
  expiresAtMs: z.number(),
});

/** A sign-on under way. Only the browser that began it has it, sealed. */
export type SignOnAttempt = z.output<typeof attemptSchema>;

const context = 'sign-on attempt';

/** Seals attempts for a cookie, and accepts each once on all replicas. */
export class SignOnAttempts {
  readonly #sealer: Sealer;
  readonly #counts: RateLimiter;
  readonly #clock: Clock;

  constructor(sealer: Sealer, counts: RateLimiter, clock: Clock) {
    this.#sealer = sealer;
    this.#counts = counts;
    this.#clock = clock;
  }

  seal(attempt: Omit<SignOnAttempt, 'expiresAtMs'>): string {
    const expiresAtMs = this.#clock.now() + limits.signOnLifeMs;
    const { sealedBy, sealed } = this.#sealer.seal(JSON.stringify({ ...attempt, expiresAtMs }), context);
    return `${sealedBy}.${Buffer.from(sealed).toString('base64url')}`;
  }

  /** Undefined if it is none of ours, is for another account or state, has expired, or was used. */
  async use(
    cookie: string | undefined,
    { accountId, state }: { readonly accountId: string; readonly state: string | null },
  ): Promise<SignOnAttempt | undefined> {
    const attempt = cookie === undefined ? undefined : this.#open(cookie);
    if (attempt === undefined || attempt.accountId !== accountId || attempt.state !== state) return undefined;
    if (attempt.expiresAtMs <= this.#clock.now()) return undefined;
    const seconds = limits.signOnLifeMs / 1000;
    return (await this.#counts.count(`sign-on:${attempt.state}`, { most: 1, seconds })) === 0
      ? attempt
      : undefined;
  }

  #open(cookie: string): SignOnAttempt | undefined {
    const [sealedBy = '', text = ''] = cookie.split('.', 2);
    const opened = this.#sealer.open({ sealedBy, sealed: Buffer.from(text, 'base64url') }, context);
    return opened === undefined ? undefined : attemptSchema.parse(JSON.parse(opened));
  }
}
