import { canonicalJson, isJsonObject, type JsonObject } from './json.ts';
import type { Usage } from './message.ts';
import type { NanoUsd } from './money.ts';
import type { Prices } from './ports/prices.ts';
import type { Shelf } from './ports/shelves.ts';
import type { Target } from './provider.ts';
import type { Received } from './received.ts';
import { packRecording, type Recording, unpackRecording } from './reply/recording.ts';
import type { Reply } from './reply/reply.ts';

/** An answer that was given before, as a cache keeps it. */
export interface KeptAnswer {
  readonly recording: Recording;
  /** What the cache wanted to know of it later. */
  readonly facts: JsonObject;
}

/** The answers on the shelves of a cache. */
export class KeptAnswers {
  /** Bytes that are kept in this process are the same each time. */
  readonly #opened = new WeakMap<Uint8Array, Opened>();

  /** Undefined where there is none, or none that this client can be given. */
  async find(shelf: Shelf, key: string, received: Received): Promise<KeptAnswer | undefined> {
    const bytes = await shelf.get(key);
    const kept = bytes === undefined ? undefined : this.#open(bytes);
    return kept !== undefined && isFitting(kept, received) ? kept : undefined;
  }

  #open(bytes: Uint8Array): Opened {
    const known = this.#opened.get(bytes);
    if (known !== undefined) return known;
    const kept = unpacked(bytes);
    this.#opened.set(bytes, kept);
    return kept;
  }
}

interface Opened extends KeptAnswer {
  /** Which version of its format the client wanted, and how it wanted its stream. */
  readonly version: string;
  readonly stream: string;
}

/** A line that says what it is, then the recording. */
export function packAnswer({ recording, facts }: KeptAnswer, received: Received): Uint8Array {
  // What a client of another format wants of its own stream isn't what its provider was asked for.
  const stream = recording.wire === received.wire.name ? streamOf(received, recording) : unasked(recording);
  const head = JSON.stringify({ version: versionOf(received), stream, facts });
  return Buffer.concat([Buffer.from(`${head}\n`), packRecording(recording)]);
}

function unpacked(bytes: Uint8Array): Opened {
  const lineEnd = bytes.indexOf(10);
  const head: unknown = JSON.parse(Buffer.from(bytes.subarray(0, lineEnd)).toString('utf8'));
  const { version, stream, facts } = isJsonObject(head) ? head : {};
  return {
    version: typeof version === 'string' ? version : '',
    stream: typeof stream === 'string' ? stream : '',
    facts: isJsonObject(facts) ? facts : {},
    recording: unpackRecording(bytes.subarray(lineEnd + 1)),
  };
}

/**
 * A recording is for clients that want it laid out as it is: in the same version of their format, and where it is a stream,
 * without a frame that they count on, or don't expect. In another format it is written anew.
 */
function isFitting({ version, stream, recording }: Opened, received: Received): boolean {
  const { name, ownHeaders } = received.wire;
  if (recording.wire !== name && (recording.wire !== '' || ownHeaders.length === 0)) return true;
  if (version !== versionOf(received)) return false;
  return recording.framing === 'json' || !received.streamed || stream === streamOf(received, recording);
}

/** The version of the format; empty for the one that the gateway itself asks for. */
function versionOf(received: Received): string {
  const { ownHeaders } = received.wire;
  let version = '';
  for (let at = 0; at + 1 < ownHeaders.length; at += 2) {
    const asked = received.header(ownHeaders[at] ?? '') ?? ownHeaders[at + 1];
    if (asked !== ownHeaders[at + 1]) version += `${asked}\n`;
  }
  return version;
}

/** How a stream is wanted; usage that the gateway asked for is there for who wants it, and left out for others. */
function streamOf(received: Received, { usageAsked }: Recording): string {
  const options = received.fields.get('stream_options') ?? null;
  if (usageAsked !== true || (options !== null && !isJsonObject(options))) return canonicalJson(options);
  const { include_usage: _, ...others } = options ?? {};
  return canonicalJson(others);
}

function unasked({ usageAsked }: Recording): string {
  return usageAsked === true ? '{}' : 'null';
}

/** What is told of an answer that is kept, for `savedBy`. */
export function priceFacts({ usage, model }: Pick<Whole, 'usage' | 'model'>): JsonObject {
  return { usage: { ...usage }, model: model ?? null };
}

/**
 * What an answer from memory saved: what its provider would have been paid for it. What was written into the provider's
 * cache for it counts as read from there: a second call would have found it, or the next one has to write it now.
 */
export function savedBy(
  { facts: { usage, model } }: KeptAnswer,
  target: Target,
  prices: Pick<Prices, 'bill'>,
): NanoUsd {
  const again = asRead(Object(usage));
  return prices.bill(target, again, typeof model === 'string' ? model : undefined)?.nanoUsd ?? 0;
}

function asRead(usage: Usage): Usage {
  if (usage.cache_creation === undefined && usage.cache_creation_input_tokens === undefined) return usage;
  const { cache_creation, cache_creation_input_tokens: written, ...used } = usage;
  return { ...used, cache_read_input_tokens: (used.cache_read_input_tokens ?? 0) + (written ?? 0) };
}

/** Whether a call changes what its provider keeps: a conversation, a thread, a container. */
export function changesState({ wire, fields }: Received): boolean {
  return wire.stateFields.some((field) => Boolean(fields.get(field)));
}

/** Whether nothing may come from a cache, nor be kept: the client says so, or the call changes what its provider keeps. */
export function refusesCaches(received: Received): boolean {
  return changesState(received) || /\bno-(store|cache)\b/i.test(received.header('cache-control') ?? '');
}

/** Stops that end an answer for good; one that was cut off or waits for more is not worth keeping. */
const naturalStops = new Set(['end_turn', 'stop_sequence', 'tool_use']);

/** What an answer said about itself. */
interface Whole {
  readonly recording: Recording;
  readonly usage: Usage;
  /** The model that answered, by its own word. */
  readonly model: string | undefined;
}

/** Hands an answer over that is worth keeping: a whole one, within `bytesMax`, that ended by itself. */
export function whenWhole(reply: Reply, bytesMax: number, then: (whole: Whole) => Promise<void>): void {
  let stop: string | null | undefined;
  let usage: Usage = {};
  let model: string | undefined;
  reply.tap((event) => {
    if (event.type === 'message_start') {
      usage = { ...usage, ...event.message.usage };
      model = event.message.model;
    }
    if (event.type !== 'message_delta') return;
    stop = event.delta.stop_reason ?? stop;
    usage = { ...usage, ...event.usage };
  }, 'milestones');
  reply.record(bytesMax, async (recording) => {
    if (reply.status === 200 && stop != null && naturalStops.has(stop))
      await then({ recording, usage, model });
  });
}
