import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { Answer, ErrorEvent, ReplyEvent, Usage } from '../kernel/message.ts';
import { answerToEvents, milestoneEvents } from '../kernel/reply/answer-events.ts';
import { estimateChunkTokens } from '../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../kernel/wire-format.ts';
import { appendChunk } from '../lib/append-chunk.ts';
import type { JsonObject } from '../lib/json.ts';
import { objectOf, parseExactObject, stringOf } from './json-values.ts';
import { limits } from './limits.ts';
import { startedAnswer } from './started-answer.ts';

/** A decoded unstreamed response; undefined if it is neither a reply nor an error. */
export type DecodedReply = { readonly answer: Answer } | Omit<ErrorEvent, 'type'> | undefined;

/** Metadata of a reply. */
export interface ReplySummary {
  /** The model that answered, if not in `model` of the body. */
  readonly model?: string;
  readonly stop_reason: string | null;
  readonly usage: Usage;
  /** The names of the tools that it calls, as far as the format is read for them. */
  readonly toolNames?: readonly string[];
}

export interface JsonReplyReader {
  readonly read: (body: JsonObject) => DecodedReply;
  /** Works with truncated texts too. Undefined if the full texts are needed. */
  readonly summarize: (body: JsonObject) => ReplySummary | undefined;
  /** The same for a body whose beginning was dropped. Undefined if the whole body is needed. */
  readonly summarizeTail?: (latin1: string) => ReplySummary | undefined;
  /** The same for the last characters of a longer body, where most have all of it. Undefined if something is not there. */
  readonly summarizeEnd?: (latin1: string) => ReplySummary | undefined;
}

/** Decodes an unstreamed response: collects its bytes and parses them once. Invalid JSON yields no events. */
export class JsonReplyDecoder implements ReplyDecoder {
  readonly finished = true;
  readonly unread = { tokens: 0, calls: 0 };
  readonly #reader: JsonReplyReader;
  readonly #interest: Interest;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Whether the beginning was dropped. */
  #truncated = false;

  constructor(reader: JsonReplyReader, interest: Interest) {
    this.#reader = reader;
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    appendChunk(this.#chunks, chunk);
    this.#bytes += chunk.byteLength;
    if (this.#interest === 'milestones' && this.#bytes > limits.watchedAnswerBytesMax) this.#keepTail();
    return [];
  }

  end(): readonly ReplyEvent[] {
    const json = concatChunks(this.#chunks);
    this.#chunks = [];
    if (this.#interest === 'milestones') return this.#milestoneEvents(json);
    return this.#read(parseExactObject(json.toString('utf8')), (answer) => [...answerToEvents(answer)]);
  }

  #milestoneEvents(json: Buffer): readonly ReplyEvent[] {
    if (this.#truncated) {
      const summary = this.#reader.summarizeTail?.(json.toString('latin1'));
      return summary === undefined ? [] : stopEvents(summary);
    }
    const ending = this.#reader.summarizeEnd;
    if (ending !== undefined && json.byteLength > smallBodyBytesMax) {
      const summary = ending(json.toString('latin1', json.byteLength - endBytes));
      if (summary !== undefined) return briefEvents(summary, '');
    }
    const small = parseSmallObject(json);
    const lazyJsonObject = small === undefined ? LazyJsonObject.ofAnswer(json) : undefined;
    const body = small ?? lazyJsonObject?.parseTruncated();
    if (body === undefined) return [];
    const brief = this.#reader.summarize(body);
    if (brief === undefined) return this.#read(lazyJsonObject?.parse() ?? body, milestoneEvents);
    return briefEvents(brief, stringOf(body.model) ?? '');
  }

  #read(
    body: JsonObject | undefined,
    eventsOf: (answer: Answer) => readonly ReplyEvent[],
  ): readonly ReplyEvent[] {
    const whole = body === undefined ? undefined : this.#reader.read(body);
    if (whole === undefined) return [];
    return 'error' in whole ? [{ type: 'error', ...whole }] : eventsOf(whole.answer);
  }

  /** An observer must not keep a huge response in memory; the relevant fields are mostly at its end. */
  #keepTail(): void {
    const all = concatChunks(this.#chunks);
    this.unread.tokens += estimateChunkTokens(all.byteLength - limits.watchedTailBytes);
    const tail = Buffer.from(all.subarray(all.byteLength - limits.watchedTailBytes));
    this.#chunks = [tail];
    this.#bytes = tail.byteLength;
    this.#truncated = true;
  }
}

function toolStart(name: string, index: number): ReplyEvent {
  return { type: 'content_block_start', index, content_block: { type: 'tool_use', id: '', name, input: {} } };
}

/** `inBody` is the model that the body names. */
function briefEvents(brief: ReplySummary, inBody: string): readonly ReplyEvent[] {
  return [
    { type: 'message_start', message: startedAnswer('', brief.model ?? inBody) },
    ...(brief.toolNames ?? []).map(toolStart),
    ...stopEvents(brief),
  ];
}

function stopEvents({ stop_reason, usage }: ReplySummary): readonly ReplyEvent[] {
  return [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }];
}

/** Parsing a short text is as fast as finding what to skip in it. Escaped keys need the other parser. */
function parseSmallObject(json: Buffer): JsonObject | undefined {
  if (json.byteLength > smallBodyBytesMax || json.includes(backslash)) return undefined;
  try {
    return objectOf(JSON.parse(json.toString('utf8')));
  } catch {
    return undefined;
  }
}

const smallBodyBytesMax = 4096;
const endBytes = 512;
const backslash = 92;

/** Most responses arrive in one chunk, which needs no copy. */
function concatChunks(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (only === undefined || chunks.length > 1) return Buffer.concat(chunks);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
