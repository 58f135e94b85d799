import { decodeProtectedHeader, errors } from 'jose';
import { KeyAccess } from '../../kernel/access-rules.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import type { TokenIssuer, TokenIssuers } from '../../kernel/ports/token-issuers.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import type { ApiKeyAuthenticator, KeyIdentity } from '../api-key-authenticator.ts';
import { KeyedHasher } from '../keyed-hasher.ts';
import { limits } from '../limits.ts';
import type { KeySets } from '../sign-on/key-sets.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { readClaims, refusedTokenError, type TokenMeaning } from './token-claims.ts';
import { mayBeIssued, namesIn } from './token-shape.ts';

export interface IssuedTokensParts {
  readonly tokenIssuers: Pick<TokenIssuers, 'find' | 'named'>;
  readonly keys: Pick<ApiKeyAuthenticator, 'identityOf' | 'refusalOf'>;
  readonly keySets: Pick<KeySets, 'verify'>;
  readonly issuerKeys: IssuerKeys;
  readonly versions: Versions;
  /** Hashes tokens to cache keys, so that no token stays in memory. */
  readonly cacheKey: Uint8Array;
  readonly clock: Clock;
}

interface CachedIdentity {
  readonly identity: KeyIdentity;
  readonly untilMs: number;
}

interface CachedRefusal {
  /** Undefined for a token of no known issuer. */
  readonly error: GatewayError | undefined;
  readonly untilMs: number;
}

/** Identifies callers by tokens of their company's issuer. Such a token stands for an API key of the organization, with an end user. */
export class IssuedTokens {
  readonly #parts: IssuedTokensParts;
  readonly #cacheNames: KeyedHasher;
  readonly #identities = new Lru<CachedIdentity>(limits.cachedIssuedTokensMax);
  /** Separate from the hits, so that made-up tokens can't evict those. */
  readonly #refusals = new Lru<CachedRefusal>(limits.cachedTokenMissesMax);
  readonly #lookups = new Map<string, Promise<KeyIdentity | undefined>>();

  constructor(parts: IssuedTokensParts) {
    this.#parts = parts;
    this.#cacheNames = new KeyedHasher(parts.cacheKey);
  }

  /** Undefined if the token isn't in memory, or its key may not be used from this address as far as is known. */
  cached(token: string, address: string | undefined): KeyIdentity | undefined {
    const identity = this.#cached(token);
    const isUsable = identity !== undefined && this.#parts.keys.refusalOf(identity, address) === undefined;
    return isUsable ? identity : undefined;
  }

  /** Undefined if it is of no known issuer. Rejects one that is refused. */
  async find(token: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    const identity = await this.#find(token);
    if (identity === undefined || this.#parts.keys.refusalOf(identity, address) === undefined)
      return identity;
    // The rules may have changed since they were cached.
    return this.findCurrent(token, address);
  }

  /** For routes that take no slot, and so would not notice that the account has changed since. */
  async findCurrent(token: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    const { versions, keys } = this.#parts;
    let identity = await this.#find(token);
    if (identity !== undefined && (await versions.of(identity.account.id)) !== identity.version) {
      this.forget(token);
      identity = await this.#find(token);
    }
    const refusal = identity && keys.refusalOf(identity, address);
    if (refusal !== undefined) throw refusal;
    return identity;
  }

  /** Drops what is cached for this token, so that it is verified again. */
  forget(token: string): void {
    const name = this.#cacheNames.hashText(token);
    this.#identities.delete(name);
    this.#refusals.delete(name);
    this.#lookups.delete(name);
  }

  #cached(token: string): KeyIdentity | undefined {
    if (token.length > limits.issuedTokenCharactersMax) return undefined;
    const cached = this.#identities.get(this.#cacheNames.hashText(token));
    return cached !== undefined && cached.untilMs > this.#parts.clock.now() ? cached.identity : undefined;
  }

