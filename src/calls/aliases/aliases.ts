import { checkConfiguration, type ListedConfigurations } from '../../kernel/configuration.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { AliasResolver } from '../../kernel/exchange.ts';
import type { Module } from '../../kernel/module.ts';
import type { AddedConfiguration } from '../../kernel/pipeline.ts';
import type { StoredConfiguration } from '../../kernel/ports/configurations.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import { parseWeightedModel } from '../../kernel/weighted-model.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ProviderDirectory } from '../../providers/provider-directory.ts';
import type { AccountConfigurations, ConfigurationOwner } from '../account-configurations.ts';
import { aliasModule } from '../configuration-kinds.ts';
import { limits } from '../limits.ts';
import type { OwnProviders } from '../own-providers/own-providers.ts';
import { expansionFaults, modelFaults } from './alias-faults.ts';
import { expandModels, type FindModels, modelsIn } from './alias-models.ts';

export interface Alias {
  readonly name: string;
  readonly source: 'account' | 'gateway';
  readonly content: JsonObject;
  /** As stored, with other aliases and weights. */
  readonly models: readonly string[];
  /** The models that it stands for. */
  readonly expanded: readonly string[];
  /** Whether a provider has a model of this name, which calls get instead. */
  readonly isShadowed: boolean;
  readonly updatedAtMs: number | undefined;
}

export interface AliasesParts {
  readonly configurations: AccountConfigurations;
  readonly instance: ListedConfigurations;
  readonly modules: ReadonlyMap<string, Module>;
  readonly directory: Pick<ProviderDirectory, 'find'>;
  /** The names that an account's calls can use. */
  readonly ownProviders: Pick<OwnProviders, 'directoryFor'>;
}

/** Names that stand for several models: configurations of the router, found by the name in a call's `model`. */
export class Aliases {
  readonly #parts: AliasesParts;
  /** Those that calls have asked for. */
  readonly #found = new WeakMap<ListedConfigurations, Map<string, AddedConfiguration>>();

  constructor(parts: AliasesParts) {
    this.#parts = parts;
  }

  /** What a call to this name adds to its pipeline; undefined if the owner has no such alias. */
  async find(owner: ConfigurationOwner, name: string): Promise<AddedConfiguration | undefined> {
    const set = await this.#parts.configurations.setFor(owner);
    const found = this.#found.get(set) ?? new Map<string, AddedConfiguration>();
    this.#found.set(set, found);
    const known = found.get(name);
    if (known !== undefined) return known;
    const content = set.find(aliasModule, name);
    const models = this.#finderIn(set)(name);
    if (content === undefined || models === undefined) return undefined;
    const expanded = this.#expand(set, models);
    const alias = { module: aliasModule, name, content: { ...content, models: expanded } };
    found.set(name, alias);
    return alias;
  }

  /** For one call, which may have asked for an alias itself. */
  resolverFor(owner: ConfigurationOwner, requested?: AddedConfiguration): AliasResolver {
    return {
      requested: namesIn(requested),
      modelsOf: async (name) => namesIn(await this.find(owner, name)),
    };
  }

  /** Those of the account, then those of the instance that it has not replaced. */
  async list(accountId: string): Promise<readonly Alias[]> {
    const { configurations, instance } = this.#parts;
    const stored = (await configurations.list(accountId)).filter(({ module }) => module === aliasModule);
    const own = new Map(stored.map((one) => [one.name, one]));
    const others = instance.names.filter(({ module, name }) => module === aliasModule && !own.has(name));
    const set = setOf(instance, new Map(stored.map(({ name, content }) => [name, content])));
    return [...own.keys(), ...others.map(({ name }) => name)].flatMap((name) => {
      const content = set.find(aliasModule, name);
      return content === undefined ? [] : this.#describe(set, { name, content }, own.get(name));
    });
  }

