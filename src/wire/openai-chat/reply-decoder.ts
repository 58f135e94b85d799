import type { ReplyEvent, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../json-values.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { startedAnswer } from '../started-answer.ts';
import { UnreadContentEstimator } from '../unread-content-estimator.ts';
import { DeltaReader } from './delta-reader.ts';
import { errorOf } from './read-completion.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

export class ChatDecoder implements ReplyDecoder {
  finished = false;
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  readonly unread = new UnreadContentEstimator();
  #events: ReplyEvent[] = [];
  readonly #blocks = new DeltaReader((event) => this.#events.push(event));
  #started = false;
  #id = '';
  #closed = false;
  #finishReason: string | undefined;
  #usage: Usage = {};
  /** Offset of the name of a delta's first field, whose first letter identifies the kind of delta. */
  #deltaOffset = 0;
  #deltaKind = 0;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#decode(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    const events = this.#decode(this.#sse.end());
    if (this.finished) this.#close();
    else this.#emitUsage();
    return [...events, ...this.#takeEvents()];
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { data } of frames) {
      if (data.startsWith('[DONE]')) this.#close();
      else if (this.#interest === 'everything' || milestonePattern.test(data)) this.#read(parseObject(data));
      else if (this.#blocks.hasContent) this.#skip(data);
      else this.#readFirst(data);
    }
    return this.#takeEvents();
  }

  #takeEvents(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #readFirst(data: string): void {
    const before = this.#events.length;
    this.#read(parseObject(data));
    if (!this.#blocks.hasContent) return;
    this.#deltaOffset = data.indexOf(deltaStart) + deltaStart.length;
    this.#deltaKind = data.charCodeAt(this.#deltaOffset);
    this.unread.calibrate(
      contentEnd(data, this.#deltaOffset),
      this.#deltaKind,
      contentChars(this.#events.slice(before)),
    );
  }

  #skip(data: string): void {
    const kind = data.charCodeAt(this.#deltaOffset);
    if (kind === toolCallsKind && kind !== this.#deltaKind && !this.#blocks.hasToolCalls) this.unread.calls++;
    this.#deltaKind = kind;
    this.unread.skip(contentEnd(data, this.#deltaOffset), kind);
  }

  #read(chunk: JsonObject | undefined): void {
    if (chunk === undefined || this.#closed) return;
    const usage = objectOf(chunk.usage) ?? objectOf(objectOf(chunk.x_groq)?.usage);
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usageOf(usage, chunk));
    const error = errorOf(chunk);
    if (error !== undefined) {
      this.finished = true;
      this.#closed = true;
      this.#emitUsage();
      this.#events.push({ type: 'error', error });
      return;
    }
    const choice = objectsOf(chunk.choices).find((candidate) => (candidate.index ?? 0) === 0);
    if (choice === undefined) return;
    this.#start(chunk);
    this.#blocks.read(objectOf(choice.delta) ?? {});
    const finish = stringOf(choice.finish_reason);
    if (finish === undefined || finish === '') return;
    this.#finishReason = finish;
    this.finished = true;
  }

  #start(chunk: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    this.#id = stringOf(chunk.id) ?? '';
    this.#blocks.model = stringOf(chunk.model) ?? '';
    const message = startedAnswer(this.#id, this.#blocks.model);
    this.#events.push({ type: 'message_start', message });
  }

  /** An interrupted reply costs what was reported so far. */
  #emitUsage(): void {
    if (this.#blocks.hasContent && Object.keys(this.#usage).length > 0)
      this.#events.push({ type: 'message_delta', delta: {}, usage: this.#usage });
  }

  /** Usage may follow the finish reason, so the reply closes only at [DONE] or the end. */
  #close(): void {
    this.finished = true;
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#started) return;
    this.#blocks.close(this.#id);
    const { hasToolCalls, refusal } = this.#blocks;
    const stop_reason = stopReasonOf(this.#finishReason ?? 'stop', {
      tools: hasToolCalls,
      refused: refusal !== '',
    });
    const why =
      refusal === '' ? {} : { stop_details: { type: 'refusal', category: null, explanation: refusal } };
    this.#events.push({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null, ...why },
      usage: this.#usage,
    });
    this.#events.push({ type: 'message_stop' });
  }
}

const deltaStart = '"delta":{"';
const toolCallsKind = 't'.charCodeAt(0);

/** Excludes padding, by which some providers hide the length of their output. */
function contentEnd(data: string, from: number): number {
  const end = data.indexOf('finish_reason"', from);
  return end < 0 ? data.length : end;
}

/** Matches frames that matter after content has started; quotes inside texts are escaped and don't match. */
const milestonePattern = /"(?:usage|error)"\s*:\s*[{"]|"(?:finish_reason|name)"\s*:\s*"/;
