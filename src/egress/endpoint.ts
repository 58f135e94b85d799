import type { buildConnector, Dispatcher, Pool } from 'undici';
import { limits } from '../lib/limits.ts';
import type { Tally } from './destinations.ts';
import { EgressError } from './egress-error.ts';
import { OutboundWebSocket, type OutboundWebSocketOptions } from './outbound-websocket.ts';

interface EndpointParts {
  readonly pool: Pool;
  readonly address: URL;
  readonly tally: Tally;
  /** How long the server may be silent during a response. */
  readonly silenceMs: number;
  /** Makes connections for WebSockets. */
  readonly connect: buildConnector.connector;
}

interface PostOptions {
  /** A path of the host, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent without a copy: it must not change until the response is there. */
  readonly body: Uint8Array;
  readonly timeoutMs: number;
  /** The maximum size of the response. */
  readonly maxBytes: number;
}

export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Empty if it is too large, or was not received. */
  readonly body: Uint8Array;
}

/** An address with its connections. */
export class Endpoint {
  /** With its port if that is an unusual one. */
  readonly host: string;
  /** Prefix of the API's paths. */
  readonly basePath: string;
  readonly silenceMs: number;
  readonly #parts: EndpointParts;
  readonly #webSockets = new Set<OutboundWebSocket>();

  constructor(parts: EndpointParts) {
    this.#parts = parts;
    this.host = parts.address.host;
    this.basePath = parts.address.pathname.replace(/\/$/, '');
    this.silenceMs = parts.silenceMs;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#parts.tally.requests++;
    this.#parts.pool.dispatch(options, handler);
  }

  /** One request with a response that is short. Redirects are responses like others. */
  async post({ path, headers, body, timeoutMs, maxBytes }: PostOptions): Promise<PostResponse> {
    const { pool, tally, address } = this.#parts;
    tally.requests++;
    const signal = AbortSignal.timeout(Math.min(timeoutMs, limits.timerMsMax));
    try {
      const response = await pool.request({ method: 'POST', path, headers, body, signal });
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        body: await readShort(response.body, maxBytes).catch(() => new Uint8Array(0)),
      };
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new EgressError('EGRESS_TIMEOUT', `${address.origin} did not answer within ${timeoutMs} ms`);
    }
  }

  /** `path` is a path of this host. */
  openWebSocket(
    path: string,
    { onClose, ...options }: Omit<OutboundWebSocketOptions, 'url'>,
  ): OutboundWebSocket {
    const { address, tally, connect } = this.#parts;
    tally.requests++;
    const webSocket = new OutboundWebSocket(
      {
        ...options,
        url: new URL(path, address.origin),
        onClose: (cause, closing) => {
          this.#webSockets.delete(webSocket);
          onClose(cause, closing);
        },
      },
      connect,
    );
    this.#webSockets.add(webSocket);
    return webSocket;
  }

  /** Responses in flight still complete. */
  close(): Promise<void> {
    return this.#parts.pool.close();
  }

  /** Ends open responses, too. */
  destroy(): Promise<void> {
    for (const webSocket of this.#webSockets) webSocket.close();
    return this.#parts.pool.destroy();
  }
}

/** Empty for more than the maximum. */
async function readShort(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > maxBytes) return new Uint8Array(0);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
