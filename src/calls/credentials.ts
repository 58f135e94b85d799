import type { ProviderVault } from '../accounts/provider-keys.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerOf } from '../kernel/headers.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Provider, Target } from '../kernel/provider.ts';
import { Secret } from '../kernel/secret.ts';
import { belongsElsewhere, type Directory, type Resolved } from '../providers/directory.ts';
import { bearerOf } from './bearer.ts';
import type { Known } from './callers.ts';
import type { CredentialShapes } from './credential-shapes.ts';

export interface CredentialRules {
  readonly mode: 'local' | 'cloud';
  readonly directory: Directory;
  readonly shapes: CredentialShapes;
  readonly vault: ProviderVault;
  readonly versions: Versions;
  /** Operator credentials, by provider: they pay for nobody's calls but a local user's. */
  readonly operator: ReadonlyMap<string, Secret>;
}

interface Asked {
  readonly known: Known;
  readonly headers: HeaderList;
  readonly resolved: Resolved;
}

/** With which key a call's provider is paid. */
export class Credentials {
  readonly #rules: CredentialRules;

  constructor(rules: CredentialRules) {
    this.#rules = rules;
  }

  /** The call's destination with the first credential that exists for it: the request's, the account's, the operator's. */
  target(asked: Asked): Target | Promise<Target> {
    const { provider, model } = asked.resolved;
    if (provider.local !== undefined) return { provider, model };
    const given = this.#given(asked.headers, provider);
    if (given !== undefined) return { provider, model, credential: this.#fitting(given, asked.resolved) };
    const stored = this.#stored(asked.known, provider);
    return stored instanceof Promise
      ? stored.then((secret) => this.#otherwise(asked, secret))
      : this.#otherwise(asked, stored);
  }

  /** The same where it isn't an error that there is none: undefined where a call would be refused. */
  async find(asked: Asked): Promise<Target | undefined> {
    try {
      return await this.target(asked);
    } catch (refusal) {
      if (GatewayError.is(refusal) && refusal.status < 500) return undefined;
      throw refusal;
    }
  }

  #otherwise({ headers, resolved: { provider, model } }: Asked, stored: Secret | undefined): Target {
    const credential = stored ?? this.#local(headers, { provider, model });
    if (credential !== undefined) return { provider, model, credential };
    if (provider.keyless) return { provider, model };
    throw this.#missing(provider);
  }

  /** What only a local user may spend: a provider's key in place of a token, and the operator's own. */
  #local(headers: HeaderList, resolved: Resolved): Secret | undefined {
    const { mode, shapes, operator } = this.#rules;
    if (mode !== 'local') return undefined;
    const bearer = bearerOf(headers);
    if (bearer !== undefined && shapes.isProviderKey(bearer)) return this.#fitting(bearer, resolved);
    return operator.get(resolved.provider.name);
  }

  #stored({ accountId, key }: Known, provider: Provider): Secret | undefined | Promise<Secret | undefined> {
    const { vault, versions } = this.#rules;
    if (key !== undefined) return vault.open(accountId, provider.name, key.version);
    const version = versions.of(accountId);
    return typeof version === 'string'
      ? vault.open(accountId, provider.name, version)
      : version.then((current) => vault.open(accountId, provider.name, current));
  }

  /** A key never goes to a vendor whose key it isn't. */
  #fitting(given: string, { provider, model }: Resolved): Secret {
    if (!belongsElsewhere(given, provider, this.#rules.directory.providers.values()))
      return new Secret(given);
    throw new GatewayError(
      'provider_key_mismatch',
      `the key sent with this call is not one of ${provider.title}'s, which "${model}" needs; it was not sent on`,
    );
  }

  #given(headers: HeaderList, provider: Provider): string | undefined {
    const { mode, shapes } = this.#rules;
    const explicit = headerOf(headers, 'x-provider-key')?.trim();
    if (explicit !== undefined && explicit !== '') return this.#explicit(explicit, provider);
    const apiKey = headerOf(headers, 'x-api-key');
    if (apiKey === undefined || apiKey === '' || shapes.isOurs(apiKey)) return undefined;
    return mode === 'cloud' || shapes.isProviderKey(apiKey) ? apiKey : undefined;
  }

  /** `<key>` or `<provider>=<key>`. */
  #explicit(value: string, provider: Provider): string {
    const equals = value.indexOf('=');
    const owner = equals > 0 ? this.#rules.directory.providers.get(value.slice(0, equals).trim()) : undefined;
    if (owner === undefined) return value;
    if (owner !== provider)
      throw new GatewayError(
        'provider_key_mismatch',
        `x-provider-key is for ${owner.title}, and this call goes to ${provider.title}; it was not sent on`,
      );
    return value.slice(equals + 1).trim();
  }

  #missing({ name, title }: Provider): GatewayError {
    const started =
      this.#rules.mode === 'local' ? ` start the gateway with ${name.toUpperCase()}_API_KEY set,` : '';
    return new GatewayError(
      'provider_key_missing',
      `no ${title} key: send it as "x-provider-key",${started} or store it with PUT /v1/byok/${name}`,
    );
  }
}
