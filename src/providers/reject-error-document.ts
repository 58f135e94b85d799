import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { redactErrorEvent } from '../kernel/redact-secrets.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { prependChunks } from './prepend-chunks.ts';
import { toProviderError } from './provider-error.ts';

/**
 * One document where a stream was asked for. It is there before anything goes to the client, so that what it says went
 * wrong, or a page of somebody in between, is an error with a status, which the call can still be made again after.
 */
export async function rejectErrorDocument(providerResponse: ProviderResponse): Promise<ProviderResponse> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await providerResponse.body.next();
    if (chunk === undefined) break;
    held.push(chunk);
    bytes += chunk.byteLength;
    // No error is as long as this.
    if (bytes > limits.errorBodyBytesMax)
      return { ...providerResponse, body: prependChunks(held, providerResponse.body) };
  }
  const decoder = providerResponse.wire.replyDecoder(providerResponse.framing, 'everything');
  const events = [...held.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  for (const event of events)
    if (event.type === 'error')
      throw toProviderError(redactErrorEvent(event, providerResponse.secrets ?? []));
  if (events.length === 0)
    throw new GatewayError('upstream_broken', "the provider's response contains no message");
  return { ...providerResponse, body: prependChunks(held, providerResponse.body) };
}
