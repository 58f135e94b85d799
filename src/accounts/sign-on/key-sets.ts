import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { z } from 'zod';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import { signatureAlgorithms } from '../../kernel/ports/token-issuers.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';

type KeySet = ReturnType<typeof createLocalJWKSet>;

interface FetchedKeys {
  readonly keys: KeySet;
  readonly fetchedAtMs: number;
}

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

/**
 * The public keys of issuers. They are fetched once, again in the background when they get old, and at once if a token names an
 * unknown key, at most so often: made-up names must not cause requests.
 */
export class KeySets {
  readonly #fetch: EgressFetch;
  readonly #clock: Clock;
  readonly #fetched = new Lru<FetchedKeys>(limits.cachedIssuersMax);
  readonly #fetches = new Map<string, Promise<FetchedKeys>>();
  readonly #extraFetchesAtMs = new Lru<number>(limits.cachedIssuersMax);

  constructor(fetch: EgressFetch, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The claims of a token with a valid signature; throws an error of jose otherwise. */
  async verify(token: string, address: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const settled = {
      algorithms: [...signatureAlgorithms],
      clockTolerance: limits.issuerClockSeconds,
      currentDate: new Date(this.#clock.now()),
      ...options,
    };
    const { keys } = await this.#current(address);
    try {
      return await verifyWithSet(token, keys, settled);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.#mayFetchExtra(address)) throw error;
      return verifyWithSet(token, (await this.#refresh(address)).keys, settled);
    }
  }

  /** Fetches the keys, whether they are cached or not; throws if there are none. */
  async check(address: string): Promise<void> {
    await this.#refresh(address);
  }

  #current(address: string): FetchedKeys | Promise<FetchedKeys> {
    const fetched = this.#fetched.get(address);
    const ageMs = fetched === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - fetched.fetchedAtMs;
    if (fetched === undefined || ageMs > limits.issuerKeysLifeMs) return this.#refresh(address);
    // Those at hand are used until the new ones are there.
    if (ageMs > limits.issuerKeysFreshMs) this.#refresh(address).catch(() => undefined);
    return fetched;
  }

  #mayFetchExtra(address: string): boolean {
    const nowMs = this.#clock.now();
    const last = this.#extraFetchesAtMs.get(address);
    if (last !== undefined && nowMs - last < limits.issuerKeysPauseMs) return false;
    this.#extraFetchesAtMs.set(address, nowMs);
    return true;
  }

  /** Concurrent callers share one request. */
  #refresh(address: string): Promise<FetchedKeys> {
    const running = this.#fetches.get(address) ?? this.#fetchKeys(address);
    this.#fetches.set(address, running);
    return running.finally(() => this.#fetches.delete(address));
  }

  async #fetchKeys(address: string): Promise<FetchedKeys> {
    const response = await this.#fetch(address, {
      headers: { accept: 'application/jwk-set+json, application/json' },
      timeoutMs: limits.issuerAnswerMs,
      maxBytes: limits.issuerAnswerBytesMax,
    });
    if (response.status !== 200) throw new Error(`${address} answered with status ${response.status}`);
    const set = keySetSchema.parse(await response.json());
    const fetched = { keys: createLocalJWKSet(set), fetchedAtMs: this.#clock.now() };
    this.#fetched.set(address, fetched);
    return fetched;
  }
}

/** A token that names no key may be signed with any of those of its kind. */
async function verifyWithSet(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error)
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (refusal) {
        if (!(refusal instanceof errors.JWSSignatureVerificationFailed)) throw refusal;
      }
    throw new errors.JWSSignatureVerificationFailed();
  }
}
