import { z } from 'zod';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { TokenIssuer } from '../../kernel/ports/token-issuers.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';

const documentSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });

interface ReadAddress {
  readonly address: string;
  readonly readAtMs: number;
}

/** Where issuers have their public keys. */
export class IssuerKeys {
  readonly #fetch: EgressFetch;
  readonly #clock: Clock;
  readonly #read = new Lru<ReadAddress>(limits.cachedIssuersMax);
  readonly #pausedUntilMs = new Lru<number>(limits.cachedIssuersMax);

  constructor(fetch: EgressFetch, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** Runs with the address of the keys. An issuer that can't be reached is left alone for a while. */
  async use<Result>(
    { issuer, rules: { jwksUri } }: TokenIssuer,
    run: (address: string) => Promise<Result>,
    isOutage: (error: unknown) => boolean,
  ): Promise<Result> {
    const name = jwksUri ?? issuer;
    if ((this.#pausedUntilMs.get(name) ?? 0) > this.#clock.now())
      throw new Error(`${name} could not be reached a moment ago`);
    let hasAddress = false;
    try {
      const address = jwksUri ?? (await this.#discover(issuer));
      hasAddress = true;
      return await run(address);
    } catch (error) {
      if (!hasAddress || isOutage(error))
        this.#pausedUntilMs.set(name, this.#clock.now() + limits.tokenIssuerPauseMs);
      throw error;
    }
  }

  /** An address at hand is used while the issuer can't be reached. */
  async #discover(issuer: string): Promise<string> {
    const nowMs = this.#clock.now();
    const known = this.#read.get(issuer);
    if (known !== undefined && nowMs - known.readAtMs < limits.issuerFreshMs) return known.address;
    try {
      const address = await this.#readDocument(issuer);
      this.#read.set(issuer, { address, readAtMs: nowMs });
      return address;
    } catch (error) {
      if (known !== undefined && nowMs - known.readAtMs < limits.issuerKeysLifeMs) return known.address;
      throw error;
    }
  }

  async #readDocument(issuer: string): Promise<string> {
    const response = await this.#fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      headers: { accept: 'application/json' },
      timeoutMs: limits.issuerAnswerMs,
      maxBytes: limits.issuerAnswerBytesMax,
    });
    if (response.status !== 200) throw new Error(`${issuer} answered with status ${response.status}`);
    const document = documentSchema.parse(await response.json());
    if (document.issuer !== issuer) throw new Error(`the document is of the issuer ${document.issuer}`);
    return document.jwks_uri;
  }
}
