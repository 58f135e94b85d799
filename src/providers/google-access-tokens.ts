import { createPrivateKey, hash } from 'node:crypto';
import type { ProviderEgress } from '../egress/provider-egress.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { ServiceAccount, SigningContext } from '../kernel/signing.ts';
import type { Clock } from '../lib/clock.ts';
import { Lru } from '../lib/lru.ts';
import { numberOf, parseObject, stringOf } from '../wire/json-values.ts';
import { fetchSmallResponse } from './fetch-small-response.ts';
import { limits } from './limits.ts';

/** Google's token endpoint. The one in a service account's file is ignored: it could be any address. */
export const googleTokenUrl = 'https://oauth2.googleapis.com/token';

interface AccessTokenParts {
  readonly egress: ProviderEgress;
  readonly clock: Clock;
  /** One of the egress addresses. */
  readonly tokenUrl: string;
}

interface CachedToken {
  readonly token: string;
  readonly untilMs: number;
}

/**
 * Access tokens of Google service accounts. Concurrent calls share one token request; a token is renewed before it
 * expires, while the old one still serves (https://developers.google.com/identity/protocols/oauth2/service-account).
 */
export class GoogleAccessTokens implements SigningContext {
  readonly #parts: AccessTokenParts;
  readonly #cached = new Lru<CachedToken>(limits.cachedAccessTokensMax);
  readonly #pending = new Map<string, Promise<CachedToken>>();

  constructor(parts: AccessTokenParts) {
    this.#parts = parts;
  }

  now(): number {
    return this.#parts.clock.now();
  }

  async accessToken(account: ServiceAccount, onRequest?: (host: string) => void): Promise<string> {
    const name = cacheKeyOf(account);
    const cachedToken = this.#cached.get(name);
    const leftMs = cachedToken === undefined ? 0 : cachedToken.untilMs - this.now();
    if (cachedToken !== undefined && leftMs > limits.accessTokenRenewalMs) return cachedToken.token;
    const renewed = this.#renew(name, account);
    onRequest?.(new URL(this.#parts.tokenUrl).host);
    if (cachedToken === undefined || leftMs < limits.accessTokenValidMsMin) return (await renewed).token;
    renewed.catch(() => undefined);
    return cachedToken.token;
  }

  /** Keeps a token that was renewed in the meantime. */
  forgetToken(account: ServiceAccount, token: string): void {
    const name = cacheKeyOf(account);
    if (this.#cached.get(name)?.token === token) this.#cached.delete(name);
  }

  #renew(name: string, account: ServiceAccount): Promise<CachedToken> {
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    const asking = this.#fetchToken(account).then((cachedToken) => {
      this.#cached.set(name, cachedToken);
      return cachedToken;
    });
    this.#pending.set(name, asking);
    const over = () => void this.#pending.delete(name);
    asking.then(over, over);
    return asking;
  }

  async #fetchToken(account: ServiceAccount): Promise<CachedToken> {
    const { egress, tokenUrl } = this.#parts;
    const endpoint = egress.endpointAt(tokenUrl);
    const assertion = await this.#signAssertion(account);
    const body = `grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:jwt-bearer')}&assertion=${assertion}`;
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept-encoding', 'identity'];
    const signal = AbortSignal.timeout(limits.accessTokenWaitMs);
    const { status, text } = await fetchSmallResponse(
      endpoint,
      { method: 'POST', path: endpoint.basePath, headers, body },
      signal,
    ).catch((cause) => {
      throw new GatewayError('upstream_unreachable', 'the token request to Google failed', { cause });
    });
    const { access_token, expires_in, error } = parseObject(text) ?? {};
    const token = stringOf(access_token);
    if (status !== 200 || token === undefined || !headerSafeToken.test(token))
      throw tokenError(status, error);
    return { token, untilMs: this.now() + (numberOf(expires_in) ?? 0) * 1000 };
  }

  async #signAssertion({ email, keyId, privateKey }: ServiceAccount): Promise<string> {
    const { SignJWT } = await import('jose');
    const seconds = Math.floor(this.now() / 1000);
    return new SignJWT({ scope: 'https://www.googleapis.com/auth/cloud-platform' })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
      .setIssuer(email)
      .setAudience(googleTokenUrl)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + 3600)
      .sign(createPrivateKey(privateKey));
  }
}

const headerSafeToken = /^[!-~]+$/;

function cacheKeyOf({ email, privateKey }: ServiceAccount): string {
  return hash('sha256', `${email}\n${privateKey}`, 'base64url');
}

/** Includes only Google's error code: its description may reveal the account. */
function tokenError(status: number, error: unknown): GatewayError {
  const codeSuffix = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? `, ${error}` : '';
  if (status >= 500 || status === 200)
    return new GatewayError('upstream_broken', `the token request to Google failed (${status})`);
  return new GatewayError(
    'upstream_error',
    `Google rejected the token request of the service account (${status}${codeSuffix})`,
    {
      status: status === 429 ? 429 : 401,
    },
  );
}
