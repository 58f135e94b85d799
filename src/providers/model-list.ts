import { setImmediate } from 'node:timers/promises';
import { isOffered, type Provider } from '../kernel/provider.ts';
import type { ModelCatalog } from './catalog/model-catalog.ts';
import type { ModelEntry } from './catalog/model-entry.ts';
import { hasProviderPrefix, isChatModel } from './catalog/model-names.ts';
import type { ProviderDirectory } from './provider-directory.ts';

/** A model with a name that resolves to it. */
export interface ListedModel {
  /** The value of `model` in a request: bare if that is unambiguous, else with the provider as prefix. */
  readonly name: string;
  readonly title: string;
  readonly provider: Provider;
}

type Finder = Pick<ProviderDirectory, 'find'>;

/** The models that clients can call. */
export class ModelList {
  readonly #directory: ProviderDirectory;
  readonly #catalog: ModelCatalog;
  readonly #byProvider = new WeakMap<Provider, Promise<readonly ListedModel[]>>();

  constructor(providerDirectory: ProviderDirectory, modelCatalog: ModelCatalog) {
    this.#directory = providerDirectory;
    this.#catalog = modelCatalog;
  }

  /** A provider's models, computed once: the catalog doesn't change while the process runs. */
  forProvider(provider: Provider, finder: Finder = this.#directory): Promise<readonly ListedModel[]> {
    const known = this.#byProvider.get(provider);
    if (known !== undefined) return known;
    const listed = this.#list(provider, finder);
    this.#byProvider.set(provider, listed);
    return listed;
  }

  /** The catalog's model that a name resolves to. */
  find(name: string, finder: Finder = this.#directory): ListedModel | undefined {
    const resolved = finder.find(name);
    if (resolved === undefined) return undefined;
    const { provider, model } = resolved;
    const entry = this.#catalog.find(provider, model);
    if (entry === undefined) return isNamed(provider, model) ? { name, title: model, provider } : undefined;
    return { name, title: entry.title, provider };
  }

  async #list(provider: Provider, finder: Finder): Promise<readonly ListedModel[]> {
    const listed: ListedModel[] = [];
    for (const [at, entry] of this.#catalog.list(provider).entries()) {
      // Each name is looked up in every provider's prices; hundreds at once would delay open streams.
      if (at % 16 === 15) await setImmediate();
      const name = this.#nameFor(provider, entry, finder);
      if (name !== undefined) listed.push({ name, title: entry.title, provider });
    }
    return [...listed, ...this.#unlisted(provider)];
  }

  /** Models that the operator names and no price data has. */
  #unlisted(provider: Provider): readonly ListedModel[] {
    return (provider.offered?.patterns ?? [])
      .filter((model) => isNamed(provider, model) && this.#catalog.find(provider, model) === undefined)
      .map((model) => ({ name: `${provider.name}/${model}`, title: model, provider }));
  }

  /** The price data also has families, prefixes and other vendors' models: the name must resolve to this entry. */
  #nameFor(provider: Provider, entry: ModelEntry, finder: Finder): string | undefined {
    for (const model of [entry.id, ...entry.otherNames]) {
      if (!hasProviderPrefix(model, provider) || !isChatModel(model) || !isOffered(provider, model)) continue;
      if (this.#catalog.find(provider, model)?.id !== entry.id) continue;
      for (const name of [model, `${provider.name}/${model}`]) {
        const resolved = finder.find(name);
        if (resolved?.provider === provider && resolved.model === model) return name;
      }
    }
    return undefined;
  }
}

/** Whether the operator offers a model by its whole name. */
function isNamed({ offered }: Provider, model: string): boolean {
  return offered?.patterns.includes(model) === true && !model.includes('*');
}
