import type { ProviderKeyVault, WeightedKey } from '../accounts/provider-key-vault.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { CredentialResolver } from '../kernel/exchange.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { keySlotOf, type Provider, type Target } from '../kernel/provider.ts';
import { type HeaderList, headerValuesOf } from '../lib/headers.ts';
import { Secret } from '../lib/secret.ts';
import { type CallerDirectory, unreadableHeadersError } from '../providers/own/own-directory.ts';
import { isKeyOfAnotherProvider, type ProviderDirectory } from '../providers/provider-directory.ts';
import { apiKeysIn } from './api-key.ts';
import { bearerTokenOf } from './bearer-token.ts';
import type { CallerAuthenticator, CallerIdentity } from './caller-authenticator.ts';
import type { CredentialNames } from './credential-names.ts';
import type { CredentialShapes } from './credential-shapes.ts';
import type { KeyChooser } from './key-chooser.ts';

export interface CredentialRules {
  readonly mode: 'local' | 'cloud';
  readonly directory: ProviderDirectory;
  readonly shapes: CredentialShapes;
  readonly vault: ProviderKeyVault;
  readonly versions: Versions;
  readonly callers: Pick<CallerAuthenticator, 'reidentify'>;
  /** Keys of the operator, by provider; only local users may use them. */
  readonly operator: ReadonlyMap<string, readonly WeightedKey[]>;
  /** Chooses where there are several keys. */
  readonly chooser: Pick<KeyChooser, 'choose'>;
  readonly names: Pick<CredentialNames, 'storedOf'>;
}

/** The caller and the headers of a call. */
interface PayingCall {
  readonly identity: CallerIdentity;
  readonly headers: HeaderList;
  /** Calls with the same value use the same key of several; asked only if there are several. */
  stickiness?(): string;
  /** The name of the key that it should use, if that is still one of several. */
  readonly keyName?: string | undefined;
  /** The providers that it knows; those of the instance by default. */
  readonly directory?: Pick<CallerDirectory, 'providers' | 'unreadable'>;
}

/** Resolves the credential for a call's provider. */
export class Credentials {
  readonly #rules: CredentialRules;

  constructor(rules: CredentialRules) {
    this.#rules = rules;
  }

  /** The credentials of a call for which its client requested `requested`. */
  of(payingCall: PayingCall, requested: Target): CredentialResolver {
    return new CallCredentials({
      requestedProvider: requested.provider,
      resolve: (target, sentKeyPolicy) => this.#resolve(payingCall, target, sentKeyPolicy),
      choose: (keys, target) => this.#choose(payingCall, keys, target),
    });
  }

  /** Like `of`, but undefined where a call would be rejected. */
  async findOptional(
    payingCall: PayingCall,
    target: Target,
  ): Promise<{ credential: Secret | undefined } | undefined> {
    try {
      const keys = await this.#resolve(payingCall, target, 'any');
      return { credential: await this.#choose(payingCall, keys, target) };
    } catch (refusal) {
      if (GatewayError.is(refusal) && (refusal.status < 500 || refusal.code === 'provider_key_unreadable'))
        return undefined;
      throw refusal;
    }
  }

  #choose(
    { stickiness, keyName }: PayingCall,
    keys: Keys,
    target: Target,
  ): Secret | undefined | Promise<Secret | undefined> {
    if (keys.length < 2) return keys[0]?.secret;
    const { chooser, names } = this.#rules;
    const named = keyName && keys.find(({ secret }) => names.storedOf(secret) === keyName);
    return named ? named.secret : chooser.choose(keys, target, stickiness?.() ?? '');
  }

  /** Uses the first that exist: the key of the request, those of the account, of the operator. None if none is needed. */
  #resolve(payingCall: PayingCall, target: Target, requested: SentKeyPolicy): Keys | Promise<Keys> {
    const { headers } = payingCall;
    const { provider } = target;
    const which = sentKeyPolicyFor(provider, requested);
    if (provider.answerLocally !== undefined) return noKeys;
    const { providers, unreadable } = payingCall.directory ?? this.#rules.directory;
    if (provider.ownId !== undefined && unreadable.has(provider.name))
      throw unreadableHeadersError(provider.name);
    const given = this.#sentKey(headers, target, { which, providers });
    if (given !== undefined) return [requireMatching(given, target, providers)];
    const login = which === 'any' ? this.#cloudLogin(headers, provider, providers) : undefined;
    if (login !== undefined) return [login];
    const stored = this.#cachedKeys(payingCall, provider) ?? this.#storedKeys(payingCall, provider);
    const choose = (keys: Keys) => (keys.length > 0 ? keys : this.#unstoredKeys(payingCall, target, which));
    return stored instanceof Promise ? stored.then(choose) : choose(stored);
  }

