import type { AttemptLimit } from '../kernel/attempt-limit.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { ErrorEvent, ReplyEvent } from '../kernel/message.ts';
import { redactBytes, redactErrorEvent } from '../kernel/redact-secrets.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { FramingSniffer } from './framing-sniffer.ts';
import { isRefusal } from './is-refusal.ts';
import { limits } from './limits.ts';
import { prependChunks } from './prepend-chunks.ts';
import { toProviderError } from './provider-error.ts';

/**
 * Waits for the first content of a stream, or until the provider has been silent for a while. Throws an error that comes
 * before that, with everything the provider sent, so that the call can still be retried elsewhere. A body that starts
 * like one document counts as one, whatever its content type. For a client that wants no stream, silence counts only
 * after that is known. An attempt with a limit of its own is waited for until then.
 */
export async function awaitFirstContent(
  providerResponse: ProviderResponse,
  { wantsStream, limit }: { readonly wantsStream: boolean; readonly limit: AttemptLimit | undefined },
): Promise<ProviderResponse> {
  const decoder = providerResponse.wire.replyDecoder(providerResponse.framing, 'everything');
  const framingSniffer = new FramingSniffer();
  let framing: ReturnType<FramingSniffer['sniff']>;
  const buffered: Uint8Array[] = [];
  let heldBytes = 0;
  const { promise: timeout, stop } = startTimer(limits.commitWaitMs);
  try {
    while (heldBytes < limits.commitBytesMax) {
      const pending = providerResponse.body.next();
      const endsInSilence = limit === undefined && (wantsStream || framing !== undefined);
      const due = endsInSilence ? [pending, timeout] : [pending];
      const chunk = await Promise.race(due);
      if (chunk === 'time')
        return { ...providerResponse, body: prependChunks(buffered, providerResponse.body, pending) };
      if (chunk !== undefined) buffered.push(chunk);
      heldBytes += chunk?.byteLength ?? 0;
      if (chunk !== undefined) framing ??= framingSniffer.sniff(chunk);
      if (framing === 'json')
        return { ...providerResponse, framing, body: prependChunks(buffered, providerResponse.body) };
      const first = (chunk === undefined ? decoder.end() : decoder.push(chunk)).find(isDecisive);
      if (first?.type === 'error') throw await readStreamError(providerResponse, buffered, first);
      if (first !== undefined && limit !== undefined) limit.isRefused = isRefusal(first);
      if (first !== undefined) break;
      if (chunk === undefined) throw emptyStreamError(providerResponse, buffered);
    }
    return { ...providerResponse, body: prependChunks(buffered, providerResponse.body) };
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

/** Includes the rest of the provider's stream, which ends after the error, is cut at a limit or is not waited for. */
async function readStreamError(
  providerResponse: ProviderResponse,
  buffered: Uint8Array[],
  errorEvent: ErrorEvent,
): Promise<GatewayError> {
  const { promise: timeout, stop } = startTimer(limits.errorTailMs);
  for (let bytes = 0; bytes <= limits.errorBodyBytesMax; ) {
    const chunk = await Promise.race([providerResponse.body.next(), timeout]).catch(() => undefined);
    if (chunk === undefined || chunk === 'time') break;
    buffered.push(chunk);
    bytes += chunk.byteLength;
  }
  stop();
  return toProviderError(redactErrorEvent(errorEvent, providerResponse.secrets ?? []), {
    upstream: upstreamResponse(providerResponse, buffered),
  });
}

function emptyStreamError(providerResponse: ProviderResponse, buffered: readonly Uint8Array[]): GatewayError {
  return new GatewayError('upstream_broken', 'the provider closed the stream before sending any content', {
    upstream: upstreamResponse(providerResponse, buffered),
  });
}

/** The unchanged response for a client of the same format. */
function upstreamResponse(
  { wire, status, headers, secrets = [] }: ProviderResponse,
  buffered: readonly Uint8Array[],
) {
  return { wire, status, headers, bytes: redactBytes(Buffer.concat(buffered), secrets) };
}

function startTimer(ms: number): { promise: Promise<'time'>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<'time'>();
  // After a long task of our own, unread data may have arrived: it is read before the immediate runs.
  const timeout = setTimeout(() => setImmediate(resolve, 'time'), ms);
  return { promise, stop: () => clearTimeout(timeout) };
}
