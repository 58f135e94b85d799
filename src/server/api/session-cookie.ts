import { GatewayError } from '../../kernel/errors.ts';
import { type HeaderList, headerOf, headerValuesOf } from '../../kernel/headers.ts';
import { limits } from '../../kernel/limits.ts';
import type { ApiRequest } from './route.ts';

export const plainCookieName = 'weir_session';
export const secureCookieName = '__Host-weir_session';

/** On https no other site of the domain can set it, and no path hides it: browsers see to that for names that begin so. */
function sessionCookieName(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? secureCookieName : plainCookieName;
}

/** What tells who is asking, and how. */
export type AuthRequest = Pick<ApiRequest, 'method' | 'headers'>;

/**
 * The session of a browser. Browsers send cookies along whoever made the page that asks, so one counts only where the
 * request came from a page of ours.
 */
export class SessionCookies {
  readonly #address: { readonly url: string };

  constructor(address: { readonly url: string }) {
    this.#address = address;
  }

  /** The token in it; refuses a request that another site may have made. */
  tokenOf(authRequest: AuthRequest): string | undefined {
    const token = readCookie(authRequest.headers, sessionCookieName(this.#address.url));
    if (token === undefined) return undefined;
    if (this.#isFromOwnPage(authRequest)) return token;
    throw new GatewayError(
      'cross_site',
      'the session cookie counts on pages of this gateway only; send the token as "authorization: Bearer <token>"',
    );
  }

  /** For the answer to who asked for a cookie with `x-weir-session: cookie`; nothing for others. */
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
    return ['set-cookie', `${sessionCookieName(url)}=${value}; ${attributes}`];
  }

  #isFromOwnPage({ method, headers }: AuthRequest): boolean {
    const site = headerOf(headers, 'sec-fetch-site');
    if (site !== undefined) return site === 'same-origin' || site === 'none';
    const origin = headerOf(headers, 'origin');
    if (origin !== undefined) return this.#isOwnOrigin(origin, headerOf(headers, 'host'));
    // On plain http browsers leave both out where a page or an image is fetched.
    return method === 'GET' || method === 'HEAD';
  }

  /** The page may have been opened by another name of this machine than the public one. */
  #isOwnOrigin(origin: string, host: string | undefined): boolean {
    const page = URL.parse(origin);
    const own = URL.parse(this.#address.url);
    if (page === null || own === null || page.protocol !== own.protocol) return false;
    return page.host === own.host || page.host === host?.toLowerCase();
  }
}

function readCookie(headers: HeaderList, cookieName: string): string | undefined {
  const values = headerValuesOf(headers, 'cookie')
    .flatMap((line) => line.split(';'))
    .flatMap((pair) => {
      const [name, ...value] = pair.split('=');
      return name?.trim() === cookieName ? [value.join('=').trim()] : [];
    })
    .filter((value) => value !== '');
  const [first] = values;
  // A neighbour's subdomain can add one of its own, and nothing tells which is which.
  if (values.some((value) => value !== first))
    throw new GatewayError('credentials_disagree', `there are two different ${cookieName} cookies`);
  return first === undefined ? undefined : decodeCookieValue(first);
}

function decodeCookieValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
