import { hash, randomUUID } from 'node:crypto';
import type { KeyOwner, ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import type { ListedConfigurations } from '../../kernel/configuration.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Configurations, StoredConfiguration } from '../../kernel/ports/configurations.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import { keySlotOf, type Provider } from '../../kernel/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { Secret } from '../../lib/secret.ts';
import type { ModelCatalog } from '../../providers/catalog/model-catalog.ts';
import { limits as providerLimits } from '../../providers/limits.ts';
import {
  type CallerDirectory,
  OwnDirectory,
  unreadableHeadersError,
} from '../../providers/own/own-directory.ts';
import {
  headerSlotOf,
  isSlotOf,
  type OwnProviderRules,
  ownPrices,
  ownProvider,
} from '../../providers/own/own-provider.ts';
import { ownHeadersField } from '../../providers/own/own-provider-settings.ts';
import type { ProviderDirectory } from '../../providers/provider-directory.ts';
import { parseObject } from '../../wire/json-values.ts';
import type { AccountConfigurations } from '../account-configurations.ts';
import type { CallerIdentity } from '../caller-authenticator.ts';
import { ownProvidersKind } from '../configuration-kinds.ts';
import { limits } from '../limits.ts';
import { checkOwnProviderName, ownProvidersBound } from './own-provider-name.ts';
import { readOwnProvider, type StoredOwnProvider } from './stored-own-provider.ts';

export interface OwnProvidersParts {
  readonly table: Configurations;
  readonly configurations: Pick<AccountConfigurations, 'setOf'>;
  readonly vault: ProviderKeyVault;
  readonly versions: Versions;
  readonly clock: Clock;
  readonly catalog: ModelCatalog;
  readonly instance: ProviderDirectory;
  readonly rules: OwnProviderRules;
  /** Why accounts can't define providers here; undefined if they can. */
  readonly refusal: string | undefined;
  /** What is wrong with an address that an account has chosen. */
  addressFault(baseUrl: string): string | undefined;
}

/** A provider that an account has defined. */
export interface OwnProvider {
  readonly name: string;
  readonly stored: StoredOwnProvider;
  readonly provider: Provider;
  /** Whether a key is stored for its address. */
  readonly hasKey: boolean;
  readonly updatedAtMs: number;
}

/** An account, or a caller of it; without a key, the newest state counts. */
type DirectoryOwner = Pick<CallerIdentity, 'accountId'> & Partial<Pick<CallerIdentity, 'key'>>;

interface OwnProviderId {
  readonly accountId: string;
  readonly name: string;
}

/** Names with their values; null for the value that is stored. */
type NewHeaders = ReadonlyMap<string, string | null>;
type StoredHeaders = ReadonlyMap<string, string>;

/** The providers that accounts define. Calls read them from memory, for one version of the account. */
export class OwnProviders {
  readonly #parts: OwnProvidersParts;
  readonly #directories = new WeakMap<ListedConfigurations, CallerDirectory>();

  constructor(parts: OwnProvidersParts) {
    this.#parts = parts;
  }

  get isAllowed(): boolean {
    return this.#parts.refusal === undefined;
  }

  /** What calls of this owner can name. */
  async directoryFor({ accountId, key }: DirectoryOwner): Promise<CallerDirectory> {
    const { refusal, instance, configurations, versions } = this.#parts;
    if (refusal !== undefined) return instance;
    const version = key?.version ?? (await versions.of(accountId));
    const set = await configurations.setOf(accountId, version);
    const known = this.#directories.get(set);
    if (known !== undefined) return known;
    const directory = await this.#readDirectory(accountId, version, set);
    this.#directories.set(set, directory);
    return directory;
  }

  /** Those that can be read, by name. */
  async list(accountId: string): Promise<readonly OwnProvider[]> {
    const { table, vault } = this.#parts;
    const rows = (await table.list(accountId)).filter(({ module }) => module === ownProvidersKind);
    const slots = new Set((await vault.list(accountId)).map(({ provider }) => provider));
    return rows.flatMap((row) => {
      const stored = readOwnProvider(row.content);
      if (stored === undefined) return [];
      const provider = this.#providerOf(row.accountId, row.name, stored);
      const hasKey = slots.has(keySlotOf(provider));
      return [{ name: row.name, stored, provider, hasKey, updatedAtMs: row.updatedAtMs }];
    });
  }

  async get({ accountId, name }: OwnProviderId): Promise<OwnProvider> {
    const found = (await this.list(accountId)).find((one) => one.name === name);
    if (found === undefined) throw unknownError(name);
    return found;
  }

  /** One as calls reach it; throws if they can't. */
  async usable(id: OwnProviderId): Promise<Provider> {
    const { refusal } = this.#parts;
    await this.get(id);
    if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
    const { own, unreadable } = await this.directoryFor(id);
    const found = own.find(({ name }) => name === id.name);
    if (found === undefined) throw unknownError(id.name);
    if (unreadable.has(id.name)) throw unreadableHeadersError(id.name);
    return found;
  }

  /** Stores one, or replaces it; in use on every replica once this resolves. */
  async put(
    { accountId, name }: OwnProviderId,
    settings: StoredOwnProvider['settings'],
    { headers, shown }: { readonly headers: NewHeaders; readonly shown: PresentedCredential | undefined },
  ): Promise<OwnProvider> {
    const { table, vault, versions, clock, refusal, instance } = this.#parts;
    if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
    checkOwnProviderName(name, (other) => instance.providers.has(other) || instance.isDisabled(other));
    const { base_url: baseUrl } = settings;
    const fault = baseUrl === undefined ? undefined : this.#parts.addressFault(baseUrl);
    if (fault !== undefined)
      throw new GatewayError('invalid_request', `base_url: ${fault}`, { param: 'base_url' });
    const rows = (await table.list(accountId)).filter(({ module }) => module === ownProvidersKind);
    const isNew = rows.every((row) => row.name !== name);
    if (isNew && rows.length >= providerLimits.ownProvidersMax)
      throw new GatewayError('provider_limit_reached', `${ownProvidersBound}; delete one`);
    const stored: StoredOwnProvider = { settings, headers: [...headers.keys()] };
    const provider = this.#providerOf(accountId, name, stored);
    const slot = { accountId, provider: headerSlotOf(provider) };
    // First, so that calls never miss them; those of another address are stored elsewhere.
    if (headers.size > 0)
      await vault.put(slot, await this.#complete(slot, headers), { hintSource: '', shown });
    const row: StoredConfiguration = {
      ...{ accountId, module: ownProvidersKind, name, version: randomUUID(), updatedAtMs: clock.now() },
      content: { ...settings, ...(headers.size > 0 && { headers: stored.headers }) },
    };
    const isStored = await table.put(row, {
      most: limits.configurationsMax,
      charactersMost: limits.configurationsCharactersMax,
      shown,
    });
    if (!isStored) {
      if (isNew) await vault.delete(slot);
      throw new GatewayError(
        'configuration_limit_reached',
        `an account has at most ${limits.configurationsMax} configurations and providers, with ${limits.configurationsCharactersMax} characters of JSON in all`,
      );
    }
    if (headers.size === 0) await vault.delete(slot);
    await versions.renew(accountId);
    return this.get({ accountId, name });
  }

  /** Deletes one with its keys and headers, for all addresses that it has had. */
  async delete({ accountId, name }: OwnProviderId): Promise<void> {
    const { table, vault, versions } = this.#parts;
    for (const { provider: slot } of await vault.list(accountId))
      if (isSlotOf(name, slot)) await vault.delete({ accountId, provider: slot });
    const isDeleted = await table.delete({ accountId, module: ownProvidersKind, name });
    await versions.renew(accountId);
    if (!isDeleted) throw unknownError(name);
  }

  /** The headers as they are stored, with those values that stay. */
  async #complete(slot: KeyOwner, headers: NewHeaders): Promise<Secret> {
    const kept = [...headers.values()].includes(null) ? await this.#storedHeaders(slot) : undefined;
    const complete = [...headers].map(([name, value]): [string, string] => {
      const text = value ?? kept?.get(name);
      if (text !== undefined) return [name, text];
      throw new GatewayError(
        'invalid_request',
        `headers.${name}: no value is stored for this address; send one`,
        { param: `headers.${name}` },
      );
    });
    return new Secret(JSON.stringify(Object.fromEntries(complete)));
  }

  async #storedHeaders(slot: KeyOwner): Promise<StoredHeaders> {
    const [first] = await this.#parts.vault.keysOf(slot);
    return readHeaders(first?.secret) ?? new Map();
  }

  async #readDirectory(
    accountId: string,
    version: string,
    set: ListedConfigurations,
  ): Promise<CallerDirectory> {
    const { instance, catalog } = this.#parts;
    const own: Provider[] = [];
    const unreadable = new Set<string>();
    for (const { module, name } of set.names) {
      const content = module === ownProvidersKind ? set.find(module, name) : undefined;
      const stored = content && readOwnProvider(content);
      if (stored === undefined) continue;
      const bare = this.#providerOf(accountId, name, stored);
      const slot = { accountId, provider: headerSlotOf(bare) };
      const values = stored.headers.length === 0 ? new Map() : await this.#headersAt(slot, version);
      if (values === undefined) unreadable.add(name);
      const headers = stored.headers.flatMap((header) => {
        const value = values?.get(header);
        return value === undefined ? [] : [header, value];
      });
      const provider = this.#providerOf(accountId, name, stored, headers);
      if (!this.#parts.rules.hasFixedPrices) catalog.setOwnPrices(provider, ownPrices(name, stored.settings));
      own.push(provider);
    }
    return own.length === 0 ? instance : new OwnDirectory(own, { instance, unreadable });
  }

  /** Undefined if they can't be decrypted: that is a fault of this provider, and must not stop calls to others. */
  async #headersAt({ accountId, provider }: KeyOwner, version: string): Promise<StoredHeaders | undefined> {
    try {
      const [first] = await this.#parts.vault.open(accountId, provider, version);
      return readHeaders(first?.secret);
    } catch (error) {
      if (GatewayError.is(error) && error.code === 'provider_key_unreadable') return undefined;
      throw error;
    }
  }

  #providerOf(
    accountId: string,
    name: string,
    stored: StoredOwnProvider,
    headers: HeaderList = [],
  ): Provider {
    // The same in all processes, which share what they know of its health.
    const version = hash('sha256', JSON.stringify(stored)).slice(0, 16);
    const { settings } = stored;
    return ownProvider({ accountId, name, version, settings, headers }, this.#parts.rules);
  }
}

/** Undefined for what nobody could have stored here. */
function readHeaders(secret: Secret | undefined): StoredHeaders | undefined {
  if (secret === undefined) return new Map();
  const { data } = ownHeadersField.safeParse(parseObject(secret.reveal()));
  return data && new Map([...data].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

function unknownError(name: string): GatewayError {
  return new GatewayError(
    'not_found',
    `this account has no provider "${name.slice(0, 100).toWellFormed()}"; GET /v1/providers lists them`,
  );
}
