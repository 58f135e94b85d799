import type { ReplyEvent } from '../kernel/message.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { limits } from './limits.ts';
import { prependChunks } from './prepend-chunks.ts';

/** Whether an event says that the model refuses to answer. */
export function isRefusal(event: ReplyEvent): boolean {
  if (event.type === 'message_delta') return event.delta.stop_reason === 'refusal';
  return (
    event.type === 'content_block_start' &&
    event.content_block.type === 'text' &&
    event.content_block.refusal === true
  );
}

/** Reads a whole document to see whether the model refuses to answer. A very long one is no refusal. */
export async function readRefusal(
  response: ProviderResponse,
): Promise<{ readonly response: ProviderResponse; readonly isRefused: boolean }> {
  const buffered: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= limits.errorBodyBytesMax) {
    const chunk = await response.body.next();
    if (chunk === undefined) break;
    buffered.push(chunk);
    bytes += chunk.byteLength;
  }
  const isWhole = bytes <= limits.errorBodyBytesMax;
  const decoder = response.wire.replyDecoder(response.framing, 'everything');
  const events = isWhole ? [...buffered.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()] : [];
  const isRefused = events.some(isRefusal);
  return { response: { ...response, body: prependChunks(buffered, response.body) }, isRefused };
}
