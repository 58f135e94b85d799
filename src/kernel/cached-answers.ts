import type { ClientRequest } from './client-request.ts';
import { canonicalJson, isJsonObject, type JsonObject } from './json.ts';
import type { Usage } from './message.ts';
import type { NanoUsd } from './money.ts';
import type { Prices } from './ports/prices.ts';
import type { ScopedCache } from './ports/scoped-cache.ts';
import type { Target } from './provider.ts';
import { packRecording, type Recording, unpackRecording } from './reply/recording.ts';
import type { Reply } from './reply/reply.ts';

/** An answer that was given before, as a cache keeps it. */
export interface CachedAnswer {
  readonly recording: Recording;
  /** What the cache wanted to know of it later. */
  readonly metadata: JsonObject;
}

/** The answers on the shelves of a cache. */
export class CachedAnswers {
  /** Bytes that are kept in this process are the same each time. */
  readonly #unpacked = new WeakMap<Uint8Array, UnpackedAnswer>();

  /** Undefined where there is none, or none that this client can be given. */
  async find(
    scopedCache: ScopedCache,
    key: string,
    clientRequest: ClientRequest,
  ): Promise<CachedAnswer | undefined> {
    const bytes = await scopedCache.get(key);
    const kept = bytes === undefined ? undefined : this.#unpack(bytes);
    return kept !== undefined && isServableTo(kept, clientRequest) ? kept : undefined;
  }

  #unpack(bytes: Uint8Array): UnpackedAnswer {
    const known = this.#unpacked.get(bytes);
    if (known !== undefined) return known;
    const kept = unpackAnswer(bytes);
    this.#unpacked.set(bytes, kept);
    return kept;
  }
}

interface UnpackedAnswer extends CachedAnswer {
  /** Which version of its format the client wanted, and how it wanted its stream. */
  readonly version: string;
  readonly stream: string;
}

/** A line that says what it is, then the recording. */
export function packAnswer({ recording, metadata }: CachedAnswer, clientRequest: ClientRequest): Uint8Array {
  // What a client of another format wants of its own stream isn't what its provider was asked for.
  const stream =
    recording.wire === clientRequest.wire.name
      ? streamOptionsOf(clientRequest, recording)
      : defaultStreamOptionsOf(recording);
  const head = JSON.stringify({ version: versionOf(clientRequest), stream, facts: metadata });
  return Buffer.concat([Buffer.from(`${head}\n`), packRecording(recording)]);
}

function unpackAnswer(bytes: Uint8Array): UnpackedAnswer {
  const lineEnd = bytes.indexOf(10);
  const head: unknown = JSON.parse(Buffer.from(bytes.subarray(0, lineEnd)).toString('utf8'));
  const { version, stream, facts } = isJsonObject(head) ? head : {};
  return {
    version: typeof version === 'string' ? version : '',
    stream: typeof stream === 'string' ? stream : '',
    metadata: isJsonObject(facts) ? facts : {},
    recording: unpackRecording(bytes.subarray(lineEnd + 1)),
  };
}

/**
 * A recording is for clients that want it laid out as it is: in the same version of their format, and where it is a stream,
 * without a frame that they count on, or don't expect. In another format it is written anew.
 */
function isServableTo({ version, stream, recording }: UnpackedAnswer, clientRequest: ClientRequest): boolean {
  const { name, ownHeaders } = clientRequest.wire;
  if (recording.wire !== name && (recording.wire !== '' || ownHeaders.length === 0)) return true;
  if (version !== versionOf(clientRequest)) return false;
  return (
    recording.framing === 'json' ||
    !clientRequest.streamed ||
    stream === streamOptionsOf(clientRequest, recording)
  );
}

/** The version of the format; empty for the one that the gateway itself asks for. */
function versionOf(clientRequest: ClientRequest): string {
  const { ownHeaders } = clientRequest.wire;
  let version = '';
  for (let at = 0; at + 1 < ownHeaders.length; at += 2) {
    const asked = clientRequest.header(ownHeaders[at] ?? '') ?? ownHeaders[at + 1];
    if (asked !== ownHeaders[at + 1]) version += `${asked}\n`;
  }
  return version;
}

/** How a stream is wanted; usage that the gateway asked for is there for who wants it, and left out for others. */
function streamOptionsOf(clientRequest: ClientRequest, { usageRequested }: Recording): string {
  const options = clientRequest.fields.get('stream_options') ?? null;
  if (usageRequested !== true || (options !== null && !isJsonObject(options))) return canonicalJson(options);
  const { include_usage: _, ...others } = options ?? {};
  return canonicalJson(others);
}

function defaultStreamOptionsOf({ usageRequested }: Recording): string {
  return usageRequested === true ? '{}' : 'null';
}

/** What is told of an answer that is kept, for `savedBy`. */
export function pricingMetadata({ usage, model }: Pick<CompleteAnswer, 'usage' | 'model'>): JsonObject {
  return { usage: { ...usage }, model: model ?? null };
}

/**
 * What an answer from memory saved: what its provider would have been paid for it. What was written into the provider's
 * cache for it counts as read from there: a second call would have found it, or the next one has to write it now.
 */
export function savingOf(
  { metadata: { usage, model } }: CachedAnswer,
  target: Target,
  prices: Pick<Prices, 'bill'>,
): NanoUsd {
  const again = countWritesAsReads(Object(usage));
  return prices.bill(target, again, typeof model === 'string' ? model : undefined)?.nanoUsd ?? 0;
}

function countWritesAsReads(usage: Usage): Usage {
  if (usage.cache_creation === undefined && usage.cache_creation_input_tokens === undefined) return usage;
  const { cache_creation, cache_creation_input_tokens: written, ...used } = usage;
  return { ...used, cache_read_input_tokens: (used.cache_read_input_tokens ?? 0) + (written ?? 0) };
}

/** Whether a call changes what its provider keeps: a conversation, a thread, a container. */
export function changesState({ wire, fields }: ClientRequest): boolean {
  return wire.stateFields.some((field) => Boolean(fields.get(field)));
}

/** Whether nothing may come from a cache, nor be kept: the client says so, or the call changes what its provider keeps. */
export function bypassesCaches(clientRequest: ClientRequest): boolean {
  return (
    changesState(clientRequest) || /\bno-(store|cache)\b/i.test(clientRequest.header('cache-control') ?? '')
  );
}

/** Stops that end an answer for good; one that was cut off or waits for more is not worth keeping. */
const naturalStops = new Set(['end_turn', 'stop_sequence', 'tool_use']);

/** What an answer said about itself. */
interface CompleteAnswer {
  readonly recording: Recording;
  readonly usage: Usage;
  /** The model that answered, by its own word. */
  readonly model: string | undefined;
}

/** Hands an answer over that is worth keeping: a whole one, within `bytesMax`, that ended by itself. */
export function onCompleteAnswer(
  reply: Reply,
  bytesMax: number,
  then: (completeAnswer: CompleteAnswer) => Promise<void>,
): void {
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