  /** Undefined if they are not in memory for this version of the account. */
  #cachedKeys({ identity: { accountId, key } }: PayingCall, provider: Provider): Keys | undefined {
    if (key === undefined) return undefined;
    return this.#rules.vault.cached(accountId, keySlotOf(provider), key.version)?.keys;
  }

  /**
   * A provider's key or login as the bearer token, beside an API key in another header. Agents send their login with all
   * calls: one to another provider is paid with the stored key.
   */
  #cloudLogin(headers: HeaderList, provider: Provider, providers: ProvidersByName): WeightedKey | undefined {
    const { mode, shapes } = this.#rules;
    const bearer = mode === 'cloud' ? bearerTokenOf(headers) : undefined;
    if (bearer === undefined || shapes.isGatewayToken(bearer) || !shapes.isProviderKey(bearer))
      return undefined;
    return isKeyOfAnotherProvider(bearer, provider, providers.values()) ? undefined : onlyKey(bearer);
  }

  /** A call may outlast its API key: rejects stored keys if the API key was revoked meanwhile. */
  async #storedKeys({ identity, headers }: PayingCall, provider: Provider): Promise<Keys> {
    const { vault, versions, callers } = this.#rules;
    const { accountId, key, address } = identity;
    const version = key?.version ?? (await versions.of(accountId));
    const cached = vault.cached(accountId, keySlotOf(provider), version);
    if (cached !== undefined) return cached.keys;
    const keys = await vault.open(accountId, keySlotOf(provider), version);
    if (key !== undefined && (await versions.of(accountId)) !== version)
      await callers.reidentify(headers, address);
    return keys;
  }

  /** Those that a caller without stored keys can use. */
  #unstoredKeys(payingCall: PayingCall, target: Target, which: SentKeyPolicy): Keys {
    const { provider } = target;
    const keys = this.#localKeys(payingCall, target, which);
    if (keys.length > 0 || provider.keyless) return keys;
    throw this.#missingKeyError(provider, which);
  }

  /** Credentials for local users only: a provider key sent as the bearer token, and the operator's own. */
  #localKeys({ headers }: PayingCall, target: Target, which: SentKeyPolicy): Keys {
    const { mode, shapes, operator, directory } = this.#rules;
    const { ownId, name } = target.provider;
    if (mode !== 'local' || ownId !== undefined) return noKeys;
    const bearer = which === 'any' ? bearerTokenOf(headers) : undefined;
    if (bearer !== undefined && shapes.isProviderKey(bearer))
      return [requireMatching(bearer, target, directory.providers)];
    return operator.get(name) ?? noKeys;
  }

  #sentKey(
    headers: HeaderList,
    { provider }: Target,
    { which, providers }: { readonly which: SentKeyPolicy; readonly providers: ProvidersByName },
  ): string | undefined {
    const { mode, shapes } = this.#rules;
    if (which === 'none') return undefined;
    const explicit = explicitKeyIn(headers);
    if (which === 'labelled')
      return explicit === undefined ? undefined : this.#labeledKey(explicit, provider);
    if (explicit !== undefined && explicit !== '') return this.#explicitKey(explicit, provider, providers);
    const sent = apiKeysIn(headers);
    if (sent.length === 0) return undefined;
    const [apiKey, another] = sent.filter(
      (key) => !shapes.isGatewayToken(key) && (mode === 'cloud' || shapes.isProviderKey(key)),
    );
    if (another !== undefined)
      throw new GatewayError('credentials_disagree', 'this call has two different provider keys; send one');
    return apiKey;
  }

  /** Accepts only a key labeled for this provider. */
  #labeledKey(value: string, provider: Provider): string | undefined {
    const { label, key } = splitLabel(value);
    return label === provider.name && key !== '' ? checkKeyCharacters(key, provider) : undefined;
  }

  /** `<key>` or `<provider>=<key>`. */
  #explicitKey(value: string, provider: Provider, providers: ProvidersByName): string {
    const { label, key } = splitLabel(value);
    const owner = label === undefined ? undefined : providers.get(label);
    if (owner === undefined && label !== undefined && label.length <= labelLengthMax && !isPadding(key))
      throw new GatewayError(
        'provider_key_mismatch',
        'the name before the "=" in x-provider-key is not a provider of this gateway (GET /v1/capabilities lists them); the key was not forwarded (for a key that contains a "=", send <provider>=<key>)',
      );
    if (owner === undefined) return checkKeyCharacters(value, provider);
    if (owner !== provider)
      throw new GatewayError(
        'provider_key_mismatch',
        `x-provider-key is for ${owner.title}, but this call goes to ${provider.title}; the key was not forwarded`,
      );
    // Probably an unset variable; don't silently pay with another key.
    if (key === '')
      throw new GatewayError(
        'provider_key_missing',
        `x-provider-key names ${owner.title} but has no key after the "="`,
      );
    return checkKeyCharacters(key, provider);
  }

  #missingKeyError({ name, title, ownId }: Provider, which: SentKeyPolicy): GatewayError {
    const started =
      this.#rules.mode === 'local' && ownId === undefined
        ? ` start the gateway with ${name.toUpperCase()}_API_KEY set,`
        : '';
    const sent = which === 'labelled' ? `x-provider-key: ${name}=<key>` : 'x-provider-key';
    return new GatewayError(
      'provider_key_missing',
      `no ${title} key: send it as "${sent}",${started} or store it with PUT /v1/byok/${name}`,
    );
  }
}

