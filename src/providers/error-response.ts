import { type ErrorDetails, GatewayError } from '../kernel/errors.ts';
import type { Target } from '../kernel/provider.ts';
import { redactBytes } from '../kernel/redact-secrets.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import type { SignedRequest } from '../kernel/signing.ts';
import { systemClock } from '../lib/clock.ts';
import { parseGoDuration } from '../lib/duration.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import { contextOverflowCode, isContextOverflow, withOverflowPhrase } from '../wire/context-overflow.ts';
import { parseProviderError } from '../wire/provider-error.ts';
import { limits } from './limits.ts';

const oversizedBody = `a body larger than ${limits.errorBodyBytesMax} bytes`;

/** A fully read response. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
}

/** Reads a small response, such as a token count. */
export async function readWholeResponse(
  providerResponse: ProviderResponse,
  { provider }: Target,
): Promise<WholeResponse> {
  const { status, headers } = providerResponse;
  const bytes = await readWholeBody(providerResponse);
  if (bytes === undefined)
    throw new GatewayError('upstream_broken', `${provider.title} answered ${status} with ${oversizedBody}`);
  return { status, headers, bytes };
}

/** Turns an error response into an error: clients of the same format get its body, others its message. */
export async function readErrorResponse(
  providerResponse: ProviderResponse,
  target: Target,
  { secrets, onUnauthorized }: SignedRequest,
): Promise<GatewayError> {
  const { wire, status, headers } = providerResponse;
  if (status === 401) onUnauthorized?.();
  const answered = `${target.provider.title} answered ${status}`;
  if (status < 400) return redirectError(providerResponse, target);
  const original = await readWholeBody(providerResponse);
  if (original === undefined) return new GatewayError('upstream_broken', `${answered} with ${oversizedBody}`);
  const bytes = redactBytes(original, secrets);
  const providerError = parseProviderError(bytes);
  const tooLong = providerError !== undefined && isContextOverflow({ ...providerError, status });
  const quote = providerError?.message.slice(0, limits.quotedTextMax) ?? '';
  const code = providerError?.code ?? awsErrorCode(headers);
  const suffix = quote === '' ? '' : `: ${tooLong ? withOverflowPhrase(quote) : quote}`;
  return new GatewayError('upstream_error', answered + suffix, {
    status,
    ...(providerError?.retryAfterSeconds !== undefined && {
      retryAfterSeconds: providerError.retryAfterSeconds,
    }),
    ...retryDetails(status, headers),
    ...(code !== undefined && { providerCode: code }),
    ...(providerError?.type !== undefined && { providerType: providerError.type }),
    ...(tooLong && { providerCode: contextOverflowCode }),
    ...(providerError?.param !== undefined && { param: providerError.param }),
    ...(providerError?.keyProblem !== undefined && { keyProblem: providerError.keyProblem }),
    ...(target.provider.hasOwnErrorFormat !== true && { upstream: { wire, status, headers, bytes } }),
  });
}

/** Following a redirect would send the call and its credentials past this gateway. */
function redirectError(
  { status, body }: ProviderResponse,
  { provider: { name, title } }: Target,
): GatewayError {
  body.cancel();
  return new GatewayError(
    'upstream_broken',
    `${title} answered with a redirect (${status}), which the gateway does not follow; WEIR_${name.toUpperCase()}_BASE_URL may be wrong`,
  );
}

/** Amazon sends the error code in a header: `ThrottlingException:http://internal.amazon.com/…`. */
function awsErrorCode(headers: HeaderList): string | undefined {
  return /^\w{1,64}/.exec(headerOf(headers, 'x-amzn-errortype') ?? '')?.[0];
}

/** Undefined if it is larger than any error message. */
async function readWholeBody({ body }: ProviderResponse): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes <= limits.errorBodyBytesMax) continue;
    body.cancel();
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Whether and when to retry: seconds, milliseconds or a date; without them, when a used-up limit is reset. */
function retryDetails(status: number, headers: HeaderList): ErrorDetails {
  const after = headerOf(headers, 'retry-after');
  const afterMs = headerOf(headers, 'retry-after-ms');
  const should = headerOf(headers, 'x-should-retry');
  const stated = afterMs === undefined ? parseRetryAfter(after) : Number(afterMs) / 1000;
  const seconds = Number.isFinite(stated) || status !== 429 ? stated : secondsUntilReset(headers);
  return {
    ...(Number.isFinite(seconds) && { retryAfterSeconds: Math.max(0, seconds) }),
    ...((should === 'true' || should === 'false') && { shouldRetry: should === 'true' }),
  };
}

function parseRetryAfter(after: string | undefined): number {
  if (after === undefined || after.trim() === '') return Number.NaN;
  const seconds = Number(after);
  return Number.isNaN(seconds) ? (Date.parse(after) - systemClock.now()) / 1000 : seconds;
}

/** Anthropic names the time of the reset, OpenAI and its followers the time until then: `6m0s`, `250ms`. */
const limitHeaders = [
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((kind) => ({
    remaining: `anthropic-ratelimit-${kind}-remaining`,
    reset: `anthropic-ratelimit-${kind}-reset`,
  })),
  ...['requests', 'tokens'].map((kind) => ({
    remaining: `x-ratelimit-remaining-${kind}`,
    reset: `x-ratelimit-reset-${kind}`,
  })),
];

/** The longest time of those limits of which nothing is left; NaN if none is named. */
function secondsUntilReset(headers: HeaderList): number {
  const waits = limitHeaders
    .filter(({ remaining }) => headerOf(headers, remaining)?.trim() === '0')
    .map(({ reset }) => headerOf(headers, reset) ?? '')
    .map((text) => parseGoDuration(text) ?? parseRetryAfter(text))
    .filter((seconds) => Number.isFinite(seconds));
  return waits.length === 0 ? Number.NaN : Math.max(...waits);
}
