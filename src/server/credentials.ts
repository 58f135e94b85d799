import { GatewayError } from '../kernel/errors.ts';
import type { Caller } from '../kernel/exchange.ts';
import { type HeaderList, headerOf, headersOf } from '../kernel/headers.ts';
import type { Provider, Target } from '../kernel/provider.ts';
import { Secret } from '../kernel/secret.ts';
import { belongsElsewhere, type Directory, keyShape, type Resolved } from '../providers/directory.ts';

export interface CredentialRules {
  readonly directory: Directory;
  readonly keyPrefix: string;
  readonly localToken: Secret | undefined;
  /** Operator credentials, by provider. */
  readonly operator: ReadonlyMap<string, Secret>;
}

/** Who is calling, and with which key each provider is paid. */
export class Credentials {
  readonly #rules: CredentialRules;
  readonly #providerKey: RegExp;

  constructor(rules: CredentialRules) {
    this.#rules = rules;
    this.#providerKey = keyShape(rules.directory.providers.values());
  }

  /** Local mode takes any token or none, unless one was set. */
  authenticate(headers: HeaderList): Caller {
    const bearer = bearerOf(headers);
    const apiKey = headerOf(headers, 'x-api-key');
    const ownKey = apiKey !== undefined && this.#isOurs(apiKey) ? apiKey : undefined;
    const ownBearer = bearer !== undefined && !this.#isProviderKey(bearer) ? bearer : undefined;
    if (ownKey !== undefined && ownBearer !== undefined && ownKey !== ownBearer)
      throw new GatewayError(
        'credentials_disagree',
        'authorization and x-api-key carry two different gateway tokens; send one',
      );
    const { localToken } = this.#rules;
    if (localToken === undefined) return { kind: 'local' };
    const token = ownKey ?? ownBearer;
    if (token !== undefined && localToken.equals(token)) return { kind: 'local' };
    throw new GatewayError(
      'authentication_required',
      'this gateway asks for its token: send it as "authorization: Bearer <WEIR_LOCAL_TOKEN>"',
    );
  }

  /** The call's destination with the first credential that exists for it. */
  target(headers: HeaderList, { provider, model }: Resolved): Target {
    if (provider.local !== undefined) return { provider, model };
    const given = this.#given(headers, provider);
    if (given !== undefined && belongsElsewhere(given, provider, this.#providers()))
      throw new GatewayError(
        'provider_key_mismatch',
        `the key sent with this call is not one of ${provider.title}'s, which "${model}" needs; it was not sent on`,
      );
    const credential = given === undefined ? this.#rules.operator.get(provider.name) : new Secret(given);
    if (credential !== undefined) return { provider, model, credential };
    if (provider.keyless) return { provider, model };
    const variable = `${provider.name.toUpperCase()}_API_KEY`;
    throw new GatewayError(
      'provider_key_missing',
      `no ${provider.title} key: send it as "x-provider-key", or start the gateway with ${variable} set`,
    );
  }

  /** The same where it isn't an error that there is none: undefined where a call would be refused. */
  find(headers: HeaderList, resolved: Resolved): Target | undefined {
    try {
      return this.target(headers, resolved);
    } catch (refusal) {
      if (GatewayError.is(refusal)) return undefined;
      throw refusal;
    }
  }

  #given(headers: HeaderList, provider: Provider): string | undefined {
    const explicit = headerOf(headers, 'x-provider-key')?.trim();
    if (explicit !== undefined && explicit !== '') return this.#explicit(explicit, provider);
    const apiKey = headerOf(headers, 'x-api-key');
    if (apiKey !== undefined && !this.#isOurs(apiKey) && this.#isProviderKey(apiKey)) return apiKey;
    const bearer = bearerOf(headers);
    return bearer !== undefined && this.#isProviderKey(bearer) ? bearer : undefined;
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

  #isOurs(value: string): boolean {
    const { keyPrefix, localToken } = this.#rules;
    return (
      value.startsWith(`${keyPrefix}_`) || value.startsWith('anon_') || localToken?.equals(value) === true
    );
  }

  #isProviderKey(value: string): boolean {
    return this.#rules.localToken?.equals(value) !== true && this.#providerKey.test(value);
  }

  #providers(): Iterable<Provider> {
    return this.#rules.directory.providers.values();
  }
}

/** Two lines with two tokens could be read in two ways on the way here, so neither is taken. */
function bearerOf(headers: HeaderList): string | undefined {
  const [value, ...others] = headersOf(headers, 'authorization');
  if (others.some((other) => other !== value))
    throw new GatewayError('credentials_disagree', 'there are two different authorization headers; send one');
  if (value === undefined || value.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const token = value.slice(7).trim();
  return token === '' ? undefined : token;
}
