import { systemClock } from '../kernel/clock.ts';
import type { Departure } from '../kernel/departure.ts';
import { type ErrorDetails, GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerOf } from '../kernel/headers.ts';
import { bytesWithoutSecrets } from '../kernel/hidden-secrets.ts';
import { limits } from '../kernel/limits.ts';
import type { Target } from '../kernel/provider.ts';
import type { Raw } from '../kernel/reply/relayed.ts';
import { contextOverflow, isContextOverflow, overflowWords } from '../wire/context-overflow.ts';
import { readError } from '../wire/read-error.ts';

/** An answer that was read to its end. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
}

/** A small answer, such as a count. */
export async function whole(raw: Raw, { provider }: Target): Promise<WholeAnswer> {
  const { status, headers } = raw;
  const bytes = await wholeBody(raw);
  if (bytes === undefined)
    throw new GatewayError('upstream_broken', `${provider.title} answered ${status} with an endless body`);
  return { status, headers, bytes };
}

/** A provider's refusal with its whole body, for a client of its format to get as it came, and in words for others. */
export async function refused(
  raw: Raw,
  target: Target,
  { secrets, refused: tell }: Departure,
): Promise<GatewayError> {
  const { wire, status, headers } = raw;
  if (status === 401) tell?.();
  const answered = `${target.provider.title} answered ${status}`;
  if (status < 400) return sentElsewhere(raw, target);
  const came = await wholeBody(raw);
  if (came === undefined) return new GatewayError('upstream_broken', `${answered} with an endless body`);
  const bytes = bytesWithoutSecrets(came, secrets);
  const said = readError(bytes);
  const tooLong = said !== undefined && isContextOverflow({ ...said, status });
  const quote = said?.message.slice(0, limits.quotedTextMax) ?? '';
  const code = said?.code ?? codeIn(headers);
  const words = quote === '' ? '' : `: ${tooLong ? overflowWords(quote) : quote}`;
  return new GatewayError('upstream_error', answered + words, {
    status,
    ...(said?.retryAfterSeconds !== undefined && { retryAfterSeconds: said.retryAfterSeconds }),
    ...retryOf(headers),
    ...(code !== undefined && { toldCode: code }),
    ...(tooLong && { toldCode: contextOverflow }),
    ...(said?.param !== undefined && { param: said.param }),
    ...(target.provider.ownErrors !== true && { upstream: { wire, status, headers, bytes } }),
  });
}

/** Whoever followed would take the call past this gateway, with credentials that are for it. */
function sentElsewhere({ status, body }: Raw, { provider: { name, title } }: Target): GatewayError {
  body.cancel();
  return new GatewayError(
    'upstream_broken',
    `${title} answered ${status} and sends elsewhere, where nobody is followed; WEIR_${name.toUpperCase()}_BASE_URL may need another address`,
  );
}

/** Amazon says in a header what others say in the body: `ThrottlingException:http://internal.amazon.com/…`. */
function codeIn(headers: HeaderList): string | undefined {
  return /^\w{1,64}/.exec(headerOf(headers, 'x-amzn-errortype') ?? '')?.[0];
}

/** Undefined where it is larger than any error message. */
async function wholeBody({ body }: Raw): Promise<Uint8Array | undefined> {
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

/** When to come again, and whether: a number of seconds, of milliseconds, or a date. */
function retryOf(headers: HeaderList): ErrorDetails {
  const after = headerOf(headers, 'retry-after');
  const afterMs = headerOf(headers, 'retry-after-ms');
  const should = headerOf(headers, 'x-should-retry');
  const seconds = afterMs === undefined ? secondsOf(after) : Number(afterMs) / 1000;
  return {
    ...(Number.isFinite(seconds) && { retryAfterSeconds: Math.max(0, seconds) }),
    ...((should === 'true' || should === 'false') && { shouldRetry: should === 'true' }),
  };
}

function secondsOf(after: string | undefined): number {
  if (after === undefined || after.trim() === '') return Number.NaN;
  const seconds = Number(after);
  return Number.isNaN(seconds) ? (Date.parse(after) - systemClock.now()) / 1000 : seconds;
}
