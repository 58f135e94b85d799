import { type Channel, type ChannelEvents, closedError } from './channel-transport.ts';
import { readEvents } from './event-stream.ts';
import type { HttpTransportParts } from './http-transport.ts';
import { limits } from './limits.ts';
import { failedError, HttpFailure } from './server-errors.ts';

/** HTTP as revision 2024-11-05 has it: one stream of events, which first names the address that messages are sent to. */
export async function openSseChannel(
  parts: HttpTransportParts,
  { onBytes, onClose }: ChannelEvents,
): Promise<Channel> {
  const { server, url, credential } = parts;
  const closing = new AbortController();
  const response = await parts.fetch(url, {
    headers: { ...(await credential()).headers, accept: 'text/event-stream' },
    signal: closing.signal,
    timeoutMs: limits.requestMsMax,
    maxBytes: limits.responseBytesMax,
  });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || !type.startsWith('text/event-stream') || response.body === null) {
    await response.body?.cancel();
    throw new HttpFailure({ status: response.status, rpc: undefined, challenge: undefined });
  }
  const { promise: address, resolve, reject } = Promise.withResolvers<URL>();
  const body = response.body;
  const read = async () => {
    for await (const { name, data } of readEvents(server, body)) {
      if (name === 'endpoint') resolve(endpointIn(server, url, Buffer.from(data).toString('utf8')));
      else if (name === 'message' && data.byteLength > 0) onBytes(data);
    }
  };
  const end = () => onClose(closedError(server, 'ended its stream'));
  read().then(end, (error: unknown) => {
    reject(error);
    end();
  });
  const timer = setTimeout(
    () => reject(failedError(server, 'does not say where messages are sent to')),
    limits.negotiationMs,
  );
  const endpoint = await address
    .catch((error: unknown) => {
      closing.abort(error);
      throw error;
    })
    .finally(() => clearTimeout(timer));
  return {
    async send(message, signal) {
      const sent = await parts.fetch(endpoint, {
        method: 'POST',
        headers: { ...(await credential()).headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal,
        timeoutMs: limits.negotiationMs,
        maxBytes: limits.errorBytesMax,
      });
      await sent.body?.cancel();
      if (!sent.ok) throw new HttpFailure({ status: sent.status, rpc: undefined, challenge: undefined });
    },
    async close() {
      closing.abort(new Error('the connection is closed'));
    },
  };
}

/** Credentials go to the origin that they were stored for, and to no other. */
function endpointIn(server: string, url: string, text: string): URL {
  const endpoint = URL.parse(text, url);
  if (endpoint?.origin === new URL(url).origin) return endpoint;
  throw failedError(server, 'sends messages to another origin than its own');
}
