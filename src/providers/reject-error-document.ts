import { GatewayError } from '../kernel/errors.ts';
import { redactErrorEvent } from '../kernel/redact-secrets.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { limits } from './limits.ts';
import { prependChunks } from './prepend-chunks.ts';
import { toProviderError } from './provider-error.ts';

/**
 * Reads a document that came instead of a stream before anything goes to the client, so that an error in it, or a page
 * from a proxy, becomes an error with a status and the call can be retried.
 */
export async function rejectErrorDocument(providerResponse: ProviderResponse): Promise<ProviderResponse> {
  const buffered: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await providerResponse.body.next();
    if (chunk === undefined) break;
    buffered.push(chunk);
    bytes += chunk.byteLength;
    // No error is this long.
    if (bytes > limits.errorBodyBytesMax)
      return { ...providerResponse, body: prependChunks(buffered, providerResponse.body) };
  }
  const decoder = providerResponse.wire.replyDecoder(providerResponse.framing, 'everything');
  const events = [...buffered.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  for (const event of events)
    if (event.type === 'error')
      throw toProviderError(redactErrorEvent(event, providerResponse.secrets ?? []));
  if (events.length === 0)
    throw new GatewayError('upstream_broken', "the provider's response contains no message");
  return { ...providerResponse, body: prependChunks(buffered, providerResponse.body) };
}
