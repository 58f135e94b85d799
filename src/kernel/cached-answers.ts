import { canonicalJson, isJsonObject, type JsonObject } from '../lib/json.ts';
import type { ClientRequest } from './client-request.ts';
import { nameOfTarget } from './conversation/prefix.ts';
import type { Exchange } from './exchange.ts';
import type { Usage } from './message.ts';
import type { Models } from './module.ts';
import type { NanoUsd } from './money.ts';
import type { Prices } from './ports/prices.ts';
import type { ScopedCache } from './ports/scoped-cache.ts';
import type { Target } from './provider.ts';
import { packRecording, type Recording, unpackRecording } from './reply/recording.ts';
import type { Reply } from './reply/reply.ts';
import { formatSpanReference } from './trace-parent.ts';

/** A cached answer. */
export interface CachedAnswer {
  readonly recording: Recording;
  /** Attributes that the cache stored with it. */
  readonly metadata: JsonObject;
}

/** The answers in the caches of a module. */
export class CachedAnswers {
  /** Avoids unpacking the same bytes of an in-process cache again. */
  readonly #unpacked = new WeakMap<Uint8Array, UnpackedAnswer>();

  /** Undefined if there is no answer, or none that this client can read. */
  async find(
    scopedCache: ScopedCache,
    key: string,
    clientRequest: ClientRequest,
  ): Promise<CachedAnswer | undefined> {
    const bytes = await scopedCache.get(key);
    const cached = bytes === undefined ? undefined : this.#unpack(bytes);
    return cached !== undefined && isServableTo(cached, clientRequest) ? cached : undefined;
  }

  #unpack(bytes: Uint8Array): UnpackedAnswer {
    const known = this.#unpacked.get(bytes);
    if (known !== undefined) return known;
    const cached = unpackAnswer(bytes);
    this.#unpacked.set(bytes, cached);
    return cached;
  }
}

interface UnpackedAnswer extends CachedAnswer {
  /** The API version and the stream options that the client asked for. */
  readonly version: string;
  readonly stream: string;
}

/** Packs one header line, then the recording. */
export function packAnswer({ recording, metadata }: CachedAnswer, clientRequest: ClientRequest): Uint8Array {
  // Stream options of a client of another format are not those that the provider was asked with.
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
 * A recording fits a client that expects its layout: the same API version and, for a stream, the same optional
 * frames. For another format it is encoded anew.
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

/** The API version; empty for the gateway's default. */
function versionOf(clientRequest: ClientRequest): string {
  const { ownHeaders } = clientRequest.wire;
  let version = '';
  for (let at = 0; at + 1 < ownHeaders.length; at += 2) {
    const value = clientRequest.header(ownHeaders[at] ?? '') ?? ownHeaders[at + 1];
    if (value !== ownHeaders[at + 1]) version += `${value}\n`;
  }
  return version;
}

/** The stream options. Usage that only the gateway asked for is filtered out for clients that don't want it. */
function streamOptionsOf(clientRequest: ClientRequest, { usageRequested }: Recording): string {
  const options = clientRequest.fields.get('stream_options') ?? null;
  if (usageRequested !== true || (options !== null && !isJsonObject(options))) return canonicalJson(options);
  const { include_usage: _, ...others } = options ?? {};
  return canonicalJson(others);
}

function defaultStreamOptionsOf({ usageRequested }: Recording): string {
  return usageRequested === true ? '{}' : 'null';
}

/** Attributes of a cached answer, as `savingOf`, `answererOf` and `kit.replay` read them. */
export function pricingMetadata(
  { usage, model }: Pick<CompleteAnswer, 'usage' | 'model'>,
  { trace, target }: Exchange,
): JsonObject {
  const answerer = nameOfTarget(trace.answeredBy ?? target);
  const { span } = trace;
  return {
    usage: { ...usage },
    model: model ?? null,
    target: answerer,
    ...(span !== undefined && { span: formatSpanReference(span) }),
  };
}

/** The target that a cached answer came from: in front of a router, the call itself has none. */
export function answererOf(
  { metadata }: CachedAnswer,
  exchange: Exchange,
  models: Pick<Models, 'target'>,
): Target {
  const { target } = metadata;
  return (typeof target === 'string' ? models.target(target) : undefined) ?? exchange.target;
}

/**
 * What a cached answer saved: the provider's price for it. Cache writes count as cache reads: a second call would
 * have hit the provider's cache, or the next call has to write it now.
 */
export function savingOf(
  { metadata: { usage, model } }: CachedAnswer,
  target: Target,
  prices: Pick<Prices, 'bill'>,
): NanoUsd {
  const again = countWritesAsReads(Object(usage));
  return prices.bill(target, again, { model: typeof model === 'string' ? model : undefined })?.nanoUsd ?? 0;
}

function countWritesAsReads(usage: Usage): Usage {
  if (usage.cache_creation === undefined && usage.cache_creation_input_tokens === undefined) return usage;
  const { cache_creation, cache_creation_input_tokens: written, ...used } = usage;
  return { ...used, cache_read_input_tokens: (used.cache_read_input_tokens ?? 0) + (written ?? 0) };
}

/** Whether a call changes provider state: a conversation, a thread, a container. */
export function changesState({ wire, fields }: ClientRequest): boolean {
  return wire.stateFields.some((field) => Boolean(fields.get(field)));
}

/** Whether the call must bypass the cache: the client asks for it, or the call changes provider state. */
export function bypassesCaches(clientRequest: ClientRequest): boolean {
  return (
    changesState(clientRequest) || /\bno-(store|cache)\b/i.test(clientRequest.header('cache-control') ?? '')
  );
}

/** Stop reasons of complete answers; an answer that was cut off or waits for input is not cached. */
const naturalStops = new Set(['end_turn', 'stop_sequence', 'tool_use']);

/** What an answer reports about itself. */
interface CompleteAnswer {
  readonly recording: Recording;
  readonly usage: Usage;
  /** The model that answered, as it reports itself. */
  readonly model: string | undefined;
}

/** Passes an answer to the cache if it is complete, within `bytesMax`, ended by itself, and depends on the request alone. */
export function onCompleteAnswer(
  reply: Reply,
  { bytesMax, exchange }: { readonly bytesMax: number; readonly exchange: Pick<Exchange, 'trace'> },
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
    if (exchange.trace.isCacheable && reply.status === 200 && stop != null && naturalStops.has(stop))
      await then({ recording, usage, model });
  });
}
