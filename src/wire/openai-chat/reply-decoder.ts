import type { JsonObject } from '../../kernel/json.ts';
import type { ReplyEvent, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../read.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { UnreadContent } from '../unread-content.ts';
import { BlockWriter } from './block-writer.ts';
import { errorOf } from './read-completion.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

/** Reads a streamed answer. */
export class ChatDecoder implements ReplyDecoder {
  finished = false;
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  readonly unread = new UnreadContent();
  #events: ReplyEvent[] = [];
  readonly #blocks = new BlockWriter((event) => this.#events.push(event));
  #started = false;
  #id = '';
  #closed = false;
  #finish: string | undefined;
  #usage: Usage = {};
  /** Where the name of a delta's first field begins, whose first letter tells what kind of a delta it is. */
  #deltaAt = 0;
  #kind = 0;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#decode(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    const events = this.#decode(this.#sse.end());
    if (this.finished) this.#close();
    else this.#tellUsage();
    return [...events, ...this.#taken()];
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { data } of frames) {
      if (data.startsWith('[DONE]')) this.#close();
      else if (this.#interest === 'everything' || milestone.test(data)) this.#read(parseObject(data));
      else if (this.#blocks.begun) this.#pass(data);
      else this.#readFirst(data);
    }
    return this.#taken();
  }

  #taken(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #readFirst(data: string): void {
    const before = this.#events.length;
    this.#read(parseObject(data));
    if (!this.#blocks.begun) return;
    this.#deltaAt = data.indexOf(deltaStart) + deltaStart.length;
    this.#kind = data.charCodeAt(this.#deltaAt);
    this.unread.measure(
      contentEnd(data, this.#deltaAt),
      this.#kind,
      contentChars(this.#events.slice(before)),
    );
  }

  #pass(data: string): void {
    const kind = data.charCodeAt(this.#deltaAt);
    if (kind === toolCalls && kind !== this.#kind && !this.#blocks.tools) this.unread.calls++;
    this.#kind = kind;
    this.unread.pass(contentEnd(data, this.#deltaAt), kind);
  }

  #read(chunk: JsonObject | undefined): void {
    if (chunk === undefined || this.#closed) return;
    const usage = objectOf(chunk.usage) ?? objectOf(objectOf(chunk.x_groq)?.usage);
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usageOf(usage, chunk));
    const error = errorOf(chunk);
    if (error !== undefined) {
      this.finished = true;
      this.#closed = true;
      this.#tellUsage();
      this.#events.push({ type: 'error', error });
      return;
    }
    const choice = objectsOf(chunk.choices).find((candidate) => (candidate.index ?? 0) === 0);
    if (choice === undefined) return;
    this.#start(chunk);
    this.#blocks.delta(objectOf(choice.delta) ?? {});
    const finish = stringOf(choice.finish_reason);
    if (finish === undefined || finish === '') return;
    this.#finish = finish;
    this.finished = true;
  }

  #start(chunk: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    this.#id = stringOf(chunk.id) ?? '';
    this.#blocks.model = stringOf(chunk.model) ?? '';
    const message = {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model: this.#blocks.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {},
    } as const;
    this.#events.push({ type: 'message_start', message });
  }

  /** An answer that breaks off costs what was said of it until then. */
  #tellUsage(): void {
    if (this.#blocks.begun && Object.keys(this.#usage).length > 0)
      this.#events.push({ type: 'message_delta', delta: {}, usage: this.#usage });
  }

  /** The usage may come after the reason for stopping, so nothing is over before the stream says so or ends. */
  #close(): void {
    this.finished = true;
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#started) return;
    this.#blocks.close(this.#id);
    const { tools, refusal } = this.#blocks;
    const stop_reason = stopReasonOf(this.#finish ?? 'stop', { tools, refused: refusal !== '' });
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
const toolCalls = 't'.charCodeAt(0);

/** Padding, by which some providers hide how much they write, comes behind this. */
function contentEnd(data: string, from: number): number {
  const end = data.indexOf('finish_reason"', from);
  return end < 0 ? data.length : end;
}

/** What a frame must have to matter once content has begun; quotes inside of texts are escaped and don't match. */
const milestone = /"(?:usage|error)"\s*:\s*[{"]|"finish_reason"\s*:\s*"/;
