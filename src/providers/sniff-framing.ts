import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { FramingSniffer } from './framing-sniffer.ts';
import { limits } from './limits.ts';
import { prependChunks } from './prepend-chunks.ts';

/** A compressed response, with the framing that its first decompressed bytes show. */
export async function sniffFraming(providerResponse: ProviderResponse): Promise<ProviderResponse> {
  if (providerResponse.framing === 'sse' || providerResponse.status >= 300) return providerResponse;
  const framingSniffer = new FramingSniffer();
  const buffered: Uint8Array[] = [];
  for (let heldBytes = 0; heldBytes < limits.commitBytesMax; ) {
    const chunk = await providerResponse.body.next();
    if (chunk === undefined) break;
    buffered.push(chunk);
    heldBytes += chunk.byteLength;
    const sniffed = framingSniffer.sniff(chunk);
    if (sniffed === 'sse')
      return { ...providerResponse, framing: sniffed, body: prependChunks(buffered, providerResponse.body) };
    if (sniffed !== undefined) break;
  }
  return { ...providerResponse, body: prependChunks(buffered, providerResponse.body) };
}
