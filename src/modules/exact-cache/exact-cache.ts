import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  canonicalJson,
  type Exchange,
  GatewayError,
  type ModuleMaker,
  packRecording,
  parseDuration,
  type Received,
  type Recording,
  unpackRecording,
} from '../../module-api.ts';

/** A request that waits for an identical one in flight goes on by itself after this. */
const singleFlightWaitMs = 60_000;

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
export const exactCache: ModuleMaker<{ ttl: number; max_bytes: number }> = () => {
  const inFlight = new Map<string, Promise<void>>();
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

  function lead(flight: string): () => void {
    if (inFlight.has(flight)) return () => undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    inFlight.set(flight, promise);
    return () => {
      inFlight.delete(flight);
      resolve();
    };
  }

  return {
    name: 'exact-cache',
    summary: 'Answers identical requests from memory, streamed or not.',
    status: 'production',
    protective: false,
    cache: true,
    ifBroken: 'skip',
    deadlineMs: singleFlightWaitMs + 30_000,
    touches: ['reply'],
    options: z.strictObject({ ttl, max_bytes: maxBytes }),

    async handle(exchange, next, kit) {
      const directives = exchange.received.header('cache-control') ?? '';
      if (/\bno-(store|cache)\b/i.test(directives)) {
        kit.note({ bypass: true });
        return next(exchange);
      }
      const key = await kit.meaning(exchange);
      const flight = `${kit.scope} ${key}`;
      const look = async () => {
        const kept = opened(await kit.cache.get(key));
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
            await kit.cache.put(key, packed(recording, exchange), kit.options.ttl);
        });
        return reply.onEnd(release);
      } catch (error) {
        release();
        throw error;
      }
    },
  };
};

/** False when the wait was too long. */
async function patiently(ahead: Promise<void>, { signal }: Exchange): Promise<boolean> {
  const enough = new AbortController();
  const timer = sleep(singleFlightWaitMs, false, { signal: AbortSignal.any([signal, enough.signal]) });
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

function layoutOf({ fields }: Received): string {
  return canonicalJson(fields.get('stream_options') ?? null);
}
