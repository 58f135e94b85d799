import { GatewayError } from '../kernel/errors.ts';
import { errorWithoutSecrets } from '../kernel/hidden-secrets.ts';
import { limits } from '../kernel/limits.ts';
import type { Raw } from '../kernel/reply/relayed.ts';
import { resumed } from './resumed.ts';
import { toldFailure } from './told-failure.ts';

/**
 * One document where a stream was asked for. It is there before anything goes to the client, so that what it says went
 * wrong, or a page of somebody in between, is an error with a status, which the call can still be made again after.
 */
export async function spoken(raw: Raw): Promise<Raw> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await raw.body.next();
    if (chunk === undefined) break;
    held.push(chunk);
    bytes += chunk.byteLength;
    // No error is as long as this.
    if (bytes > limits.errorBodyBytesMax) return { ...raw, body: resumed(held, raw.body) };
  }
  const decoder = raw.wire.replyDecoder(raw.framing, 'everything');
  const events = [...held.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  for (const event of events)
    if (event.type === 'error') throw toldFailure(errorWithoutSecrets(event, raw.secrets ?? []));
  if (events.length === 0)
    throw new GatewayError('upstream_broken', 'the provider sent an answer that has no message in it');
  return { ...raw, body: resumed(held, raw.body) };
}
