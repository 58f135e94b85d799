import { GatewayError } from '../../kernel/errors.ts';
import { isOffered, type Provider, type Target, type TargetFinder } from '../../kernel/provider.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';
import type { ProviderDirectory } from '../provider-directory.ts';

/** Resolves model names for one caller. */
export type CallerDirectory = TargetFinder &
  Pick<ProviderDirectory, 'providers' | 'resolve' | 'provider' | 'isDisabled' | 'unreadable'>;

/** The providers of the instance behind those of an account, whose models are found with their names in front. */
export class OwnDirectory implements CallerDirectory {
  readonly own: readonly Provider[];
  readonly providers: ReadonlyMap<string, Provider>;
  /** Names of those whose headers can't be decrypted: calls to them are rejected. */
  readonly unreadable: ReadonlySet<string>;
  readonly #own: ReadonlyMap<string, Provider>;
  readonly #instance: ProviderDirectory;
  readonly #found = new Lru<Target>(limits.ownTargetsMax);

  constructor(
    own: readonly Provider[],
    {
      instance,
      unreadable,
    }: { readonly instance: ProviderDirectory; readonly unreadable: ReadonlySet<string> },
  ) {
    this.own = own;
    this.unreadable = unreadable;
    this.#own = new Map(own.map((provider) => [provider.name, provider]));
    this.#instance = instance;
    this.providers = new Map([...instance.providers, ...this.#own]);
  }

  find(model: string): Target | undefined {
    const provider = this.#named(model);
    return provider === undefined ? this.#instance.find(model) : this.#findAt(provider, model);
  }

  resolve(model: string): Target {
    const provider = this.#named(model);
    if (provider === undefined) return this.#instance.resolve(model);
    const target = this.#findAt(provider, model);
    if (target !== undefined) return target;
    const { name, offered } = provider;
    const models = offered?.patterns.slice(0, 20).join(', ') ?? 'none without a name';
    throw new GatewayError(
      'model_not_found',
      `your provider ${name} has no model "${model.slice(name.length + 1)}"; it has ${models}`,
      { param: 'model' },
    );
  }

  provider(name: string): Provider {
    return this.#own.get(name) ?? this.#instance.provider(name);
  }

  isDisabled(name: string): boolean {
    return !this.#own.has(name) && this.#instance.isDisabled(name);
  }

  #named(model: string): Provider | undefined {
    const slash = model.indexOf('/');
    return slash > 0 ? this.#own.get(model.slice(0, slash)) : undefined;
  }

  #findAt(provider: Provider, name: string): Target | undefined {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    const model = name.slice(provider.name.length + 1);
    if (model === '' || !isOffered(provider, model)) return undefined;
    const target = { provider, model };
    this.#found.set(name, target);
    return target;
  }
}

export function unreadableHeadersError(name: string): GatewayError {
  return new GatewayError(
    'provider_key_unreadable',
    `the stored headers of ${name} can't be decrypted with this gateway's secret; store them again with PUT /v1/providers/${name}`,
  );
}
