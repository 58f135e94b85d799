import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { ErrorEvent, ReplyEvent } from '../kernel/message.ts';
import { redactBytes, redactErrorEvent } from '../kernel/redact-secrets.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { FramingSniffer } from './framing-sniffer.ts';
import { prependChunks } from './prepend-chunks.ts';
import { toProviderError } from './provider-error.ts';

/**
 * Waits until a streamed answer has begun: its first content is there, or it has been silent for a while. An error
 * before that is thrown with everything the provider sent, so that the call can still be made again elsewhere. What
 * begins like one document is one, whatever it is called; a client that wants no stream needs no sign before that is known.
 */
export async function awaitFirstContent(
  providerResponse: ProviderResponse,
  wantsStream: boolean,
): Promise<ProviderResponse> {
  const decoder = providerResponse.wire.replyDecoder(providerResponse.framing, 'everything');
  const framingSniffer = new FramingSniffer();
  let seen: ReturnType<FramingSniffer['sniff']>;
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  const { promise: timeout, stop } = startTimer(limits.commitWaitMs);
  try {
    while (heldBytes < limits.commitBytesMax) {
      const coming = providerResponse.body.next();
      const due = wantsStream || seen !== undefined ? [coming, timeout] : [coming];
      const chunk = coming instanceof Promise ? await Promise.race(due) : coming;
      if (chunk === 'time')
        return { ...providerResponse, body: prependChunks(held, providerResponse.body, coming) };
      if (chunk !== undefined) held.push(chunk);
      heldBytes += chunk?.byteLength ?? 0;
      if (chunk !== undefined) seen ??= framingSniffer.sniff(chunk);
      if (seen === 'json')
        return { ...providerResponse, framing: seen, body: prependChunks(held, providerResponse.body) };
      const first = (chunk === undefined ? decoder.end() : decoder.push(chunk)).find(isDecisive);
      if (first?.type === 'error') throw await readStreamError(providerResponse, held, first);
      if (first !== undefined) break;
      if (chunk === undefined) throw emptyStreamError(providerResponse, held);
    }
    return { ...providerResponse, body: prependChunks(held, providerResponse.body) };
  } catch (failure) {
    providerResponse.body.cancel();
    throw failure;
  } finally {
    stop();
  }
}

function isDecisive(event: ReplyEvent): boolean {
  return event.type !== 'message_start' && event.type !== 'ping';
}

/** With what the provider still says: it ends after its error, if need be by a cut, or isn't waited for. */
async function readStreamError(
  providerResponse: ProviderResponse,
  held: Uint8Array[],
  told: ErrorEvent,
): Promise<GatewayError> {
  const { promise: timeout, stop } = startTimer(limits.errorTailMs);
  for (let bytes = 0; bytes <= limits.errorBodyBytesMax; ) {
    const chunk = await Promise.race([providerResponse.body.next(), timeout]).catch(() => undefined);
    if (chunk === undefined || chunk === 'time') break;
    held.push(chunk);
    bytes += chunk.byteLength;
  }
  stop();
  return toProviderError(redactErrorEvent(told, providerResponse.secrets ?? []), {
    upstream: upstreamResponse(providerResponse, held),
  });
}

function emptyStreamError(providerResponse: ProviderResponse, held: readonly Uint8Array[]): GatewayError {
  return new GatewayError('upstream_broken', 'the provider closed the stream before sending any content', {
    upstream: upstreamResponse(providerResponse, held),
  });
}

/** For a client of the same format, who gets it as it came. */
function upstreamResponse(
  { wire, status, headers, secrets = [] }: ProviderResponse,
  held: readonly Uint8Array[],
) {
  return { wire, status, headers, bytes: redactBytes(Buffer.concat(held), secrets) };
}

function startTimer(ms: number): { promise: Promise<'time'>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<'time'>();
  // After a long task of our own more may have come that is not read yet: it is, before the immediate runs.
  const timeout = setTimeout(() => setImmediate(resolve, 'time'), ms);
  return { promise, stop: () => clearTimeout(timeout) };
}
