import { randomUUID } from 'node:crypto';
import { GatewayError } from '../kernel/errors.ts';
import type { PresentedCredential, ProviderKeys, SealedKey } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { Secret } from '../lib/secret.ts';
import { limits } from './limits.ts';
import type { Sealer } from './sealer.ts';

export interface ProviderKeyVaultParts {
  readonly providerKeys: ProviderKeys;
  readonly versions: Versions;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Whose keys, and for which provider. */
export interface KeyOwner {
  readonly accountId: string;
  readonly provider: string;
}

interface PutOptions {
  /** The part of the key to take the hint from; the whole key if undefined. */
  readonly hintSource?: string;
  /** The credential of the request. Nothing is stored if it is no longer valid. */
  readonly shown?: PresentedCredential | undefined;
  readonly name?: string | undefined;
  readonly weight?: number | undefined;
}

/** Information about a stored key, without the key. */
export interface StoredProviderKey {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly weight: number;
  /** The last characters; null for short keys. */
  readonly hint: string | null;
  readonly updatedAtMs: number;
}

/** A key with its share of the conversations. */
export interface WeightedKey {
  readonly secret: Secret;
  readonly weight: number;
}

interface OpenedKeys {
  readonly version: string;
  /** None if no key is stored. */
  readonly keys: readonly WeightedKey[];
}

/**
 * The provider keys of accounts, sealed, up to `keysOfProviderMax` for each provider. Every attempt to change one renews the account's version, so that a retry
 * completes an attempt that failed halfway.
 */
export class ProviderKeyVault {
  readonly #parts: ProviderKeyVaultParts;
  readonly #opened = new Lru<OpenedKeys>(limits.unsealedKeysMax);
  readonly #lookups = new Map<string, Promise<readonly WeightedKey[]>>();
  /** The entry read last: building the cache key and finding the entry takes longer than all else here. */
  #lastRequested: KeyOwner & { readonly name: string } = { accountId: '', provider: '', name: '' };

  constructor(parts: ProviderKeyVaultParts) {
    this.#parts = parts;
  }

  /** Stores the first key of a provider, or replaces it. */
  async put(owner: KeyOwner, secret: Secret, options: PutOptions = {}): Promise<StoredProviderKey> {
    const key = this.#seal(owner, secret, options);
    await this.#parts.providerKeys.put(key, options.shown);
    await this.#parts.versions.renew(owner.accountId);
    return key;
  }

  /** Undefined, without a change, if there is one already. */
  async putIfAbsent(
    owner: KeyOwner,
    secret: Secret,
    options: PutOptions = {},
  ): Promise<StoredProviderKey | undefined> {
    const key = this.#seal(owner, secret, options);
    const isFirst = await this.#parts.providerKeys.putIfAbsent(key, options.shown);
    await this.#parts.versions.renew(owner.accountId);
    return isFirst ? key : undefined;
  }

  /** Stores one more key of a provider. */
  async add(owner: KeyOwner, secret: Secret, options: PutOptions = {}): Promise<StoredProviderKey> {
    const { providerKeys, versions } = this.#parts;
    const same = (await this.keysOf(owner)).find((key) => key.secret?.equals(secret.reveal()));
    if (same !== undefined)
      throw new GatewayError('invalid_request', `key: is stored already, with the id ${same.id}`, {
        param: 'key',
      });
    const key = this.#seal(owner, secret, options);
    const isAdded = await providerKeys.add(key, limits.keysOfProviderMax, options.shown);
    await versions.renew(owner.accountId);
    if (isAdded) return key;
    throw new GatewayError(
      'key_limit_reached',
      `${limits.keysOfProviderMax} keys are stored for ${owner.provider}, the maximum; delete one first`,
    );
  }

  /** The first key of each provider. */
  list(accountId: string): Promise<readonly StoredProviderKey[]> {
    return this.#parts.providerKeys.list(accountId);
  }

