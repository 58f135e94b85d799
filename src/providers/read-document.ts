import type { ReplyEvent } from '../kernel/message.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { limits } from './limits.ts';
import { prependChunks } from './prepend-chunks.ts';

export interface ReadDocument {
  /** The response, whose body is still to be read. */
  readonly response: ProviderResponse;
  /** What the document says; undefined if it is longer than any error or refusal. */
  readonly events: readonly ReplyEvent[] | undefined;
}

/** Reads a document before anything of it goes to the client. */
export async function readDocument(providerResponse: ProviderResponse): Promise<ReadDocument> {
  const { body, wire, framing } = providerResponse;
  const buffered: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    buffered.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > limits.errorBodyBytesMax) break;
  }
  const decoder = wire.replyDecoder(framing, 'everything');
  const events =
    bytes > limits.errorBodyBytesMax
      ? undefined
      : [...buffered.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  return { response: { ...providerResponse, body: prependChunks(buffered, body) }, events };
}
