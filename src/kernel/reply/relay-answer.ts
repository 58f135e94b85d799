import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { GatewayError } from '../errors.ts';
import type { Exchange } from '../exchange.ts';
import { limits } from '../limits.ts';
import { Reply } from './reply.ts';
import { type Source, sourceFromValue } from './source.ts';

/** Reads the whole answer of a relay, which has to be a JSON object. */
export async function readRelayAnswer(reply: Reply, exchange: Exchange): Promise<JsonObject> {
  try {
    return await readJson(relayBytes(reply, exchange), exchange.clientRequest);
  } finally {
    if (!reply.ended) await reply.discard();
  }
}

/** The bytes of a relay's answer as they arrive. */
export function relayBytes(reply: Reply, { clientRequest }: Exchange): Source<Uint8Array> {
  const bytes = reply.bytes(clientRequest.wire, reply.framing ?? 'json', clientRequest);
  return { next: bytes.pull, cancel: () => void bytes.stop() };
}

/** An answer of a relay. */
export function relayAnswer(answer: JsonObject, { clientRequest }: Exchange): Reply {
  return Reply.relay({
    wire: clientRequest.wire,
    framing: 'json',
    status: 200,
    headers: ['content-type', 'application/json'],
    body: sourceFromValue(Buffer.from(JSON.stringify(answer))),
  });
}

/** Reads a JSON object in the memory of the call. */
export async function readJson(
  source: Source<Uint8Array>,
  memory: { reserveMemory(bytes: number): void },
): Promise<JsonObject> {
  const bytes = await readBytes(source, memory, limits.readAnswerBytesMax);
  try {
    const answer: unknown = JSON.parse(bytes.toString('utf8'));
    if (isJsonObject(answer)) return answer;
  } catch {
    // The error below says the same.
  }
  throw new GatewayError('upstream_broken', 'the provider response is no JSON object');
}

/** Reads bytes in the memory of the call. */
export async function readBytes(
  source: Source<Uint8Array>,
  memory: { reserveMemory(bytes: number): void },
  bytesMax = limits.readStreamBytesMax,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      source.cancel();
      throw new GatewayError(
        'upstream_broken',
        `the provider response is larger than ${bytesMax} bytes; ask for less in one call`,
      );
    }
    memory.reserveMemory(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
