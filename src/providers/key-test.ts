import type { Dispatcher } from 'undici';
import type { ProviderEgress } from '../egress/provider-egress.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Provider } from '../kernel/provider.ts';
import type { OutboundRequest, SigningContext } from '../kernel/signing.ts';
import type { Secret } from '../lib/secret.ts';
import { limits as wireLimits } from '../wire/limits.ts';
import { limits } from './limits.ts';
import { signRequest } from './sign-request.ts';

export interface KeyTestParts {
  readonly egress: ProviderEgress;
  readonly signing: SigningContext;
  readonly provider: Provider;
  /** Undefined for a provider that may need none. */
  readonly key?: Secret | undefined;
}

export interface KeyTestResult {
  readonly ok: boolean;
  /** Never the provider's text, which may quote the key. */
  readonly detail: string;
}

/** Tests whether a provider accepts a key, with a request that costs nothing. */
export async function testKey({ egress, signing, provider, key }: KeyTestParts): Promise<KeyTestResult> {
  const { title, keyTest, answerLocally } = provider;
  if (answerLocally !== undefined || keyTest === undefined)
    return { ok: true, detail: `${title} needs no key` };
  const signal = AbortSignal.timeout(limits.keyTestMs);
  const { path, headers = [] } = keyTest;
  const outboundRequest: OutboundRequest = {
    provider,
    method: 'GET',
    path,
    headers: [...headers],
    body: emptyBody,
  };
  try {
    const signedRequest = await signRequest(outboundRequest, key, signing);
    const endpoint = egress.endpointFor(provider, signedRequest.baseUrl);
    const status = await new Promise<number>((resolve, reject) => {
      // Before there is a connection, undici doesn't report the abort.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      endpoint.dispatch(
        { method: 'GET', path: endpoint.basePath + signedRequest.path, headers: signedRequest.headers },
        createStatusHandler({ signal, resolve, reject }),
      );
    });
    const result = interpretStatus(title, status, keyTest.wrongKeyStatus);
    if (key !== undefined) return result;
    const detail = result.ok ? `${title} answers without a key` : `${title} answered ${status} without a key`;
    return { ok: result.ok, detail };
  } catch (thrown) {
    // Our own message, from before anything was sent.
    if (GatewayError.is(thrown)) return { ok: false, detail: thrown.message };
    const why = signal.aborted
      ? `did not answer within ${limits.keyTestMs / 1000} s`
      : 'could not be reached';
    return { ok: false, detail: `${title} ${why}` };
  }
}

const emptyBody = new Uint8Array(0);

function interpretStatus(title: string, status: number, refusedWith: number | undefined): KeyTestResult {
  if (status >= 200 && status < 300) return { ok: true, detail: `${title} accepts the key` };
  if (status === 401 || status === 403 || status === refusedWith)
    return { ok: false, detail: `${title} rejects the key (${status})` };
  return { ok: false, detail: `${title} answered ${status}, so the key could not be checked` };
}

interface StatusHandlerParts {
  readonly signal: AbortSignal;
  resolve(status: number): void;
  reject(cause: unknown): void;
}

function createStatusHandler({ signal, resolve, reject }: StatusHandlerParts): Dispatcher.DispatchHandler {
  let bytes = 0;
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('the request was aborted'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    },
    onResponseStart: (_, status) => resolve(status),
    onResponseData(controller, piece) {
      bytes += piece.length;
      if (bytes > wireLimits.frameBytesMax) controller.abort(new Error('the response is too large'));
    },
    onResponseEnd: () => undefined,
    onResponseError: (_, cause) => reject(cause),
  };
}