  /** What is wrong with the operator's aliases; calls go to those of their models that exist. */
  instanceFaults(): readonly string[] {
    const { instance, directory } = this.#parts;
    const names = instance.names.filter(({ module }) => module === aliasModule).map(({ name }) => name);
    const own = names.flatMap((name) => {
      if (directory.find(name) !== undefined) return [`"${name}" is a model, and calls go to the model`];
      const models = modelsIn(instance.find(aliasModule, name) ?? {}) ?? [];
      const faults = modelFaults(models, (one) => this.#isKnown(instance, one, directory));
      return faults.map((fault) => `"${name}": ${fault}`);
    });
    return [...own, ...expansionFaults(names, this.#finderIn(instance))];
  }

  /** Rejects names of models, and contents that calls could not use, with all faults. */
  async put(
    { accountId, name }: AliasId,
    content: JsonObject,
    shown: PresentedCredential | undefined,
  ): Promise<Alias> {
    const { configurations, instance } = this.#parts;
    const directory = await this.#parts.ownProviders.directoryFor({ accountId });
    const target = directory.find(name);
    if (target !== undefined)
      throw new GatewayError(
        'alias_conflict',
        `"${name}" is a model of ${target.provider.title}; choose another name for the alias`,
        { param: 'name' },
      );
    const stored = (await configurations.list(accountId)).filter(({ module }) => module === aliasModule);
    const before = new Map(stored.map((one) => [one.name, one.content]));
    const after = new Map([...before, [name, content]]);
    const set = setOf(instance, after);
    // A change of one alias changes those that contain it; what was wrong before doesn't matter.
    const known = expansionFaults(before.keys(), this.#finderIn(setOf(instance, before)));
    const expansion = expansionFaults(after.keys(), this.#finderIn(set));
    const faults = [
      ...this.#contentFaults({ set, directory }, name, content),
      ...expansion.filter((fault) => !known.includes(fault)),
    ];
    if (faults.length > 0) throw new GatewayError('invalid_request', faults.join('; '), { param: 'models' });
    const saved = await configurations.put({ accountId, module: aliasModule, name }, content, shown);
    const [alias] = this.#describe(set, saved, saved);
    if (alias === undefined) throw new Error('an alias without models was stored');
    return alias;
  }

  /** Rejects one that another alias or an API key names. False if there is none. */
  async delete({ accountId, name }: AliasId): Promise<boolean> {
    const { configurations, instance } = this.#parts;
    const all = await this.list(accountId);
    if (!all.some((alias) => alias.name === name && alias.source === 'account')) return false;
    const users = all.filter(
      (alias) => alias.name !== name && alias.models.some((text) => parseWeightedModel(text).model === name),
    );
    if (users.length > 0 && instance.find(aliasModule, name) === undefined)
      throw new GatewayError(
        'configuration_in_use',
        `these aliases contain "${name}": ${users.map((alias) => alias.name).join(', ')}`,
      );
    return configurations.delete({ accountId, module: aliasModule, name });
  }

  #describe(
    set: ListedConfigurations,
    { name, content }: Pick<StoredConfiguration, 'name' | 'content'>,
    stored: StoredConfiguration | undefined,
  ): readonly Alias[] {
    const models = modelsIn(content);
    if (models === undefined) return [];
    return [
      {
        name,
        content,
        models,
        source: stored === undefined ? 'gateway' : 'account',
        expanded: this.#expand(set, models).map((text) => parseWeightedModel(text).model),
        isShadowed: this.#parts.directory.find(name) !== undefined,
        updatedAtMs: stored?.updatedAtMs,
      },
    ];
  }

  #expand(set: ListedConfigurations, models: readonly string[]): readonly string[] {
    return expandModels(models, this.#finderIn(set)).slice(0, limits.aliasModelsMax);
  }

  /** A name of a model is never an alias, whatever is stored. */
  #finderIn(set: ListedConfigurations): FindModels {
    const { directory } = this.#parts;
    return (name) => {
      const content = directory.find(name) === undefined ? set.find(aliasModule, name) : undefined;
      return content && modelsIn(content);
    };
  }

  #contentFaults(
    { set, directory }: { readonly set: ListedConfigurations; readonly directory: Finder },
    name: string,
    content: JsonObject,
  ): readonly string[] {
    const module = this.#parts.modules.get(aliasModule);
    const models = Array.isArray(content.models) ? modelsIn(content) : undefined;
    const faults: string[] = [];
    if (models === undefined || models.length > limits.aliasModelsMax)
      faults.push(`models: must be a list of 1 to ${limits.aliasModelsMax} names of models`);
    const listed = models?.slice(0, limits.aliasModelsMax) ?? ['any'];
    if (models !== undefined)
      faults.push(...modelFaults(listed, (one) => this.#isKnown(set, one, directory)));
    try {
      if (module !== undefined) checkConfiguration(module, name, { ...content, models: listed });
    } catch (thrown) {
      if (!GatewayError.is(thrown)) throw thrown;
      faults.push(thrown.message);
    }
    return faults;
  }

  #isKnown(set: ListedConfigurations, name: string, directory: Finder): boolean {
    return directory.find(name) !== undefined || this.#finderIn(set)(name) !== undefined;
  }
}

type Finder = Pick<ProviderDirectory, 'find'>;

function namesIn(alias: AddedConfiguration | undefined): readonly string[] | undefined {
  return alias && modelsIn(alias.content)?.map((text) => parseWeightedModel(text).model);
}

interface AliasId {
  readonly accountId: string;
  readonly name: string;
}

/** The aliases of an account before those of the instance. */
function setOf(instance: ListedConfigurations, own: ReadonlyMap<string, JsonObject>): ListedConfigurations {
  return { ...instance, find: (module, name) => own.get(name) ?? instance.find(module, name) };
}