  async #find(token: string): Promise<KeyIdentity | undefined> {
    const cached = this.#cached(token);
    if (cached !== undefined || !mayBeIssued(token)) return cached;
    const names = namesIn(token);
    if (names === undefined) return undefined;
    const name = this.#cacheNames.hashText(token);
    const refusal = this.#refusals.get(name);
    if (refusal !== undefined && refusal.untilMs > this.#parts.clock.now()) {
      if (refusal.error !== undefined) throw refusal.error;
      return undefined;
    }
    return this.#lookups.get(name) ?? this.#startLookup(token, name);
  }

  #startLookup(token: string, name: string): Promise<KeyIdentity | undefined> {
    if (this.#lookups.size >= limits.keyLookupsAtOnce)
      throw new GatewayError('busy', 'too many requests at once; try again in a moment', {
        retryAfterSeconds: 1,
      });
    const isLatest = () => this.#lookups.get(name) === lookup;
    const lookup: Promise<KeyIdentity | undefined> = this.#verify(token)
      .then(
        (verified) => {
          if (isLatest()) this.#remember(name, verified);
          return verified?.identity;
        },
        (error: unknown) => {
          if (isLatest() && GatewayError.is(error) && error.code === 'invalid_api_key')
            this.#refuse(name, error);
          throw error;
        },
      )
      .finally(() => {
        if (isLatest()) this.#lookups.delete(name);
      });
    this.#lookups.set(name, lookup);
    return lookup;
  }

  #remember(name: string, verified: CachedIdentity | undefined): void {
    if (verified === undefined) this.#refuse(name, undefined);
    else this.#identities.set(name, verified);
  }

  #refuse(name: string, error: GatewayError | undefined): void {
    const untilMs = this.#parts.clock.now() + limits.issuedTokenMissLifeMs;
    this.#refusals.set(name, { error, untilMs });
  }

  async #verify(token: string): Promise<CachedIdentity | undefined> {
    const { tokenIssuers, keys, clock } = this.#parts;
    const names = namesIn(token);
    const named = names && (await tokenIssuers.named(names.issuer, names.audiences));
    // A token that is for several organizations says of none that it is theirs.
    const [issuer] = named ?? [];
    if (issuer === undefined || named?.length !== 1) return undefined;
    const meaning = await this.#meaningOf(token, issuer);
    if (meaning === undefined) return undefined;
    const identity = await keys.identityOf(meaning.keyId);
    // Read after the version of the identity: an earlier read could be older.
    const current = await tokenIssuers.find(issuer.id);
    if (current?.updatedAtMs !== issuer.updatedAtMs) return this.#verify(token);
    if (identity?.account.id !== issuer.accountId)
      throw refusedTokenError('the API key that it stands for was revoked');
    const untilMs = Math.min(meaning.expiresAtMs, clock.now() + limits.issuedTokenLifeMs);
    return { identity: asIssued(identity, meaning.endUser), untilMs };
  }

  /** Undefined if the signature isn't the issuer's: then nothing of the token is worth an explanation. */
  async #meaningOf(token: string, issuer: TokenIssuer): Promise<TokenMeaning | undefined> {
    const { keySets, issuerKeys, clock } = this.#parts;
    if (!isTypeAllowed(token)) return undefined;
    const { rules, audience } = issuer;
    const verify = (address: string) =>
      keySets.verify(token, address, {
        issuer: issuer.issuer,
        audience,
        algorithms: [...rules.algorithms],
        requiredClaims: ['exp'],
      });
    try {
      const claims = await issuerKeys.use(issuer, verify, (error) => !(error instanceof errors.JOSEError));
      return readClaims(claims, rules, clock.now());
    } catch (error) {
      if (GatewayError.is(error)) throw error;
      if (error instanceof errors.JWTExpired) throw refusedTokenError('it has expired');
      if (error instanceof errors.JWTClaimValidationFailed)
        throw refusedTokenError(`its claim "${error.claim}" is missing or wrong`);
      if (error instanceof errors.JOSEError) return undefined;
      throw new GatewayError(
        'upstream_unreachable',
        'the public keys of the token’s issuer can’t be read; try again in a moment',
        { cause: error, retryAfterSeconds: limits.tokenIssuerPauseMs / 1000 },
      );
    }
  }
}

/** A key as a token stands for it: the end user is that of the token, whatever calls say. */
export function asIssued(key: KeyIdentity, endUser: string): KeyIdentity {
  return { ...key, access: new KeyAccess({ ...key.access?.rules, endUser }), isIssued: true };
}

/** Tokens of other types, such as logout tokens, have claims that mean something else. */
function isTypeAllowed(token: string): boolean {
  try {
    const { typ } = decodeProtectedHeader(token);
    return typ === undefined || /^(jwt|(application\/)?at\+jwt)$/i.test(typ);
  } catch {
    return false;
  }
}
