import { mergeUsage } from '../../kernel/answer.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ReplyEvent, Usage } from '../../kernel/message.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../read.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { BlockWriter } from './block-writer.ts';
import { errorOf } from './read-completion.ts';
import { stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

/** Reads a streamed answer. */
export class ChatDecoder implements ReplyDecoder {
  finished = false;
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  #events: ReplyEvent[] = [];
  readonly #blocks = new BlockWriter((event) => this.#events.push(event));
  #started = false;
  #id = '';
  #closed = false;
  #finish: string | undefined;
  #usage: Usage = {};

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#decode(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    const events = this.#decode(this.#sse.end());
    if (!this.finished) return events;
    this.#close();
    return [...events, ...this.#taken()];
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { data } of frames) {
      if (data.startsWith('[DONE]')) this.#close();
      else if (this.#interest === 'everything' || this.#matters(data)) this.#read(parseObject(data));
    }
    return this.#taken();
  }

  #taken(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #matters(data: string): boolean {
    return !this.#blocks.begun || milestone.test(data);
  }

  #read(chunk: JsonObject | undefined): void {
    if (chunk === undefined || this.#closed) return;
    const error = errorOf(chunk);
    if (error !== undefined) {
      this.finished = true;
      this.#closed = true;
      this.#events.push({ type: 'error', error });
      return;
    }
    const usage = objectOf(chunk.usage) ?? objectOf(objectOf(chunk.x_groq)?.usage);
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usageOf(usage));
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

/** What a frame must have to matter once content has begun; quotes inside of texts are escaped and don't match. */
const milestone = /"(?:usage|error)"\s*:\s*[{"]|"finish_reason"\s*:\s*"/;
