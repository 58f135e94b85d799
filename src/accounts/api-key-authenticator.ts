import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { Account, ActiveApiKey, ApiKeys } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { ApiKeyFormat } from './api-key-format.ts';
import type { KeyUses } from './key-uses.ts';
import { KeyedHasher } from './keyed-hasher.ts';
import type { SecretHasher } from './secret-hasher.ts';

/** Who holds a key, as it was in this version of the account. */
export interface KeyIdentity {
  readonly account: Account;
  readonly keyId: string;
  readonly pipelineConfig: string | null;
  /** Whether its calls get receipts. */
  readonly receipts: boolean;
  readonly version: string;
}

export interface ApiKeyAuthenticatorParts {
  readonly apiKeys: Pick<ApiKeys, 'active'>;
  readonly versions: Versions;
  readonly hasher: SecretHasher;
  readonly uses: KeyUses;
  readonly keyPrefix: string;
  /** Makes the names under which lookups are kept, so that no key stands in memory. */
  readonly cacheKey: Uint8Array;
  readonly clock: Clock;
}

interface CachedIdentity {
  readonly identity: KeyIdentity;
  readonly untilMs: number;
}

/** Whose a key is: asked with every call, and mostly answered from memory. */
export class ApiKeyAuthenticator {
  readonly #parts: ApiKeyAuthenticatorParts;
  readonly #tokens: ApiKeyFormat;
  readonly #cacheNames: KeyedHasher;
  readonly #identities = new Lru<CachedIdentity>(limits.cachedKeyLookupsMax);
  /** Apart from the found ones, so that somebody who makes keys up can't push those out. */
  readonly #misses = new Lru<number>(limits.cachedKeyMissesMax);
  readonly #lookups = new Map<string, Promise<KeyIdentity | undefined>>();

  constructor(parts: ApiKeyAuthenticatorParts) {
    this.#parts = parts;
    this.#tokens = new ApiKeyFormat(parts.keyPrefix);
    this.#cacheNames = new KeyedHasher(parts.cacheKey);
  }

  /** Keys that are remembered, and what was taken for one. */
  get cacheSizes(): { readonly keys: number; readonly misses: number } {
    return { keys: this.#identities.size, misses: this.#misses.size };
  }

  /** At once where it is remembered, else looked up; undefined where there is no such key. */
  find(token: string): KeyIdentity | undefined | Promise<KeyIdentity | undefined> {
    if (!this.#tokens.hasLength(token)) return undefined;
    const name = this.#cacheNames.hashText(token);
    const now = this.#parts.clock.now();
    const found = this.#identities.get(name);
    if (found !== undefined && found.untilMs > now) return found.identity;
    if (!this.#tokens.matches(token)) return undefined;
    if ((this.#misses.get(name) ?? 0) > now) return undefined;
    return this.#lookups.get(name) ?? this.#startLookup(token, name);
  }

  /** The same for routes that take no slot, and so would not hear that the account has changed since. */
  async findCurrent(token: string): Promise<KeyIdentity | undefined> {
    const identity = await this.find(token);
    if (identity === undefined) return undefined;
    const version = await this.#parts.versions.of(identity.account.id);
    if (version === identity.version) return identity;
    this.forget(token);
    return this.find(token);
  }

  /** Drops what is remembered of this key, and what a lookup under way will find, so that the next one begins now. */
  forget(token: string): void {
    const name = this.#cacheNames.hashText(token);
    this.#identities.delete(name);
    this.#misses.delete(name);
    this.#lookups.delete(name);
  }

  /** Notes that a key was used now. */
  noteUse(keyId: string): void {
    this.#parts.uses.note(keyId);
  }

  #startLookup(token: string, name: string): Promise<KeyIdentity | undefined> {
    if (this.#lookups.size >= limits.keyLookupsAtOnce)
      throw new GatewayError('busy', 'too many requests at once; try again in a moment', {
        retryAfterSeconds: 1,
      });
    const lookup: Promise<KeyIdentity | undefined> = this.#lookUp(token)
      .then((found) => {
        // It may be opened again at any time, and nobody would hear of that here.
        if (found === 'closed') return undefined;
        if (this.#lookups.get(name) === lookup) this.#remember(name, found);
        return found;
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

  async #lookUp(token: string): Promise<KeyIdentity | 'closed' | undefined> {
    const { apiKeys, versions } = this.#parts;
    const prefix = ApiKeyFormat.prefixOf(token);
    const held = await this.#findMatchingKey(await apiKeys.active(prefix), token);
    if (held === undefined) return undefined;
    const version = await versions.of(held.account.id);
    // Read again: what was read before its version could be older than it.
    const current = (await apiKeys.active(prefix)).find(({ key }) => key.id === held.key.id);
    if (current === undefined) return undefined;
    if (current.isClosed) return 'closed';
    const { account, key } = current;
    const { id: keyId, pipelineConfig, receipts } = key;
    return { account, keyId, pipelineConfig, receipts, version };
  }

  /** Several keys can begin alike; it is a matter of chance, and so of few. */
  async #findMatchingKey(
    candidates: readonly ActiveApiKey[],
    token: string,
  ): Promise<ActiveApiKey | undefined> {
    for (const held of candidates) if (await this.#parts.hasher.verify(held.key.hash, token)) return held;
    return undefined;
  }
}
