import { setImmediate } from 'node:timers/promises';
import type { Provider } from '../kernel/provider.ts';
import type { ModelCatalog } from './catalog/model-catalog.ts';
import type { ModelEntry } from './catalog/model-entry.ts';
import { hasProviderPrefix, isChatModel } from './catalog/model-names.ts';
import type { ProviderDirectory } from './provider-directory.ts';

/** A model under a name that leads to it. */
export interface ListedModel {
  /** What stands in `model`: bare where that is enough, else with the provider in front. */
  readonly name: string;
  readonly title: string;
  readonly provider: Provider;
}

/** The models that can be asked for. */
export class ModelList {
  readonly #directory: ProviderDirectory;
  readonly #catalog: ModelCatalog;
  readonly #byProvider = new Map<Provider, Promise<readonly ListedModel[]>>();

  constructor(providerDirectory: ProviderDirectory, modelCatalog: ModelCatalog) {
    this.#directory = providerDirectory;
    this.#catalog = modelCatalog;
  }

  /** A provider's models, found out once: the catalogue doesn't change while the process runs. */
  forProvider(provider: Provider): Promise<readonly ListedModel[]> {
    const known = this.#byProvider.get(provider);
    if (known !== undefined) return known;
    const listed = this.#list(provider);
    this.#byProvider.set(provider, listed);
    return listed;
  }

  /** The model that a name leads to, where the catalogue has it. */
  find(name: string): ListedModel | undefined {
    const resolved = this.#directory.find(name);
    if (resolved === undefined) return undefined;
    const { provider, model } = resolved;
    const entry = this.#catalog.find(provider, model);
    return entry === undefined ? undefined : { name, title: entry.title, provider };
  }

  async #list(provider: Provider): Promise<readonly ListedModel[]> {
    const listed: ListedModel[] = [];
    for (const [at, entry] of this.#catalog.list(provider).entries()) {
      // Each name is looked up in every provider's prices; hundreds at one go would hold up who streams.
      if (at % 16 === 15) await setImmediate();
      const name = this.#nameFor(provider, entry);
      if (name !== undefined) listed.push({ name, title: entry.title, provider });
    }
    return listed;
  }

  /** Price data knows families, prefixes and other vendors' models too: a name counts only when it leads back here. */
  #nameFor(provider: Provider, entry: ModelEntry): string | undefined {
    for (const model of [entry.id, ...entry.otherNames]) {
      if (!hasProviderPrefix(model, provider) || !isChatModel(model)) continue;
      if (this.#catalog.find(provider, model)?.id !== entry.id) continue;
      for (const name of [model, `${provider.name}/${model}`]) {
        const resolved = this.#directory.find(name);
        if (resolved?.provider === provider && resolved.model === model) return name;
      }
    }
    return undefined;
  }
}
