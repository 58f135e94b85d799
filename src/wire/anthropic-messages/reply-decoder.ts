import type { ReplyEvent, StreamError } from '../../kernel/message.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { DecodedReply, ReplySummary } from '../json-reply-decoder.ts';
import { readFieldFromTail } from '../json-tail.ts';
import { objectOf, parseObject, stringOf } from '../json-values.ts';
import { SseParser } from '../sse.ts';
import { UnreadContentEstimator } from '../unread-content-estimator.ts';
import { statusForErrorType } from './errors.ts';
import { sanitizeEvent, sanitizeReply } from './sanitize-reply.ts';
import { sanitizeUsage } from './sanitize-usage.ts';

/** Decodes a stream, whose frames are canonical events already. */
export class MessagesDecoder implements ReplyDecoder {
  finished = false;
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  readonly unread = new UnreadContentEstimator();
  /** Number of blocks skipped unread. */
  #skippedBlocks = 0;
  #contentSeen = false;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#decode(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    return this.#decode(this.#sse.end());
  }

  #decode(frames: ReturnType<SseParser['push']>): readonly ReplyEvent[] {
    const events: ReplyEvent[] = [];
    for (const { event: name, data } of frames) {
      if (this.#interest === 'milestones' && this.#isSkippable(name)) {
        this.#skip(name, data);
        if (!isToolStart(name, data)) continue;
      }
      const event = decodeEvent(parseObject(data));
      if (event === undefined) continue;
      if (event.type === 'content_block_delta' && !this.#contentSeen) {
        this.#contentSeen = true;
        this.unread.calibrate(unpaddedLength(data), this.#skippedBlocks, contentChars([event]));
      }
      // Nothing follows an error.
      if (event.type === 'message_stop' || event.type === 'error') this.finished = true;
      events.push(event);
    }
    return events;
  }

  #skip(name: string, data: string): void {
    if (name === 'content_block_delta') {
      // A long frame may be the signature of thinking.
      if (data.length < 500 || !data.includes('"signature_delta"'))
        this.unread.skip(unpaddedLength(data), this.#skippedBlocks);
    } else if (name === 'content_block_start') this.#skippedBlocks++;
  }

  #isSkippable(name: string): boolean {
    return name === 'ping' || (this.#contentSeen && name.startsWith('content_block_'));
  }
}

/** The request log has the names of tools. */
function isToolStart(name: string, data: string): boolean {
  return name === 'content_block_start' && data.includes('"tool_use"');
}

/** The length without the padding before the last bracket, by which Anthropic hides the length of its output. */
function unpaddedLength(data: string): number {
  let end = data.length - 1;
  while (data.charCodeAt(end - 1) === space) end--;
  return end + 1;
}

const space = 32;

export function readMessage(body: JsonObject): DecodedReply {
  if (body.type === 'error') return { error: errorOf(body) };
  return Array.isArray(body.content) ? { answer: sanitizeReply(body) } : undefined;
}

/**
 * The reply's metadata without its content. Undefined without token counts, or for a refusal, whose cost depends on
 * the content: then the whole body is read.
 */
export function summarizeMessage(body: JsonObject): ReplySummary | undefined {
  const { type, content, usage, stop_reason } = body;
  if (type === 'error' || !Array.isArray(content) || stop_reason === 'refusal') return undefined;
  const sanitized = sanitizeUsage(usage);
  return sanitized.output_tokens == null
    ? undefined
    : {
        stop_reason: stringOf(stop_reason) ?? null,
        usage: sanitized,
        toolNames: content.flatMap(toolNameOf),
      };
}

function toolNameOf(block: unknown): readonly string[] {
  const { type, name } = objectOf(block) ?? {};
  return type === 'tool_use' && typeof name === 'string' ? [name] : [];
}

/** The same from the end of the body. */
export function summarizeMessageTail(json: string): ReplySummary | undefined {
  if (json.includes('"error"')) return undefined;
  const usage = readFieldFromTail(json, 'usage', 1);
  const stop = readFieldFromTail(json, 'stop_reason', 1);
  if (!isJsonObject(usage) || typeof stop !== 'string') return undefined;
  return { stop_reason: stop, usage: sanitizeUsage(usage) };
}

function decodeEvent(data: JsonObject | undefined): ReplyEvent | undefined {
  if (data === undefined) return undefined;
  return data.type === 'error' ? { type: 'error', error: errorOf(data) } : sanitizeEvent(data);
}

function errorOf(data: JsonObject): StreamError {
  const error = objectOf(data.error) ?? {};
  const message = stringOf(error.message) ?? 'the provider reported an error without a message';
  const type = stringOf(error.type) ?? 'api_error';
  const status = statusForErrorType(type);
  return { ...error, type, message, ...(status !== undefined && { status }) };
}
