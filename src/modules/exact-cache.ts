import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseDuration } from '../kernel/duration.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type Exchange, type Received, scopeOf } from '../kernel/exchange.ts';
import { headerOf } from '../kernel/headers.ts';
import { canonicalJson, isJsonObject, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import { defineModule, type Module } from '../kernel/module.ts';
import { packRecording, type Recording, unpackRecording } from '../kernel/reply/recording.ts';

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
  /** Requests that are the same byte for byte have the same key, which then needn't be worked out again. */
  const known = new Lru<string>(limits.cacheKeysKept);

  function keyFor(exchange: Exchange, credential: string): string {
    if (!exchange.untouched) return keyOf(exchange, credential);
    const name = nameOf(exchange, credential);
    const found = known.get(name);
    if (found !== undefined) return found;
    const key = keyOf(exchange, credential);
    known.set(name, key);
    return key;
  }

  /** Bytes that are kept in this process are the same each time. */
  const open = new WeakMap<Uint8Array, Kept>();

  function opened(bytes: Uint8Array | undefined): Kept | undefined {
    if (bytes === undefined) return undefined;
    const known = open.get(bytes);
    if (known !== undefined) return known;
    const kept = unpacked(bytes);
    open.set(bytes, kept);
    return kept;
  }

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
      const key = keyFor(exchange, kit.fingerprint(exchange));
      const flight = `${scopeOf(exchange.caller)} ${key}`;
      const look = async () => {
        const kept = opened(await kit.store.get(key));
        return kept !== undefined && isFitting(kept, exchange) ? kept.recording : undefined;
      };
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

interface Kept {
  /** How the client wanted its stream laid out. */
  readonly layout: string;
  readonly recording: Recording;
}

/** A line with the layout, then the recording. */
function packed(recording: Recording, { received }: Exchange): Uint8Array {
  return Buffer.concat([Buffer.from(`${layoutOf(received)}\n`), packRecording(recording)]);
}

function unpacked(bytes: Uint8Array): Kept {
  const lineEnd = bytes.indexOf(10);
  const layout = Buffer.from(bytes.subarray(0, lineEnd)).toString('utf8');
  return { layout, recording: unpackRecording(bytes.subarray(lineEnd + 1)) };
}

/** A recorded stream is for clients that want it laid out as it is: without a frame that they count on, or don't expect. */
function isFitting({ layout, recording }: Kept, { received }: Exchange): boolean {
  return recording.framing === 'json' || !received.streamed || layout === layoutOf(received);
}

function layoutOf({ body }: Received): string {
  return canonicalJson(body.stream_options ?? null);
}

/** Everything that can change the answer, and nothing else; the account is in the shelf's own name. */
function keyOf(exchange: Exchange, credential: string): string {
  const { target, received } = exchange;
  const { wire, headers, query } = received;
  const parts = [
    target.provider.name,
    target.provider.baseUrl,
    target.model,
    credential,
    wire.name,
    query,
    wire.variantHeaders.map((name) => headerOf(headers, name) ?? ''),
    meaning(received.body, wire.bookkeeping),
    exchange.untouched ? null : meaning({ ...exchange.request }, ['metadata']),
    reframes(exchange) ? null : received.streamed,
  ];
  return hash('sha256', canonicalJson(parts), 'base64url');
}

/** The same only for requests that have the same key: all that the key is made of, as it came. */
function nameOf({ target, received }: Exchange, credential: string): string {
  const { wire, headers, query, bytes } = received;
  const variants = wire.variantHeaders.map((name) => headerOf(headers, name) ?? '').join('\n');
  const { provider, model } = target;
  return `${hash('sha256', bytes, 'base64url')}\n${provider.name}\n${provider.baseUrl}\n${model}\n${credential}\n${wire.name}\n${query}\n${variants}`;
}

/** A request without what doesn't change the answer: its framing, bookkeeping and cache markers. */
function meaning(body: JsonObject, bookkeeping: readonly string[]): JsonObject {
  const aside = new Set(['model', 'stream', 'cache_control', ...bookkeeping]);
  const fields = Object.entries(body).filter(([field]) => !aside.has(field));
  return Object.fromEntries(fields.map(([field, value]) => [field, unmarked(value)]));
}

/** Markers stand on tools, on messages and on what these contain; not inside of what a tool is given. */
function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmarked);
  if (!isJsonObject(value)) return value;
  const { cache_control: _, ...rest } = value;
  return {
    ...rest,
    ...('content' in rest && { content: unmarked(rest.content) }),
    ...('function' in rest && { function: unmarked(rest.function) }),
  };
}

/** Whether nothing is lost between a stream and a whole answer: what only its own format can say may be. */
function reframes({ request, received }: Exchange): boolean {
  const { wire } = received;
  if (wire.continuation !== undefined) return false;
  const own = Object.values(request.extensions ?? {}).flatMap((fields) => Object.keys(fields));
  return (
    own.every((field) => wire.bookkeeping.includes(field)) &&
    request.tools?.some((tool) => tool.type === 'foreign') !== true
  );
}
