import { GatewayError } from '../kernel/errors.ts';
import { bytesWithoutSecrets, errorWithoutSecrets } from '../kernel/hidden-secrets.ts';
import { limits } from '../kernel/limits.ts';
import type { ErrorEvent, ReplyEvent } from '../kernel/message.ts';
import type { Raw } from '../kernel/reply/relayed.ts';
import { FirstBytes } from './first-bytes.ts';
import { resumed } from './resumed.ts';
import { toldFailure } from './told-failure.ts';

/**
 * Waits until a streamed answer has begun: its first content is there, or it has been silent for a while. An error
 * before that is thrown with everything the provider sent, so that the call can still be made again elsewhere. What
 * begins like one document is one, whatever it is called; a client that wants no stream needs no sign before that is known.
 */
export async function begun(raw: Raw, wantsStream: boolean): Promise<Raw> {
  const decoder = raw.wire.replyDecoder(raw.framing, 'everything');
  const firstBytes = new FirstBytes();
  let seen: ReturnType<FirstBytes['read']>;
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  const { promise: timeout, stop } = timer(limits.commitWaitMs);
  try {
    while (heldBytes < limits.commitBytesMax) {
      const coming = raw.body.next();
      const due = wantsStream || seen !== undefined ? [coming, timeout] : [coming];
      const chunk = coming instanceof Promise ? await Promise.race(due) : coming;
      if (chunk === 'time') return { ...raw, body: resumed(held, raw.body, coming) };
      if (chunk !== undefined) held.push(chunk);
      heldBytes += chunk?.byteLength ?? 0;
      if (chunk !== undefined) seen ??= firstBytes.read(chunk);
      if (seen === 'json') return { ...raw, framing: seen, body: resumed(held, raw.body) };
      const first = (chunk === undefined ? decoder.end() : decoder.push(chunk)).find(decides);
      if (first?.type === 'error') throw await failure(raw, held, first);
      if (first !== undefined) break;
      if (chunk === undefined) throw nothing(raw, held);
    }
    return { ...raw, body: resumed(held, raw.body) };
  } catch (failure) {
    raw.body.cancel();
    throw failure;
  } finally {
    stop();
  }
}

function decides(event: ReplyEvent): boolean {
  return event.type !== 'message_start' && event.type !== 'ping';
}

/** With what the provider still says: it ends after its error, if need be by a cut, or isn't waited for. */
async function failure(raw: Raw, held: Uint8Array[], told: ErrorEvent): Promise<GatewayError> {
  const { promise: timeout, stop } = timer(limits.errorTailMs);
  for (let bytes = 0; bytes <= limits.errorBodyBytesMax; ) {
    const chunk = await Promise.race([raw.body.next(), timeout]).catch(() => undefined);
    if (chunk === undefined || chunk === 'time') break;
    held.push(chunk);
    bytes += chunk.byteLength;
  }
  stop();
  return toldFailure(errorWithoutSecrets(told, raw.secrets ?? []), { upstream: answered(raw, held) });
}

function nothing(raw: Raw, held: readonly Uint8Array[]): GatewayError {
  return new GatewayError('upstream_broken', 'the provider ended its answer before it began', {
    upstream: answered(raw, held),
  });
}

/** For a client of the same format, who gets it as it came. */
function answered({ wire, status, headers, secrets = [] }: Raw, held: readonly Uint8Array[]) {
  return { wire, status, headers, bytes: bytesWithoutSecrets(Buffer.concat(held), secrets) };
}

function timer(ms: number): { promise: Promise<'time'>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<'time'>();
  // After a long task of our own more may have come that is not read yet: it is, before the immediate runs.
  const timeout = setTimeout(() => setImmediate(resolve, 'time'), ms);
  return { promise, stop: () => clearTimeout(timeout) };
}
