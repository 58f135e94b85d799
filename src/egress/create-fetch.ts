import { type Dispatcher, fetch } from 'undici';
import type { EgressFetch, EgressRequest } from '../kernel/ports/fetch.ts';
import { limits as libLimits } from '../lib/limits.ts';
import { limitBody } from './body-limit.ts';
import { EgressError } from './egress-error.ts';
import { limits } from './limits.ts';

interface FetchParts {
  readonly dispatcher: Dispatcher;
  /** Headers of every request that doesn't set them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Throws if this address is not allowed; counts the request otherwise. */
  admit(url: URL): void;
}

/** A standard `fetch` that sends no cookies, follows no redirects, and bounds time and size. */
export function createFetch({ dispatcher, headers: defaults = {}, admit }: FetchParts): EgressFetch {
  return async (input, { timeoutMs = limits.fetchMs, maxBytes = limits.fetchBytesMax, ...given } = {}) => {
    const url = parseUrl(input instanceof Request ? input.url : input);
    const init = input instanceof Request ? { ...initOf(input), ...given } : given;
    admit(url);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value);
    const body = await encodeForm(init.body, headers);
    const timeout = AbortSignal.timeout(Math.min(timeoutMs, libLimits.timerMsMax));
    const signal = init.signal == null ? timeout : AbortSignal.any([timeout, init.signal]);
    const response = await fetch(url, {
      ...init,
      ...body,
      headers: [...headers],
      signal,
      redirect: 'manual',
      dispatcher,
    }).catch((cause: unknown) => {
      throw describeFailure(url, cause, { timeout, timeoutMs, signal: init.signal });
    });
    const isRedirect = redirectStatuses.has(response.status) && init.redirect !== 'manual';
    const error = isRedirect ? redirectError(url, response.status) : undefined;
    return limitBody(response, { url, maxBytes, error });
  };
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

function redirectError({ origin }: URL, status: number): EgressError {
  return new EgressError(
    'EGRESS_REDIRECT',
    `${origin} answered with a redirect (${status}), which Weir does not follow; use the final address`,
  );
}

function initOf({ method, headers, body, signal }: Request): RequestInit {
  return { method, headers, signal, ...(body !== null && { body, duplex: 'half' }) };
}

function parseUrl(address: string | URL): URL {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new TypeError('fetch needs an absolute http or https address');
  if (url.username !== '' || url.password !== '')
    throw new TypeError(
      'the address for fetch must not contain a user or password; send an authorization header',
    );
  return url;
}

/** undici's fetch does not know the forms of Node.js, so they are encoded by Node.js. */
async function encodeForm(
  body: EgressRequest['body'],
  headers: Headers,
): Promise<{ readonly body?: Uint8Array }> {
  if (!(body instanceof FormData)) return {};
  const encoded = new Response(body);
  headers.set('content-type', encoded.headers.get('content-type') ?? '');
  return { body: new Uint8Array(await encoded.arrayBuffer()) };
}

interface FailureContext {
  readonly timeout: AbortSignal;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | null | undefined;
}

/** The caller's own abort stays what it is; `fetch failed` of undici becomes its cause. */
function describeFailure(
  { origin }: URL,
  failure: unknown,
  { timeout, timeoutMs, signal }: FailureContext,
): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (timeout.aborted)
    return new EgressError('EGRESS_TIMEOUT', `${origin} did not answer within ${timeoutMs} ms`);
  const cause = failure instanceof TypeError && failure.cause !== undefined ? failure.cause : failure;
  if (cause instanceof EgressError) return cause;
  const { code = cause } = Object(cause);
  return new EgressError('EGRESS_UNREACHABLE', `${origin} could not be reached (${code})`, { cause });
}
