import { randomBytes } from 'node:crypto';
import { countAttemptByAddress } from '../kernel/address-attempts.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Challenge, Challenges } from '../kernel/ports/payments.ts';
import type { RateLimiter } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { timingSafeTextEqual } from './content-digest.ts';
import { limits } from './limits.ts';
import { chargeTerms, createOffer, encodePaymentRequest, type Offer, type Payee } from './offer.ts';
import type { EchoedChallenge, PaymentCredential } from './payment-credential.ts';

export interface ChallengeIssuerParts {
  readonly challenges: Challenges;
  readonly attempts: RateLimiter;
  readonly clock: Clock;
  readonly payee: Payee;
  /** The host of the gateway, with its port if the URL has one. */
  realm(): string;
  /** Called when old challenges could not be deleted. */
  onFault(cause: unknown): void;
}

export interface Quote {
  readonly challenge: Challenge;
  readonly expires: string;
  readonly offers: readonly Offer[];
}

/** Issues payment challenges, one for each request body, and finds them again. */
export class ChallengeIssuer {
  readonly #parts: ChallengeIssuerParts;
  #issued = 0;
  #lastCleanupMs = 0;
  #cleanup: Promise<void> | undefined;

  constructor(parts: ChallengeIssuerParts) {
    this.#parts = parts;
  }

  /** Throws if an address requests too many challenges. */
  async issue(digest: string, remoteAddress: string): Promise<Quote> {
    const { challenges, clock, payee, realm } = this.#parts;
    await this.enforceRateLimit(remoteAddress, 'payment challenges', limits.challengesPerAddress);
    // In whole seconds, because the response has it in seconds, too.
    const expiresAtMs = Math.floor((clock.now() + limits.challengeLifeMs) / 1000) * 1000;
    const expires = new Date(expiresAtMs).toISOString();
    const offer = createOffer(expires, payee);
    const challenge: Challenge = {
      id: `mpp_${randomBytes(24).toString('base64url')}`,
      realm: realm(),
      request: encodePaymentRequest(offer, payee),
      digest,
      expiresAtMs,
      consumedAtMs: null,
    };
    await challenges.add(challenge);
    this.#cleanUpIfDue();
    return { challenge, expires, offers: [offer] };
  }

  /** Finds the challenge of a credential; undefined if it is not valid for a body with this digest. */
  async find(
    { challengeId, echoedChallenge }: PaymentCredential,
    digest: string,
  ): Promise<Challenge | undefined> {
    if (!challengeIdPattern.test(challengeId)) return undefined;
    const challenge = await this.#parts.challenges.find(challengeId);
    if (challenge === undefined || challenge.consumedAtMs !== null) return undefined;
    if (challenge.expiresAtMs <= this.#parts.clock.now()) return undefined;
    if (echoedChallenge !== undefined && !matchesChallenge(challenge, echoedChallenge)) return undefined;
    return timingSafeTextEqual(challenge.digest, digest) ? challenge : undefined;
  }

  /** Throws if an address exceeds a rate limit. */
  async enforceRateLimit(
    remoteAddress: string,
    what: string,
    { most, seconds }: { readonly most: number; readonly seconds: number },
  ): Promise<void> {
    const retryAfterSeconds = await countAttemptByAddress(this.#parts.attempts, {
      address: remoteAddress,
      counterName: (block) => `mpp:${what}:${block}`,
      most,
      seconds,
    });
    if (retryAfterSeconds > 0)
      throw new GatewayError(
        'too_many_attempts',
        `too many ${what} from this address: ${most} are allowed in ${seconds} s; retry in ${retryAfterSeconds} s`,
        { retryAfterSeconds },
      );
  }

  /** Resolves when no cleanup is running. */
  async whenCleanedUp(): Promise<void> {
    await this.#cleanup;
  }

  /** Often enough to bound the stored challenges, and rarely enough to cost no time. */
  #cleanUpIfDue(): void {
    const { challenges, clock, onFault } = this.#parts;
    const nowMs = clock.now();
    const isDue =
      ++this.#issued >= limits.challengesBetweenTidying ||
      nowMs - this.#lastCleanupMs >= limits.challengesTidyMs;
    if (!isDue || this.#cleanup !== undefined) return;
    this.#issued = 0;
    this.#lastCleanupMs = nowMs;
    this.#cleanup = challenges
      .tidy({ nowMs, most: limits.challengesKept })
      .catch(onFault)
      .finally(() => {
        this.#cleanup = undefined;
      });
  }
}

/** PostgreSQL rejects queries for anything but a UUID. */
const challengeIdPattern = /^mpp_[\w-]{32}$/;

function matchesChallenge(
  { realm, request, digest, expiresAtMs }: Challenge,
  echoed: EchoedChallenge,
): boolean {
  const { expires = new Date(expiresAtMs).toISOString() } = echoed;
  return (
    echoed.realm === realm &&
    echoed.method === chargeTerms.method &&
    echoed.intent === chargeTerms.intent &&
    timingSafeTextEqual(echoed.request, request) &&
    timingSafeTextEqual(echoed.digest ?? digest, digest) &&
    expires === new Date(expiresAtMs).toISOString()
  );
}
