import { limits } from '../../accounts/limits.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf, headerValuesOf } from '../../lib/headers.ts';
import type { ApiRequest } from './route.ts';

export const plainCookieName = 'weir_session';
export const secureCookieName = '__Host-weir_session';
const operatorCookieName = 'weir_operator';

/** The parts of a request that prove who sends it, and from where. */
export type AuthRequest = CookieRequest & Pick<ApiRequest, 'remoteAddress'>;

type CookieRequest = Pick<ApiRequest, 'method' | 'headers'>;

/** Session cookies of browsers. They count only for requests from this gateway's own pages, to prevent CSRF. */
export class SessionCookies {
  readonly #address: { readonly url: string };
  readonly #name: string;

  constructor(address: { readonly url: string }, name = plainCookieName) {
    this.#address = address;
    this.#name = name;
  }

  /** The operator's token, beside the session of an account. */
  static forOperator(address: { readonly url: string }): SessionCookies {
    return new SessionCookies(address, operatorCookieName);
  }

  /** Browsers keep sibling subdomains from setting a `__Host-` cookie. */
  get #cookieName(): string {
    return this.#address.url.startsWith('https:') ? `__Host-${this.#name}` : this.#name;
  }

  /** The token in the cookie; rejects a request that another site may have made. */
  tokenOf(authRequest: CookieRequest): string | undefined {
    const token = readCookie(authRequest.headers, this.#cookieName);
    if (token === undefined) return undefined;
    if (this.#isFromOwnPage(authRequest)) return token;
    throw new GatewayError(
      'cross_site',
      'the session cookie is only accepted from pages of this gateway; send the token as "authorization: Bearer <token>"',
    );
  }

  /** The `set-cookie` header if the client sent `x-weir-session: cookie`. */
  setIfRequested(headers: HeaderList, token: string): HeaderList {
    return headerOf(headers, 'x-weir-session')?.trim().toLowerCase() === 'cookie' ? this.set(token) : [];
  }

  set(token: string): HeaderList {
    return this.#cookie(encodeURIComponent(token), limits.sessionLifeMs / 1000);
  }

  clear(): HeaderList {
    return this.#cookie('', 0);
  }

  #cookie(value: string, seconds: number): HeaderList {
    const { url } = this.#address;
    const secure = url.startsWith('https:') ? '; Secure' : '';
    const attributes = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`;
    return ['set-cookie', `${this.#cookieName}=${value}; ${attributes}`];
  }

  #isFromOwnPage({ method, headers }: CookieRequest): boolean {
    const site = headerOf(headers, 'sec-fetch-site');
    if (site !== undefined) return site === 'same-origin' || site === 'none';
    const origin = headerOf(headers, 'origin');
    if (origin !== undefined) return this.#isOwnOrigin(origin, headerOf(headers, 'host'));
    // On plain http, browsers send neither header when they fetch a page or an image.
    return method === 'GET' || method === 'HEAD';
  }

  /** The page may have been opened under another host name than the public one. */
  #isOwnOrigin(origin: string, host: string | undefined): boolean {
    const page = URL.parse(origin);
    const own = URL.parse(this.#address.url);
    if (page === null || own === null || page.protocol !== own.protocol) return false;
    return page.host === own.host || page.host === host?.toLowerCase();
  }
}

/** Undefined if there is none; throws if there are two. */
export function readCookie(headers: HeaderList, cookieName: string): string | undefined {
  const values = headerValuesOf(headers, 'cookie')
    .flatMap((line) => line.split(';'))
    .flatMap((pair) => {
      const [name, ...value] = pair.split('=');
      return name?.trim() === cookieName ? [value.join('=').trim()] : [];
    })
    .filter((value) => value !== '');
  const [first] = values;
  // A sibling subdomain can add a cookie of the same name, and the two cannot be distinguished.
  if (values.some((value) => value !== first))
    throw new GatewayError(
      'credentials_disagree',
      `the request has two different ${cookieName} cookies; clear the cookies of this site`,
    );
  return first === undefined ? undefined : decodeCookieValue(first);
}

function decodeCookieValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
