import { type Provider, type Target, underlyingModelOf } from '../../kernel/provider.ts';
import type { ProviderDirectory } from '../provider-directory.ts';
import type { ModelCatalog } from './model-catalog.ts';

/** A model regardless of where it is sold. */
interface ModelIdentity {
  readonly name: string;
  /** The snapshot that a name is pinned to. */
  readonly date: string | undefined;
}

type PlacesByName = ReadonlyMap<string, readonly Target[]>;

/** Finds the providers that sell a model, under whatever name. */
export class ModelPlaces {
  readonly #catalog: ModelCatalog;
  readonly #directory: ProviderDirectory;
  #byName: PlacesByName | undefined;
  readonly #own = new WeakMap<Provider, PlacesByName>();

  constructor(catalog: ModelCatalog, directory: ProviderDirectory) {
    this.#catalog = catalog;
    this.#directory = directory;
  }

  /** The target itself, then the same model at other providers of the instance, and at those of the account. */
  of(target: Target, own: readonly Provider[] = []): readonly Target[] {
    this.#byName ??= this.#index(this.#directory.providers.values());
    const { name, date } = identityOf(underlyingModelOf(target));
    const all = [this.#byName, ...own.map((provider) => this.#indexOf(provider))];
    const elsewhere = all
      .flatMap((byName) => byName.get(name) ?? [])
      .filter((place) => {
        const { date: otherDate } = identityOf(underlyingModelOf(place));
        return place.provider !== target.provider && (date ?? otherDate) === (otherDate ?? date);
      });
    const providers = new Set<string>();
    const first = elsewhere.filter(
      ({ provider }) => !providers.has(provider.name) && providers.add(provider.name),
    );
    return [target, ...first];
  }

  /** Of a provider that an account has defined. */
  #indexOf(provider: Provider): PlacesByName {
    const index = this.#own.get(provider) ?? this.#index([provider]);
    this.#own.set(provider, index);
    return index;
  }

  #index(providers: Iterable<Provider>): PlacesByName {
    const targets = [...providers].flatMap((provider) =>
      this.#catalog
        .list(provider)
        .filter(({ id }) => !uncallableName.test(id))
        .map(({ id }): Target => ({ provider, model: id })),
    );
    return Map.groupBy(targets, (target) => identityOf(underlyingModelOf(target)).name);
  }
}

/** Price entries for all regional endpoints of a model; calls name one region. */
const uncallableName = /^regional\./;

/**
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `anthropic/claude-sonnet-4.5` and `claude-sonnet-4-5` are the same
 * model.
 */
function identityOf(model: string): ModelIdentity {
  const own = model.toLowerCase().slice(model.lastIndexOf('/') + 1);
  const plain = own
    .replace(/^(?:us|eu|apac|global|jp|au|us-gov)\./, '')
    .replace(/^(?:anthropic|openai|meta|mistral|amazon|google|deepseek|qwen)\./, '')
    .replace(/(?:-v\d|-\d):\d$/, '')
    .replace(/-v\d$/, '');
  const date = /[-@](20\d{6}|20\d{2}-\d{2}-\d{2})$/.exec(plain)?.[1];
  const undated = date === undefined ? plain : plain.slice(0, -date.length - 1);
  return { name: undated.replaceAll('.', '-'), date: date?.replaceAll('-', '') };
}