/** Duplicate headers with the same value count as one. */
function explicitKeyIn(headers: HeaderList): string | undefined {
  const all = headerValuesOf(headers, 'x-provider-key');
  const explicit = all[0]?.trim();
  if (all.length < 2 || all.every((line) => line.trim() === explicit)) return explicit;
  throw new GatewayError('credentials_disagree', 'there are two different x-provider-key headers; send one');
}

/** Rejects spaces and control characters, except in structured keys, which are JSON. */
function checkKeyCharacters(key: string, { keyForm }: Provider): string {
  if (keyForm !== undefined || /^[!-~]*$/.test(key)) return key;
  throw new GatewayError(
    'invalid_request',
    'x-provider-key: a key must be printable ASCII characters without spaces',
    {
      param: 'x-provider-key',
    },
  );
}

/** Splits `<label>=<key>`; labels are case-insensitive. */
function splitLabel(value: string): { readonly label: string | undefined; readonly key: string } {
  const [, label, key = value] = labeledKeyPattern.exec(value) ?? [];
  return { label: label?.toLowerCase(), key: key.trim() };
}

/** Base64 keys may end with equals signs. */
function isPadding(text: string): boolean {
  return text === '' || text === '=';
}

/** Longer than any provider's name; anything longer is part of a key. */
const labelLengthMax = 32;

const labeledKeyPattern = /^\s*([a-z][\w.-]*)\s*=(.*)$/is;

/** Which keys sent with a call may be used: any, only those labeled with the provider, or none. */
type SentKeyPolicy = 'any' | 'labelled' | 'none';

type ProvidersByName = ReadonlyMap<string, Provider>;

/** Logins and keys that name no provider are not for a server whose address the account has chosen. */
function sentKeyPolicyFor({ ownId }: Provider, requested: SentKeyPolicy): SentKeyPolicy {
  return ownId !== undefined && requested === 'any' ? 'labelled' : requested;
}

/** Never sends a key to a provider that it doesn't belong to. */
function requireMatching(
  given: string,
  { provider, model }: Target,
  providers: ProvidersByName,
): WeightedKey {
  if (!isKeyOfAnotherProvider(given, provider, providers.values())) return onlyKey(given);
  throw new GatewayError(
    'provider_key_mismatch',
    `"${model}" needs a ${provider.title} key, and the key sent with this call is not one; it was not forwarded`,
  );
}

/** The keys that a call may use, the first one first; often one, and none if the provider needs none. */
type Keys = readonly WeightedKey[];

const noKeys: Keys = [];

function onlyKey(text: string): WeightedKey {
  return { secret: new Secret(text), weight: 1 };
}

/**
 * The credentials of one call. A key without a label goes only to the provider of the model that the client requested,
 * even if a module reroutes the call or asks a model: keys of many providers look alike.
 */
class CallCredentials implements CredentialResolver {
  readonly #parts: CallCredentialsParts;
  #last: { readonly provider: Provider; readonly keys: Keys | Promise<Keys> } | undefined;

  constructor(parts: CallCredentialsParts) {
    this.#parts = parts;
  }

  /** Chooses again each time: the next attempt may need another key of several. */
  find(target: Target, which?: 'stored' | 'first'): Secret | undefined | Promise<Secret | undefined> {
    const keys = which === 'stored' ? this.#parts.resolve(target, 'none') : this.#keysFor(target);
    const choose = (known: Keys) =>
      which === 'first' ? known[0]?.secret : this.#parts.choose(known, target);
    return keys instanceof Promise ? keys.then(choose) : choose(keys);
  }

  #keysFor(target: Target): Keys | Promise<Keys> {
    const { requestedProvider, resolve } = this.#parts;
    const { provider } = target;
    if (this.#last?.provider !== provider) {
      const sentKeyPolicy = provider === requestedProvider ? 'any' : 'labelled';
      this.#last = { provider, keys: resolve(target, sentKeyPolicy) };
    }
    return this.#last.keys;
  }
}

interface CallCredentialsParts {
  readonly requestedProvider: Provider;
  resolve(target: Target, sentKeyPolicy: SentKeyPolicy): Keys | Promise<Keys>;
  choose(keys: Keys, target: Target): Secret | undefined | Promise<Secret | undefined>;
}
