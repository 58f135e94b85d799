import type { Dispatcher } from 'undici';
import type { Draft, Means } from '../kernel/departure.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { Provider } from '../kernel/provider.ts';
import type { Secret } from '../kernel/secret.ts';
import { departureOf } from './departure.ts';
import type { Egress } from './egress.ts';

export interface KeyTest {
  readonly egress: Egress;
  readonly means: Means;
  readonly provider: Provider;
  readonly key: Secret;
}

export interface TestedKey {
  readonly ok: boolean;
  /** In our words: what a provider says may quote the key. */
  readonly detail: string;
}

/** Whether a provider takes a key, by a call that costs nothing. */
export async function testKey({ egress, means, provider, key }: KeyTest): Promise<TestedKey> {
  const { title, keyTest, local } = provider;
  if (local !== undefined || keyTest === undefined) return { ok: true, detail: `${title} needs no key` };
  const signal = AbortSignal.timeout(limits.keyTestMs);
  const { path, headers = [] } = keyTest;
  const draft: Draft = { provider, method: 'GET', path, headers: [...headers], body: nothing };
  try {
    const departure = await departureOf(draft, key, means);
    const { pool, basePath } = egress.to(provider, departure.baseUrl);
    const status = await new Promise<number>((resolve, reject) => {
      // Without a connection nobody else would say that this is over.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      pool.dispatch(
        { method: 'GET', path: basePath + departure.path, headers: departure.headers },
        statusOnly({ signal, resolve, reject }),
      );
    });
    return judged(title, status, keyTest.refusedWith);
  } catch (thrown) {
    // In our words as well, and before anything was sent.
    if (GatewayError.is(thrown)) return { ok: false, detail: thrown.message };
    const why = signal.aborted ? `did not answer within ${limits.keyTestMs / 1000} s` : 'can not be reached';
    return { ok: false, detail: `${title} ${why}` };
  }
}

const nothing = new Uint8Array(0);

function judged(title: string, status: number, refusedWith: number | undefined): TestedKey {
  if (status >= 200 && status < 300) return { ok: true, detail: `${title} takes the key` };
  if (status === 401 || status === 403 || status === refusedWith)
    return { ok: false, detail: `${title} refuses the key (${status})` };
  return { ok: false, detail: `${title} answered ${status}, which says nothing of the key` };
}

interface Asking {
  readonly signal: AbortSignal;
  resolve(status: number): void;
  reject(cause: unknown): void;
}

function statusOnly({ signal, resolve, reject }: Asking): Dispatcher.DispatchHandler {
  let bytes = 0;
  return {
    onRequestStart(controller) {
      const abort = () => controller.abort(new Error('nobody waits for it any more'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    },
    onResponseStart: (_, status) => resolve(status),
    onResponseData(controller, piece) {
      bytes += piece.length;
      if (bytes > limits.frameBytesMax) controller.abort(new Error('its answer is too long'));
    },
    onResponseEnd: () => undefined,
    onResponseError: (_, cause) => reject(cause),
  };
}
