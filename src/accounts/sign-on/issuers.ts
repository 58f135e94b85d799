import type { ClientAuth, Configuration, CustomFetchOptions, ServerMetadata } from 'openid-client';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import type { SignOn } from '../../kernel/ports/sign-on.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lru } from '../../lib/lru.ts';
import { limits } from '../limits.ts';
import { KeySets } from './key-sets.ts';
import type { SignOnAttempt } from './sign-on-attempts.ts';
import { SignOnFailure } from './sign-on-error.ts';

export interface IssuersParts {
  readonly fetch: EgressFetch;
  readonly clock: Clock;
  /** The client secret; undefined if none is stored. */
  openSecret(signOn: SignOn): string | undefined;
}

/** A discovered issuer. */
export interface Issuer {
  readonly configuration: Configuration;
  readonly metadata: ServerMetadata;
}

interface CachedIssuer extends Issuer {
  readonly updatedAtMs: number;
  readonly readAtMs: number;
}

/** What an identity provider says of a person, its signature verified. */
export interface Claims {
  readonly subject: string;
  /** The provider's own session. */
  readonly sid: string | undefined;
  readonly all: Readonly<Record<string, unknown>>;
}

/** The identity providers of organizations. */
export class Issuers {
  readonly keySets: KeySets;
  readonly #parts: IssuersParts;
  readonly #cached = new Lru<CachedIssuer>(limits.cachedIssuersMax);

  constructor(parts: IssuersParts) {
    this.#parts = parts;
    this.keySets = new KeySets(parts.fetch, parts.clock);
  }

  /** Reads the discovery document, unless that was done a short time ago. */
  async discover(signOn: SignOn, isFresh = false): Promise<Issuer> {
    const nowMs = this.#parts.clock.now();
    const cached = this.#cached.get(signOn.accountId);
    const isValid =
      cached?.updatedAtMs === signOn.updatedAtMs && nowMs - cached.readAtMs < limits.issuerFreshMs;
    if (cached !== undefined && isValid && !isFresh) return cached;
    const issuer = await this.#read(signOn);
    this.#cached.set(signOn.accountId, { ...issuer, updatedAtMs: signOn.updatedAtMs, readAtMs: nowMs });
    return issuer;
  }

  /** The address of the provider's page. */
  async begin(
    signOn: SignOn,
    attempt: Pick<SignOnAttempt, 'state' | 'nonce' | 'verifier'>,
    { redirectUri, email }: { readonly redirectUri: string; readonly email: string | undefined },
  ): Promise<string> {
    const client = await import('openid-client');
    const { configuration } = await this.discover(signOn);
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(email !== undefined && { login_hint: email }),
    });
    if (!isAddressOf(url, signOn.issuer)) throw new Error('the authorization endpoint has no https address');
    return url.href;
  }

  /** Exchanges the code of an answer for the claims of its person. `answer` is the whole address that was called. */
  async finish(signOn: SignOn, answer: URL, attempt: SignOnAttempt): Promise<Claims> {
    const client = await import('openid-client');
    const { configuration, metadata } = await this.discover(signOn);
    const tokens = await client.authorizationCodeGrant(configuration, answer, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    });
    // The package trusts the connection and leaves the signature alone.
    const claims = await this.keySets.verify(tokens.id_token ?? '', keysOf(metadata), {
      issuer: metadata.issuer,
      audience: signOn.clientId,
      requiredClaims: ['sub', 'iat', 'exp', 'nonce'],
    });
    const { sub: subject = '', sid } = claims;
    if (subject === '' || claims.nonce !== attempt.nonce) throw new SignOnFailure('invalid_answer');
    const more = this.#isComplete(signOn, claims, metadata)
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, subject);
    return { subject, sid: typeof sid === 'string' ? sid : undefined, all: { ...more, ...claims } };
  }

  /** Whether the token has all that is needed; many providers tell the rest on request only. */
  #isComplete(
    { groupsClaim }: SignOn,
    claims: Claims['all'],
    { userinfo_endpoint: endpoint }: ServerMetadata,
  ): boolean {
    if (endpoint === undefined) return true;
    return claims.email !== undefined && (groupsClaim === undefined || claims[groupsClaim] !== undefined);
  }

  async #read(signOn: SignOn): Promise<Issuer> {
    const client = await import('openid-client');
    const { issuer, clientId } = signOn;
    const isPlain = issuer.startsWith('http:');
    const discovered = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      [client.customFetch]: (address, options) => this.#fetch(address, options),
      timeout: limits.issuerAnswerMs / 1000,
      ...(isPlain && { execute: [client.allowInsecureRequests] }),
    });
    const metadata = discovered.serverMetadata();
    if (metadata.issuer !== issuer) throw new Error(`the document is of the issuer ${metadata.issuer}`);
    const configuration = new client.Configuration(
      metadata,
      clientId,
      { [client.clockTolerance]: limits.issuerClockSeconds, [client.clockSkew]: this.#clockSkew() },
      await this.#authentication(signOn, metadata),
    );
    configuration[client.customFetch] = (address, options) => this.#fetch(address, options);
    configuration.timeout = limits.issuerAnswerMs / 1000;
    if (isPlain) client.allowInsecureRequests(configuration);
    return { configuration, metadata };
  }

  /** How the provider knows this gateway: by its secret, in the header that the standard prefers, or in the body. */
  async #authentication(
    signOn: SignOn,
    { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: ServerMetadata,
  ): Promise<ClientAuth> {
    const client = await import('openid-client');
    const secret = this.#parts.openSecret(signOn);
    if (secret === undefined) return client.None();
    return methods.includes('client_secret_basic')
      ? client.ClientSecretBasic(secret)
      : client.ClientSecretPost(secret);
  }

  /** Seconds between the clock of the stores, which all replicas share, and that of this machine. */
  #clockSkew(): number {
    return Math.round((this.#parts.clock.now() - Date.now()) / 1000);
  }

  #fetch(address: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Response> {
    return this.#parts.fetch(address, {
      method,
      headers,
      ...(body !== undefined && body !== null && { body }),
      ...(signal !== undefined && { signal }),
      timeoutMs: limits.issuerAnswerMs,
      maxBytes: limits.issuerAnswerBytesMax,
    });
  }
}

export function keysOf({ jwks_uri: address }: ServerMetadata): string {
  if (address === undefined) throw new Error('the discovery document has no jwks_uri');
  return address;
}

/** Plain http is for issuers with it, which the operator has allowed. */
function isAddressOf({ protocol }: URL, issuer: string): boolean {
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
}
