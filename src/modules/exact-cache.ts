import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseDuration } from '../kernel/duration.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type Exchange, type Received, scopeOf } from '../kernel/exchange.ts';
import { headerOf } from '../kernel/headers.ts';
import { canonicalJson } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Block, ChatRequest } from '../kernel/message.ts';
import { defineModule, type Module } from '../kernel/module.ts';
import { packRecording, type Recording, unpackRecording } from '../kernel/recording.ts';

const ttl = z
  .string()
  .transform((text, context) => {
    const seconds = parseDuration(text);
    if (seconds !== undefined && seconds >= 1 && seconds <= 30 * 86_400) return seconds;
    context.addIssue('must be a duration from 1s to 30d');
    return z.NEVER;
  })
  .describe('How long an answer is kept, from 1s to 30d')
  .prefault('1h');

const maxBytes = z.coerce
  .number('must be a number of bytes')
  .int()
  .min(1)
  .max(16 * 1024 * 1024)
  .describe('Larger answers are not kept')
  .default(1024 * 1024);

/** Stops that end an answer for good; one that was cut off or waits for more is not worth keeping. */
const naturalStops = new Set(['end_turn', 'stop_sequence', 'tool_use']);

/** Answers a request that was answered before from memory, and lets identical ones in flight wait for the first. */
export function createExactCache(): Module<{ ttl: number; max_bytes: number }> {
  const inFlight = new Map<string, Promise<void>>();

  function lead(key: string): () => void {
    if (inFlight.has(key)) return () => undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    inFlight.set(key, promise);
    return () => {
      inFlight.delete(key);
      resolve();
    };
  }

  return defineModule({
    name: 'exact-cache',
    summary: 'Answers identical requests from memory, streamed or not.',
    status: 'production',
    protective: false,
    ifBroken: 'skip',
    touches: ['reply'],
    options: z.strictObject({ ttl, max_bytes: maxBytes }),

    async handle(exchange, next, kit) {
      const directives = headerOf(exchange.received.headers, 'cache-control') ?? '';
      if (/\bno-(store|cache)\b/i.test(directives)) {
        kit.note({ bypass: true });
        return next(exchange);
      }
      const key = keyOf(exchange, kit.fingerprint(exchange));
      const flight = `${scopeOf(exchange.caller)} ${key}`;
      const look = async () => fitting(await kit.store.get(key), exchange);
      let found = await look();
      // Nothing may be waited for between this look and taking the lead, or two could take it.
      const ahead = found === undefined ? inFlight.get(flight) : undefined;
      // Once only: if the request ahead leaves nothing behind, its answer can't be kept, and everyone asks for themselves.
      if (ahead !== undefined && (await patiently(ahead, exchange))) found = await look();
      if (found !== undefined) {
        kit.note({ hit: true });
        return kit.replay(found);
      }
      kit.note({ miss: true });
      const release = lead(flight);
      try {
        const reply = await next(exchange);
        let stop: string | null | undefined;
        reply.tap((event) => {
          if (event.type === 'message_delta') stop = event.delta.stop_reason ?? stop;
        }, 'milestones');
        reply.record(kit.options.max_bytes, async (recording) => {
          if (reply.status === 200 && stop != null && naturalStops.has(stop))
            await kit.store.put(key, packed(recording, exchange), kit.options.ttl);
        });
        return reply.onEnd(release);
      } catch (error) {
        release();
        throw error;
      }
    },
  });
}

/** False when the wait was too long. */
async function patiently(ahead: Promise<void>, { signal }: Exchange): Promise<boolean> {
  const enough = new AbortController();
  const timer = sleep(limits.singleFlightWaitMs, false, { signal: AbortSignal.any([signal, enough.signal]) });
  try {
    return await Promise.race([ahead.then(() => true), timer]);
  } catch (cause) {
    throw new GatewayError('client_gone', 'the client closed the connection', { cause });
  } finally {
    timer.catch(() => undefined);
    enough.abort();
  }
}

/** A line that says how the client wanted its stream laid out, then the recording. */
function packed(recording: Recording, { received }: Exchange): Uint8Array {
  return Buffer.concat([Buffer.from(`${layoutOf(received)}\n`), packRecording(recording)]);
}

/** A recorded stream is for clients that want it laid out as it is: without a frame that they count on, or don't expect. */
function fitting(kept: Uint8Array | undefined, { received }: Exchange): Recording | undefined {
  if (kept === undefined) return undefined;
  const lineEnd = kept.indexOf(10);
  const recording = unpackRecording(kept.subarray(lineEnd + 1));
  if (recording.framing === 'json' || !received.streamed) return recording;
  const layout = Buffer.from(kept.subarray(0, lineEnd)).toString('utf8');
  return layout === layoutOf(received) ? recording : undefined;
}

function layoutOf({ body }: Received): string {
  return canonicalJson(body.stream_options ?? null);
}

/** Everything that can change the answer, and nothing else; the account is in the shelf's own name. */
function keyOf({ request, target, received }: Exchange, credential: string): string {
  const variants = received.wire.variantHeaders.map((name) => headerOf(received.headers, name) ?? '');
  const parts = [
    target.provider.name,
    target.provider.baseUrl,
    target.model,
    credential,
    received.query,
    variants,
    meaning(request),
  ];
  return createHash('sha256').update(canonicalJson(parts)).digest('base64url');
}

/** The request without what doesn't change the answer: framing, bookkeeping and cache markers. */
function meaning(request: ChatRequest): unknown {
  const { stream, metadata, model, messages, system, tools, ...rest } = request;
  return {
    ...withoutMarker(rest),
    // What only its own format can say may be lost between a stream and a whole answer.
    stream: request.extensions === undefined ? undefined : stream === true,
    messages: messages.map((message) => ({ ...message, content: unmarked(message.content) })),
    system: system === undefined ? undefined : unmarked(system),
    tools: tools?.map((tool) => withoutMarker(tool)),
  };
}

function unmarked(content: string | readonly Block[]): unknown {
  if (typeof content === 'string') return content;
  return content.map((block) => {
    const plain = withoutMarker(block);
    return block.type === 'tool_result' && block.content !== undefined
      ? { ...plain, content: unmarked(block.content) }
      : plain;
  });
}

function withoutMarker(marked: object): object {
  return 'cache_control' in marked ? { ...marked, cache_control: undefined } : marked;
}
