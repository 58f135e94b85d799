import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { ProviderKeys, SealedKey, ShownCredential } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { Secret } from '../kernel/secret.ts';
import type { Sealing } from './sealing.ts';

export interface VaultParts {
  readonly providerKeys: ProviderKeys;
  readonly versions: Versions;
  readonly sealing: Sealing;
  readonly clock: Clock;
}

/** Whose key for which provider. */
export interface Place {
  readonly accountId: string;
  readonly provider: string;
}

interface PutOptions {
  /** The part of it whose end is a hint; all of it where this isn't said. */
  readonly hinted?: string;
  /** What the request showed. Nothing is stored where that has ended meanwhile. */
  readonly shown?: ShownCredential | undefined;
}

/** That there is a key, without the key. */
export interface StoredKey {
  readonly provider: string;
  /** The last characters, null for short keys. */
  readonly hint: string | null;
  readonly updatedAtMs: number;
}

interface Opened {
  readonly version: string;
  readonly secret: Secret | undefined;
}

/**
 * The keys that accounts have with providers, sealed. Every try to change one renews the account's version, so that a
 * try after one that failed halfway makes good for it.
 */
export class ProviderVault {
  readonly #parts: VaultParts;
  readonly #opened = new Lru<Opened>(limits.openedKeysKept);
  readonly #lookups = new Map<string, Promise<Secret | undefined>>();
  /** The place that was asked for last: to put the name of one together, and to find it by that, takes longer than all else here. */
  #latest: Place & { readonly name: string } = { accountId: '', provider: '', name: '' };

  constructor(parts: VaultParts) {
    this.#parts = parts;
  }

  async put(place: Place, secret: Secret, { hinted, shown }: PutOptions = {}): Promise<StoredKey> {
    const key = this.#sealed(place, secret, hinted);
    await this.#parts.providerKeys.put(key, shown);
    await this.#parts.versions.renew(place.accountId);
    return key;
  }

  /** Undefined, and nothing changed, where there is one already. */
  async putFirst(
    place: Place,
    secret: Secret,
    { hinted, shown }: PutOptions = {},
  ): Promise<StoredKey | undefined> {
    const key = this.#sealed(place, secret, hinted);
    const isFirst = await this.#parts.providerKeys.putFirst(key, shown);
    await this.#parts.versions.renew(place.accountId);
    return isFirst ? key : undefined;
  }

  list(accountId: string): Promise<readonly StoredKey[]> {
    return this.#parts.providerKeys.list(accountId);
  }

  async delete({ accountId, provider }: Place): Promise<void> {
    await this.#parts.providerKeys.delete(accountId, provider);
    await this.#parts.versions.renew(accountId);
  }

  /** Keys that are kept open. */
  get openKeys(): number {
    return this.#opened.size;
  }

  /** At once where it was opened under this version of the account before. */
  open(
    accountId: string,
    provider: string,
    version: string,
  ): Secret | undefined | Promise<Secret | undefined> {
    if (this.#latest.accountId !== accountId || this.#latest.provider !== provider)
      this.#latest = { accountId, provider, name: contextOf({ accountId, provider }) };
    const opened = this.#opened.get(this.#latest.name);
    return opened?.version === version ? opened.secret : this.#look({ accountId, provider }, version);
  }

  /** Calls that come at once wait for one look at the database. */
  #look(place: Place, version: string): Promise<Secret | undefined> {
    const name = `${contextOf(place)}\n${version}`;
    const lookup = this.#lookups.get(name) ?? this.#read(place, version);
    this.#lookups.set(name, lookup);
    return lookup.finally(() => this.#lookups.delete(name));
  }

  async #read(place: Place, version: string): Promise<Secret | undefined> {
    const row = await this.#parts.providerKeys.get(place.accountId, place.provider);
    const secret = row === undefined ? undefined : this.#unsealed(row);
    // What was stored under a later version isn't for calls that were let in under this one.
    if ((await this.#parts.versions.of(place.accountId)) === version)
      this.#opened.set(contextOf(place), { version, secret });
    return secret;
  }

  #unsealed(row: SealedKey): Secret {
    const text = this.#parts.sealing.open(row, contextOf(row));
    if (text !== undefined) return new Secret(text);
    const again = `store it again with PUT /v1/byok/${row.provider}`;
    throw new GatewayError(
      'provider_key_unreadable',
      `the stored ${row.provider} key can't be opened with this gateway's secret; ${again}`,
    );
  }

  #sealed(place: Place, secret: Secret, hinted = secret.reveal()): SealedKey {
    return {
      ...place,
      ...this.#parts.sealing.seal(secret.reveal(), contextOf(place)),
      hint: hinted.length < limits.hintedKeyCharactersMin ? null : hinted.slice(-4),
      updatedAtMs: this.#parts.clock.now(),
    };
  }
}

/** Binds a sealed key to its owner: copied to another row it doesn't open. */
export function contextOf({ accountId, provider }: Place): string {
  return `${accountId}\n${provider}`;
}
