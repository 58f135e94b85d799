import { KeyAccess } from '../kernel/access-rules.ts';
import { KeyBudgetSet } from '../kernel/call-budgets.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { CallLimits } from '../kernel/ports/call-rates.ts';
import type { RecordingMode } from '../kernel/ports/recordings.ts';
import type { Account, ApiKeys } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { StoredBudgets } from '../kernel/ports/stored-budgets.ts';
import type { Clock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import type { KeyUses } from './key-uses.ts';
import { KeyedHasher } from './keyed-hasher.ts';
import { limits } from './limits.ts';
import type { SecretHasher } from './secret-hasher.ts';
import { lookupPrefixOf, TokenFormat } from './token-format.ts';

/** The owner of a key, as of this version of the account. */
export interface KeyIdentity {
  readonly account: Account;
  readonly keyId: string;
  /** What its owner calls it; empty if it has no name. */
  readonly name: string;
  readonly pipelineConfig: string | null;
  /** Whether its calls get receipts. */
  readonly receipts: boolean;
  /** Which of its calls are recorded; null for the default of the instance. */
  readonly record: RecordingMode | null;
  /** Its rate limits; undefined if it has none of its own. */
  readonly limits: CallLimits | undefined;
  /** What it may be used for; undefined for everything. */
  readonly access: KeyAccess | undefined;
  /** Null for a key of the account itself. */
  readonly projectId: string | null;
  /** Whether a token of an issuer was sent, with this key as its template. */
  readonly isIssued?: true;
  /** The stored budgets of the account that may limit its calls; undefined if there are none. */
  readonly budgets: KeyBudgetSet | undefined;
  readonly version: string;
}

export interface ApiKeyAuthenticatorParts {
  readonly apiKeys: Pick<ApiKeys, 'active' | 'byId'>;
  readonly budgets: Pick<StoredBudgets, 'ofKey'>;
  readonly versions: Versions;
  readonly hasher: SecretHasher;
  readonly uses: KeyUses;
  readonly keyPrefix: string;
  /** Hashes keys to cache keys, so that no key stays in memory. */
  readonly cacheKey: Uint8Array;
  readonly clock: Clock;
}

interface CachedIdentity {
  readonly identity: KeyIdentity;
  readonly untilMs: number;
}

/** Identifies the owner of an API key. Runs with every call, mostly from memory. */
export class ApiKeyAuthenticator {
  readonly #parts: ApiKeyAuthenticatorParts;
  readonly #tokens: TokenFormat;
  readonly #cacheNames: KeyedHasher;
  readonly #identities = new Lru<CachedIdentity>(limits.cachedKeyLookupsMax);
  /** Separate from the hits, so that made-up keys can't evict those. */
  readonly #misses = new Lru<number>(limits.cachedKeyMissesMax);
  readonly #lookups = new Map<string, Promise<KeyIdentity | undefined>>();

  constructor(parts: ApiKeyAuthenticatorParts) {
    this.#parts = parts;
    this.#tokens = new TokenFormat(parts.keyPrefix, 'live');
    this.#cacheNames = new KeyedHasher(parts.cacheKey);
  }

  /** The number of cached keys and of cached misses. */
  get cacheSizes(): { readonly keys: number; readonly misses: number } {
    return { keys: this.#identities.size, misses: this.#misses.size };
  }

  /** Undefined if the owner of the key is not in memory, or the key may not be used from this address as far as is known. */
  cached(token: string, address: string | undefined): KeyIdentity | undefined {
    const identity = this.#cached(token);
    return identity !== undefined && this.refusalOf(identity, address) === undefined ? identity : undefined;
  }

  /** Undefined if there is no such key. Rejects one that has expired, or may not be used from this address. */
  async find(token: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    const identity = await this.#find(token);
    if (identity === undefined || this.refusalOf(identity, address) === undefined) return identity;
    // The rules may have changed since they were cached.
    return this.findCurrent(token, address);
  }

  /** For routes that take no slot, and so would not notice that the account has changed since. */
  async findCurrent(token: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    let identity = await this.#find(token);
    if (identity === undefined) return undefined;
    const version = await this.#parts.versions.of(identity.account.id);
    if (version !== identity.version) {
      this.forget(token);
      identity = await this.#find(token);
    }
    const refusal = identity && this.refusalOf(identity, address);
    if (refusal !== undefined) throw refusal;
    return identity;
  }

  /** The owner of a key that was used earlier, as of now. Undefined if it was revoked or its account is closed. */
  async findById(keyId: string, address: string | undefined): Promise<KeyIdentity | undefined> {
    const identity = await this.identityOf(keyId);
    const refusal = identity && this.refusalOf(identity, address);
    if (refusal !== undefined) throw refusal;
    return identity;
  }

  /** The same, wherever it is used from. */
  async identityOf(keyId: string): Promise<KeyIdentity | undefined> {
    const key = await this.#parts.apiKeys.byId(keyId);
    const identity = key && (await this.#read(key.prefix, keyId, key.accountId));
    return identity === 'closed' ? undefined : identity;
  }

  /** Drops the cached result for this key and that of a running lookup, so that the next call starts a new one. */
  forget(token: string): void {
    const name = this.#cacheNames.hashText(token);
    this.#identities.delete(name);
    this.#misses.delete(name);
    this.#lookups.delete(name);
  }

  /** Records that a key was used now. */
  noteUse(keyId: string): void {
    this.#parts.uses.note(keyId);
  }

  #cached(token: string): KeyIdentity | undefined {
    if (!this.#tokens.hasLength(token)) return undefined;
    const cached = this.#identities.get(this.#cacheNames.hashText(token));
    return cached !== undefined && cached.untilMs > this.#parts.clock.now() ? cached.identity : undefined;
  }

  async #find(token: string): Promise<KeyIdentity | undefined> {
    const cached = this.#cached(token);
    if (cached !== undefined || !this.#tokens.matches(token)) return cached;
    const name = this.#cacheNames.hashText(token);
    if ((this.#misses.get(name) ?? 0) > this.#parts.clock.now()) return undefined;
    return this.#lookups.get(name) ?? this.#startLookup(token, name);
  }

  /** Why the key may not be used now, or from this address. */
  refusalOf({ access }: KeyIdentity, address: string | undefined): GatewayError | undefined {
    if (access === undefined) return undefined;
    if (access.isExpired(this.#parts.clock.now()))
      return new GatewayError('invalid_api_key', 'this API key has expired');
    if (access.allowsAddress(address)) return undefined;
    return new GatewayError('address_not_allowed', 'this API key may not be used from this address');
  }

  #startLookup(token: string, name: string): Promise<KeyIdentity | undefined> {
    if (this.#lookups.size >= limits.keyLookupsAtOnce)
      throw new GatewayError('busy', 'too many requests at once; try again in a moment', {
        retryAfterSeconds: 1,
      });
    const lookup: Promise<KeyIdentity | undefined> = this.#lookUp(token, this.#identities.get(name)?.identity)
      .then((identity) => {
        // Not cached: the account may be enabled again at any time, without notice.
        if (identity === 'closed') return undefined;
        if (this.#lookups.get(name) === lookup) this.#remember(name, identity);
        return identity;
      })
      .finally(() => {
        if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
      });
    this.#lookups.set(name, lookup);
    return lookup;
  }

  #remember(name: string, identity: KeyIdentity | undefined): void {
    const now = this.#parts.clock.now();
    if (identity === undefined) this.#misses.set(name, now + limits.keyMissLifeMs);
    else this.#identities.set(name, { identity, untilMs: now + limits.keyLookupLifeMs });
  }

  /** `expired` is the cached owner: a key stays that of its account, so that only the rest is read again. */
  async #lookUp(
    token: string,
    expired: KeyIdentity | undefined,
  ): Promise<KeyIdentity | 'closed' | undefined> {
    const prefix = lookupPrefixOf(token);
    const owner = expired ?? (await this.#findOwner(prefix, token));
    return owner && this.#read(prefix, owner.keyId, owner.account.id);
  }

  async #read(prefix: string, ownId: string, accountId: string): Promise<KeyIdentity | 'closed' | undefined> {
    const { apiKeys, budgets: stored, versions } = this.#parts;
    const version = await versions.of(accountId);
    // Read after the version: an earlier read could be older.
    const [active, limiting] = await Promise.all([apiKeys.active(prefix), stored.ofKey(accountId, ownId)]);
    const current = active.find(({ key }) => key.id === ownId);
    if (current === undefined) return undefined;
    if (current.isClosed) return 'closed';
    const { account, key } = current;
    const { id: keyId, name, pipelineConfig, receipts, record, limits: callLimits, projectId } = key;
    const access = KeyAccess.of(key.access);
    const budgets = KeyBudgetSet.of(limiting);
    return {
      ...{ account, keyId, name, pipelineConfig, receipts, record, limits: callLimits, access, projectId },
      ...{ budgets, version },
    };
  }

  /** Several keys can share a prefix by chance, so there are few candidates. */
  async #findOwner(
    prefix: string,
    token: string,
  ): Promise<Pick<KeyIdentity, 'account' | 'keyId'> | undefined> {
    const { apiKeys, hasher } = this.#parts;
    const candidates = await apiKeys.active(prefix);
    // Otherwise the time would tell with which characters the keys of others begin.
    if (candidates.length === 0) await hasher.verify(hasher.decoyHash, token);
    for (const { account, key } of candidates)
      if (await hasher.verify(key.hash, token)) return { account, keyId: key.id };
    return undefined;
  }
}
