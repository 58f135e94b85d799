import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { isOffered, type Provider, type Target, type TargetFinder } from '../kernel/provider.ts';
import { Lru } from '../lib/lru.ts';
import type { ModelCatalog } from './catalog/model-catalog.ts';

/** Resolves model names to providers. */
export class ProviderDirectory implements TargetFinder {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly own: readonly Provider[] = [];
  /** Names of providers of an account whose headers can't be decrypted. */
  readonly unreadable: ReadonlySet<string> = new Set();
  /** Names of providers that are disabled until the operator sets their address. */
  readonly #disabled: ReadonlySet<string>;
  readonly #catalog: ModelCatalog;
  readonly #resolved = new Lru<Target>(limits.compiledPipelinesMax);
  /** Comparing with the previous name is much faster than a lookup. */
  #lastResolved: { readonly name: string; readonly target: Target } | undefined;

  constructor(
    providers: readonly Provider[],
    modelCatalog: ModelCatalog,
    disabled: ReadonlySet<string> = new Set(),
  ) {
    this.providers = new Map(
      providers.filter(({ name }) => !disabled.has(name)).map((provider) => [provider.name, provider]),
    );
    this.#disabled = disabled;
    this.#catalog = modelCatalog;
  }

  /** Number of cached names. */
  get cachedNames(): number {
    return this.#resolved.size;
  }

  /** Resolves by provider prefix, else by the catalog, else by the start of the name. */
  find(model: string): Target | undefined {
    if (this.#lastResolved?.name === model) return this.#lastResolved.target;
    const target = this.#resolved.get(model) ?? this.#lookUp(model);
    if (target !== undefined) this.#lastResolved = { name: model, target };
    return target;
  }

  #lookUp(model: string): Target | undefined {
    if (this.isDisabled(prefixOf(model))) return undefined;
    const resolved =
      this.#findByProviderPrefix(model) ?? this.#findInCatalog(model) ?? this.#findByModelPrefix(model);
    if (resolved !== undefined) this.#resolved.set(model, resolved);
    return resolved;
  }

  resolve(model: string): Target {
    const resolved = this.find(model);
    if (resolved !== undefined) return resolved;
    throw new GatewayError('model_not_found', this.explainUnknownModel(model), { param: 'model' });
  }

  /** The error message for a model without a provider. */
  explainUnknownModel(model: string): string {
    const prefix = prefixOf(model);
    if (this.isDisabled(prefix)) return enableProviderHint(prefix);
    const named = this.providers.get(prefix);
    if (named?.offered !== undefined)
      return `${named.title} has no model "${model.slice(prefix.length + 1)}" on this gateway; it has ${named.offered.patterns.slice(0, 20).join(', ')}`;
    return `no provider found for the model "${model}"; write it as provider/model, or see GET /v1/catalog`;
  }

  /** The provider with this name; throws if there is none. */
  provider(name: string): Provider {
    const provider = this.providers.get(name);
    if (provider !== undefined) return provider;
    const why = this.isDisabled(name)
      ? enableProviderHint(name)
      : 'unknown provider; GET /v1/capabilities lists them';
    throw new GatewayError('not_found', why);
  }

  isDisabled(name: string): boolean {
    return this.#disabled.has(name);
  }

  #findByProviderPrefix(model: string): Target | undefined {
    const slash = model.indexOf('/');
    const provider = slash > 0 ? this.providers.get(model.slice(0, slash)) : undefined;
    const rest = provider?.ownNames?.test(model) === true ? model : model.slice(slash + 1);
    return provider !== undefined && this.#mayServe(provider, rest) ? { provider, model: rest } : undefined;
  }

  #findInCatalog(model: string): Target | undefined {
    for (const provider of this.providers.values())
      if (
        provider.requiresProviderPrefix !== true &&
        isOffered(provider, model) &&
        this.#catalog.find(provider, model) !== undefined
      )
        return { provider, model };
    return undefined;
  }

  #findByModelPrefix(model: string): Target | undefined {
    for (const provider of this.providers.values())
      if (
        provider.kind === undefined &&
        provider.modelPrefixes.some((prefix) => model.startsWith(prefix)) &&
        this.#mayServe(provider, model)
      )
        return { provider, model };
    return undefined;
  }

  /** Only a vendor's API knows its models; a provider inside the gateway has exactly the listed ones. */
  #mayServe(provider: Provider, model: string): boolean {
    if (provider.answerLocally === undefined) return model !== '' && isOffered(provider, model);
    return this.#catalog.find(provider, model) !== undefined;
  }
}

/** The text before the first slash of a model name, or an empty string. */
function prefixOf(model: string): string {
  return model.slice(0, Math.max(0, model.indexOf('/')));
}

export function enableProviderHint(name: string): string {
  return `the provider "${name}" is not enabled on this gateway; its operator can set WEIR_${name.toUpperCase()}_BASE_URL to the address of its API`;
}

/** Whether a key looks like another provider's, so that it is never sent to the wrong vendor. */
export function isKeyOfAnotherProvider(
  key: string,
  target: Provider,
  providers: Iterable<Provider>,
): boolean {
  let longest = '';
  const owners = new Set<Provider>();
  for (const provider of providers) {
    for (const prefix of provider.keyPrefixes) {
      if (!key.startsWith(prefix) || prefix.length < longest.length) continue;
      if (prefix.length > longest.length) owners.clear();
      longest = prefix;
      owners.add(provider);
    }
  }
  if (owners.size === 0 || owners.has(target)) return false;
  // Plain `sk-` is common: it fits any provider whose keys have no known prefix.
  return longest !== 'sk-' || target.keyPrefixes.length > 0;
}

/** Matches text that looks like a provider's key. */
export function providerKeyPattern(providers: Iterable<Provider>): RegExp {
  const prefixes = new Set([...providers].flatMap((provider) => provider.keyPrefixes));
  return new RegExp(`^(?:${[...prefixes].map(RegExp.escape).join('|')})`);
}