  /** All keys of a provider; the secret of one that can't be decrypted is undefined. */
  async keysOf({
    accountId,
    provider,
  }: KeyOwner): Promise<readonly (StoredProviderKey & { readonly secret: Secret | undefined })[]> {
    const rows = await this.#parts.providerKeys.ofProvider(accountId, provider);
    return rows.map((row) => ({ ...row, secret: this.#unseal(row) }));
  }

  /** Deletes all keys of a provider. */
  async delete({ accountId, provider }: KeyOwner): Promise<void> {
    await this.#parts.providerKeys.delete(accountId, provider);
    await this.#parts.versions.renew(accountId);
  }

  /** Deletes one key of a provider; false if there is none with this id. */
  async deleteOne({ accountId, provider }: KeyOwner, id: string): Promise<boolean> {
    const isDeleted = await this.#parts.providerKeys.deleteOne({ accountId, provider, id });
    await this.#parts.versions.renew(accountId);
    return isDeleted;
  }

  /** The number of accounts' providers whose keys are unsealed in memory. */
  get openKeys(): number {
    return this.#opened.size;
  }

  /** The keys, or their absence, as they were read under this version of the account; undefined if they were not. */
  cached(accountId: string, provider: string, version: string): OpenedKeys | undefined {
    if (this.#lastRequested.accountId !== accountId || this.#lastRequested.provider !== provider)
      this.#lastRequested = { accountId, provider, name: sealContextOf({ accountId, provider }) };
    const opened = this.#opened.get(this.#lastRequested.name);
    return opened?.version === version ? opened : undefined;
  }

  /** Reads and unseals the keys; concurrent calls share one database query. */
  open(accountId: string, provider: string, version: string): Promise<readonly WeightedKey[]> {
    const name = `${sealContextOf({ accountId, provider })}\n${version}`;
    const lookup = this.#lookups.get(name) ?? this.#read({ accountId, provider }, version);
    this.#lookups.set(name, lookup);
    return lookup.finally(() => this.#lookups.delete(name));
  }

  async #read(owner: KeyOwner, version: string): Promise<readonly WeightedKey[]> {
    const stored = await this.keysOf(owner);
    const keys = stored.flatMap(({ secret, weight }) => (secret === undefined ? [] : { secret, weight }));
    if (keys.length === 0 && stored.length > 0) throw unreadableKeyError(owner);
    // A key stored under a later version is not for calls admitted under this one.
    if ((await this.#parts.versions.of(owner.accountId)) === version)
      this.#opened.set(sealContextOf(owner), { version, keys });
    return keys;
  }

  #unseal(row: SealedKey): Secret | undefined {
    const text = this.#parts.sealer.open(row, sealContextOf(row));
    return text === undefined ? undefined : new Secret(text);
  }

  #seal(
    owner: KeyOwner,
    secret: Secret,
    { hintSource = secret.reveal(), name = '', weight = 1 }: PutOptions,
  ): SealedKey {
    return {
      ...owner,
      ...this.#parts.sealer.seal(secret.reveal(), sealContextOf(owner)),
      id: randomUUID(),
      name,
      weight,
      hint: hintSource.length < limits.hintedKeyCharactersMin ? null : hintSource.slice(-4),
      updatedAtMs: this.#parts.clock.now(),
    };
  }
}

export function unreadableKeyError({ provider: slot }: Pick<KeyOwner, 'provider'>): GatewayError {
  // Keys of an account's provider are stored under its name and address.
  const [provider = slot] = slot.split('@', 1);
  return new GatewayError(
    'provider_key_unreadable',
    `the stored ${provider} key can't be decrypted with this gateway's secret; store it again with PUT /v1/byok/${provider}`,
  );
}

/** Binds a sealed key to its account and provider: copied to a row of another it can't be opened. */
export function sealContextOf({ accountId, provider }: KeyOwner): string {
  return `${accountId}\n${provider}`;
}
