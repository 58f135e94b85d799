import { createPrivateKey, hash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Means, TokenAccount } from '../kernel/departure.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import { numberOf, parseObject, stringOf } from '../wire/read.ts';
import type { Egress } from './egress.ts';
import { smallAnswer } from './small-answer.ts';

/** Where Google gives out tokens. What an account's own file says about that is not believed: it could be anywhere. */
export const googleTokenUrl = 'https://oauth2.googleapis.com/token';

interface TokenParts {
  readonly egress: Egress;
  readonly clock: Clock;
  /** One of those that may be connected to. */
  readonly tokenUrl: string;
}

interface Kept {
  readonly token: string;
  readonly untilMs: number;
}

/**
 * Tokens of Google's service accounts: asked for once, however many calls wait for one, and again some time before they
 * end, while the old one still serves (https://developers.google.com/identity/protocols/oauth2/service-account).
 */
export class AccessTokens implements Means {
  readonly #parts: TokenParts;
  readonly #kept = new Lru<Kept>(limits.accessTokensKept);
  readonly #asked = new Map<string, Promise<Kept>>();

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  now(): number {
    return this.#parts.clock.now();
  }

  async accessToken(account: TokenAccount): Promise<string> {
    const name = nameOf(account);
    const kept = this.#kept.get(name);
    const leftMs = kept === undefined ? 0 : kept.untilMs - this.now();
    if (kept !== undefined && leftMs > limits.accessTokenRenewalMs) return kept.token;
    const renewed = this.#renewed(name, account);
    if (kept === undefined || leftMs < limits.accessTokenLeastMs) return (await renewed).token;
    renewed.catch(() => undefined);
    return kept.token;
  }

  /** One that was renewed since is another. */
  forget(account: TokenAccount, token: string): void {
    const name = nameOf(account);
    if (this.#kept.get(name)?.token === token) this.#kept.delete(name);
  }

  #renewed(name: string, account: TokenAccount): Promise<Kept> {
    const asked = this.#asked.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#ask(account).then((kept) => {
      this.#kept.set(name, kept);
      return kept;
    });
    this.#asked.set(name, asking);
    const over = () => void this.#asked.delete(name);
    asking.then(over, over);
    return asking;
  }

  async #ask(account: TokenAccount): Promise<Kept> {
    const { egress, tokenUrl } = this.#parts;
    const { pool, basePath } = egress.at(tokenUrl);
    const assertion = await this.#assertion(account);
    const body = `grant_type=${encodeURIComponent('urn:ietf:params:oauth:grant-type:jwt-bearer')}&assertion=${assertion}`;
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept-encoding', 'identity'];
    const signal = AbortSignal.timeout(limits.accessTokenWaitMs);
    const { status, text } = await smallAnswer(
      pool,
      { method: 'POST', path: basePath, headers, body },
      signal,
    ).catch((cause) => {
      throw new GatewayError('upstream_unreachable', 'Google could not be asked for a token', { cause });
    });
    const { access_token, expires_in, error } = parseObject(text) ?? {};
    const token = stringOf(access_token);
    if (status !== 200 || token === undefined || !inHeaders.test(token)) throw refusal(status, error);
    return { token, untilMs: this.now() + (numberOf(expires_in) ?? 0) * 1000 };
  }

  async #assertion({ email, keyId, privateKey }: TokenAccount): Promise<string> {
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

const inHeaders = /^[!-~]+$/;

function nameOf({ email, privateKey }: TokenAccount): string {
  return hash('sha256', `${email}\n${privateKey}`, 'base64url');
}

/** In our words, beside Google's one for it: its others may tell of the account. */
function refusal(status: number, error: unknown): GatewayError {
  const word = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? `, ${error}` : '';
  if (status >= 500 || status === 200)
    return new GatewayError('upstream_broken', `Google gave no token (${status})`);
  return new GatewayError(
    'upstream_error',
    `Google gave no token for the service account (${status}${word})`,
    {
      status: status === 429 ? 429 : 401,
    },
  );
}
