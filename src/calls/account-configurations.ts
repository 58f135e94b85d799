import { randomUUID } from 'node:crypto';
import { checkContent, findKind, type ListedConfigurations } from '../kernel/configuration.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Module } from '../kernel/module.ts';
import {
  isConfigurationName,
  namesConfiguration,
  namesDefinition,
  namesIn,
} from '../kernel/pipeline-list.ts';
import type { ConfigurationId, Configurations, StoredConfiguration } from '../kernel/ports/configurations.ts';
import type { ApiKeys, PresentedCredential } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
import { Lru } from '../lib/lru.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import { limits } from './limits.ts';
import type { StoredPipeline } from './stored-pipeline.ts';

export interface AccountConfigurationsParts {
  readonly table: Configurations;
  readonly apiKeys: Pick<ApiKeys, 'list'>;
  readonly versions: Versions;
  readonly modules: ReadonlyMap<string, Module>;
  /** Those of the instance, which an account can use, too. */
  readonly instance: ListedConfigurations;
  /** Undefined in cloud mode. */
  readonly storedPipeline: Pick<StoredPipeline, 'current'> | undefined;
  readonly clock: Clock;
}

export type ConfigurationOwner = Pick<CallerIdentity, 'accountId' | 'key'>;

/** The configurations that accounts store. Calls read them from memory, for one version of the account. */
export class AccountConfigurations {
  readonly #parts: AccountConfigurationsParts;
  readonly #sets = new Lru<CachedSet>(limits.cachedConfigurationSetsMax);
  readonly #lookups = new Map<string, Promise<ListedConfigurations>>();

  constructor(parts: AccountConfigurationsParts) {
    this.#parts = parts;
  }

  /** Those that calls of this owner can name. */
  setFor({ accountId, key }: ConfigurationOwner): Promise<ListedConfigurations> {
    return key === undefined ? this.currentSetOf(accountId) : this.setOf(accountId, key.version);
  }

  /** Those of an account, then those of the instance. Concurrent calls share one query. */
  async setOf(accountId: string, version: string): Promise<ListedConfigurations> {
    const cached = this.#sets.get(accountId);
    if (cached?.version === version) return cached.set;
    const name = `${accountId}\n${version}`;
    const lookup = this.#lookups.get(name) ?? this.#read(accountId, version);
    this.#lookups.set(name, lookup);
    return lookup.finally(() => this.#lookups.delete(name));
  }

  /** For routes that have no version of the account. */
  async currentSetOf(accountId: string): Promise<ListedConfigurations> {
    return this.setOf(accountId, await this.#parts.versions.of(accountId));
  }

  list(accountId: string): Promise<readonly StoredConfiguration[]> {
    return this.#parts.table.list(accountId);
  }

  /** In use on every replica once this resolves. */
  async put(
    id: ConfigurationId,
    content: JsonObject,
    shown: PresentedCredential | undefined,
  ): Promise<StoredConfiguration> {
    const { table, versions, clock } = this.#parts;
    await this.#check(id, content);
    const configuration = { ...id, content, version: randomUUID(), updatedAtMs: clock.now() };
    const { configurationsMax: most, configurationsCharactersMax: charactersMost } = limits;
    if (!(await table.put(configuration, { most, charactersMost, shown })))
      throw new GatewayError(
        'configuration_limit_reached',
        `an account has at most ${most} configurations, with ${charactersMost} characters of JSON in all`,
      );
    await versions.renew(id.accountId);
    return configuration;
  }

  /** Rejects one that a pipeline or another configuration names: calls would fail. False if there is none. */
  async delete(id: ConfigurationId): Promise<boolean> {
    const { table, apiKeys, versions, storedPipeline } = this.#parts;
    const label = `${id.module}:${id.name}`;
    if (namesStored((await storedPipeline?.current())?.text ?? '', id))
      throw new GatewayError('configuration_in_use', `the stored pipeline of this gateway names ${label}`);
    const keys = (await apiKeys.list(id.accountId)).filter(
      ({ revokedAtMs, pipelineConfig }) => revokedAtMs === null && namesStored(pipelineConfig ?? '', id),
    );
    if (keys.length > 0)
      throw new GatewayError(
        'configuration_in_use',
        `the pipelines of these API keys name ${label}: ${keys.map((key) => key.prefix).join(', ')}`,
      );
    const users = (await table.list(id.accountId)).filter((other) => listsDefinition(other, id));
    if (users.length > 0)
      throw new GatewayError(
        'configuration_in_use',
        `these configurations name ${label}: ${users.map(({ module, name }) => `${module}:${name}`).join(', ')}`,
      );
    const deleted = await table.delete(id);
    await versions.renew(id.accountId);
    return deleted;
  }

  async #check(
    { accountId, module, name: configuration }: ConfigurationId,
    content: JsonObject,
  ): Promise<void> {
    const kind = findKind(this.#parts.modules, module);
    if (kind === undefined)
      throw new GatewayError('not_found', `there is no module "${module}" here; GET /v1/modules lists them`);
    if (!isConfigurationName(configuration))
      throw new GatewayError(
        'invalid_request',
        'the name of a configuration has letters, digits and .-_ only, and begins with a letter or a digit',
        { param: 'name' },
      );
    checkContent(kind, configuration, content, await this.currentSetOf(accountId));
  }

  async #read(accountId: string, version: string): Promise<ListedConfigurations> {
    const { table, versions, instance } = this.#parts;
    const stored = await table.list(accountId);
    const byName = new Map(stored.map(({ module, name, content }) => [`${module}:${name}`, content]));
    const set: ListedConfigurations = {
      names: [...stored, ...instance.names.filter(({ module, name }) => !byName.has(`${module}:${name}`))],
      find: (module, name) => byName.get(`${module}:${name}`) ?? instance.find(module, name),
    };
    // Rows of a later version are not kept for calls that were admitted under this one.
    if ((await versions.of(accountId)) === version) this.#sets.set(accountId, { version, set });
    return set;
  }
}

function namesStored(list: string, { module, name }: ConfigurationId): boolean {
  return namesConfiguration(list, module, name) || namesDefinition(list, module, name);
}

/** Whether a configuration of a module lists one of its definitions. */
function listsDefinition({ module, content }: StoredConfiguration, definition: ConfigurationId): boolean {
  const [owner, option] = definition.module.split('.', 2);
  return module === owner && option !== undefined && namesIn(content[option]).includes(definition.name);
}

interface CachedSet {
  readonly version: string;
  readonly set: ListedConfigurations;
}
