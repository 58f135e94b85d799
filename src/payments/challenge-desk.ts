import { randomBytes } from 'node:crypto';
import { countByAddress } from '../kernel/address-attempts.ts';
import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { Challenge, Challenges } from '../kernel/ports/payments.ts';
import type { Attempts } from '../kernel/ports/shared-state.ts';
import { sameText } from './content-digest.ts';
import type { Credential, Echoed } from './credential.ts';
import { charge, type Offer, offerUntil, type Payee, requestOf } from './offer.ts';

export interface ChallengeDeskParts {
  readonly challenges: Challenges;
  readonly attempts: Attempts;
  readonly clock: Clock;
  readonly payee: Payee;
  /** The host of the gateway, with its port where a URL has one. */
  realm(): string;
  /** Told when old challenges could not be forgotten. */
  onFault(cause: unknown): void;
}

/** A challenge that was just issued. */
export interface Quote {
  readonly challenge: Challenge;
  readonly expires: string;
  readonly offers: readonly Offer[];
}

/** Quotes the price of a call, once for every body that is sent, and knows what was quoted. */
export class ChallengeDesk {
  readonly #parts: ChallengeDeskParts;
  #issued = 0;
  #tidiedAtMs = 0;
  #tidying: Promise<void> | undefined;

  constructor(parts: ChallengeDeskParts) {
    this.#parts = parts;
  }

  /** Refuses an address that asks for more than anybody needs. */
  async issue(digest: string, remoteAddress: string): Promise<Quote> {
    const { challenges, clock, payee, realm } = this.#parts;
    await this.count(remoteAddress, 'payment challenges', limits.challengesPerAddress);
    // In whole seconds, since it is told in them, too.
    const expiresAtMs = Math.floor((clock.now() + limits.challengeLifeMs) / 1000) * 1000;
    const expires = new Date(expiresAtMs).toISOString();
    const offer = offerUntil(expires, payee);
    const challenge: Challenge = {
      id: `mpp_${randomBytes(24).toString('base64url')}`,
      realm: realm(),
      request: requestOf(offer, payee),
      digest,
      expiresAtMs,
      consumedAtMs: null,
    };
    await challenges.add(challenge);
    this.#tidyAtTimes();
    return { challenge, expires, offers: [offer] };
  }

  /** The challenge that a credential is for; undefined where it is none that can be paid with for a body of this digest. */
  async find({ challengeId, echoed }: Credential, digest: string): Promise<Challenge | undefined> {
    if (!idShape.test(challengeId)) return undefined;
    const challenge = await this.#parts.challenges.find(challengeId);
    if (challenge === undefined || challenge.consumedAtMs !== null) return undefined;
    if (challenge.expiresAtMs <= this.#parts.clock.now()) return undefined;
    if (echoed !== undefined && !isEchoOf(challenge, echoed)) return undefined;
    return sameText(challenge.digest, digest) ? challenge : undefined;
  }

  /** Refuses an address that does a thing more often than anybody needs to. */
  async count(
    remoteAddress: string,
    what: string,
    { most, seconds }: { readonly most: number; readonly seconds: number },
  ): Promise<void> {
    const retryAfterSeconds = await countByAddress(this.#parts.attempts, {
      address: remoteAddress,
      name: (block) => `mpp:${what}:${block}`,
      most,
      seconds,
    });
    if (retryAfterSeconds > 0)
      throw new GatewayError(
        'too_many_attempts',
        `an address gets ${most} ${what} in ${seconds} s; wait for ${retryAfterSeconds} s`,
        { retryAfterSeconds },
      );
  }

  /** Resolves when nothing is being forgotten. */
  async settled(): Promise<void> {
    await this.#tidying;
  }

  /** So often that no more are stored than there may be, and so seldom that nobody waits for it. */
  #tidyAtTimes(): void {
    const { challenges, clock, onFault } = this.#parts;
    const nowMs = clock.now();
    const isDue =
      ++this.#issued >= limits.challengesBetweenTidying ||
      nowMs - this.#tidiedAtMs >= limits.challengesTidyMs;
    if (!isDue || this.#tidying !== undefined) return;
    this.#issued = 0;
    this.#tidiedAtMs = nowMs;
    this.#tidying = challenges
      .tidy({ nowMs, most: limits.challengesKept })
      .catch(onFault)
      .finally(() => {
        this.#tidying = undefined;
      });
  }
}

/** A database may refuse to look for anything else. */
const idShape = /^mpp_[\w-]{32}$/;

function isEchoOf({ realm, request, digest, expiresAtMs }: Challenge, echoed: Echoed): boolean {
  const { expires = new Date(expiresAtMs).toISOString() } = echoed;
  return (
    echoed.realm === realm &&
    echoed.method === charge.method &&
    echoed.intent === charge.intent &&
    sameText(echoed.request, request) &&
    sameText(echoed.digest ?? digest, digest) &&
    expires === new Date(expiresAtMs).toISOString()
  );
}
