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

/** Identifies a key: account and provider. */
export interface ProviderKeyId {
  readonly accountId: string;
  readonly provider: string;
}

interface PutOptions {
  /** The part of the key to take the hint from; the whole key if undefined. */
  readonly hintSource?: string;
  /** The credential of the request. Nothing is stored if it is no longer valid. */
  readonly shown?: PresentedCredential | undefined;
}

/** Information about a stored key, without the key. */
export interface StoredProviderKey {
  readonly provider: string;
  /** The last characters; null for short keys. */
  readonly hint: string | null;
  readonly updatedAtMs: number;
}

interface OpenedKey {
  readonly version: string;
  readonly secret: Secret | undefined;
}

/**
 * The provider keys of accounts, sealed. Every attempt to change one renews the account's version, so that a retry
 * completes an attempt that failed halfway.
 */
export class ProviderKeyVault {
  readonly #parts: ProviderKeyVaultParts;
  readonly #opened = new Lru<OpenedKey>(limits.unsealedKeysMax);
  readonly #lookups = new Map<string, Promise<Secret | undefined>>();
  /** The entry read last: building the cache key and finding the entry takes longer than all else here. */
  #lastRequested: ProviderKeyId & { readonly name: string } = { accountId: '', provider: '', name: '' };

  constructor(parts: ProviderKeyVaultParts) {
    this.#parts = parts;
  }

  async put(
    providerKeyId: ProviderKeyId,
    secret: Secret,
    { hintSource, shown }: PutOptions = {},
  ): Promise<StoredProviderKey> {
    const key = this.#seal(providerKeyId, secret, hintSource);
    await this.#parts.providerKeys.put(key, shown);
    await this.#parts.versions.renew(providerKeyId.accountId);
    return key;
  }

  /** Undefined, without a change, if there is one already. */
  async putIfAbsent(
    providerKeyId: ProviderKeyId,
    secret: Secret,
    { hintSource, shown }: PutOptions = {},
  ): Promise<StoredProviderKey | undefined> {
    const key = this.#seal(providerKeyId, secret, hintSource);
    const isFirst = await this.#parts.providerKeys.putIfAbsent(key, shown);
    await this.#parts.versions.renew(providerKeyId.accountId);
    return isFirst ? key : undefined;
  }

  list(accountId: string): Promise<readonly StoredProviderKey[]> {
    return this.#parts.providerKeys.list(accountId);
  }

  async delete({ accountId, provider }: ProviderKeyId): Promise<void> {
    await this.#parts.providerKeys.delete(accountId, provider);
    await this.#parts.versions.renew(accountId);
  }

  /** The number of unsealed keys in memory. */
  get openKeys(): number {
    return this.#opened.size;
  }

  /** The key, or its absence, as it was read under this version of the account; undefined if it was not. */
  cached(accountId: string, provider: string, version: string): OpenedKey | undefined {
    if (this.#lastRequested.accountId !== accountId || this.#lastRequested.provider !== provider)
      this.#lastRequested = { accountId, provider, name: sealContextOf({ accountId, provider }) };
    const openedKey = this.#opened.get(this.#lastRequested.name);
    return openedKey?.version === version ? openedKey : undefined;
  }

  /** Reads and unseals the key; concurrent calls share one database query. */
  open(accountId: string, provider: string, version: string): Promise<Secret | undefined> {
    const name = `${sealContextOf({ accountId, provider })}\n${version}`;
    const lookup = this.#lookups.get(name) ?? this.#read({ accountId, provider }, version);
    this.#lookups.set(name, lookup);
    return lookup.finally(() => this.#lookups.delete(name));
  }

  async #read(providerKeyId: ProviderKeyId, version: string): Promise<Secret | undefined> {
    const row = await this.#parts.providerKeys.get(providerKeyId.accountId, providerKeyId.provider);
    const secret = row === undefined ? undefined : this.#unseal(row);
    // A key stored under a later version is not for calls admitted under this one.
    if ((await this.#parts.versions.of(providerKeyId.accountId)) === version)
      this.#opened.set(sealContextOf(providerKeyId), { version, secret });
    return secret;
  }

  #unseal(row: SealedKey): Secret {
    const text = this.#parts.sealer.open(row, sealContextOf(row));
    if (text !== undefined) return new Secret(text);
    const again = `store it again with PUT /v1/byok/${row.provider}`;
    throw new GatewayError(
      'provider_key_unreadable',
      `the stored ${row.provider} key can't be decrypted with this gateway's secret; ${again}`,
    );
  }

  #seal(providerKeyId: ProviderKeyId, secret: Secret, hinted = secret.reveal()): SealedKey {
    return {
      ...providerKeyId,
      ...this.#parts.sealer.seal(secret.reveal(), sealContextOf(providerKeyId)),
      hint: hinted.length < limits.hintedKeyCharactersMin ? null : hinted.slice(-4),
      updatedAtMs: this.#parts.clock.now(),
    };
  }
}

/** Binds a sealed key to its owner: copied to another row it can't be opened. */
export function sealContextOf({ accountId, provider }: ProviderKeyId): string {
  return `${accountId}\n${provider}`;
}
