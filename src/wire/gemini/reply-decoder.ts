import type { ReplyEvent } from '../../kernel/message.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { parseExactObject, parseObject } from '../read.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { UnreadContent } from '../unread-content.ts';
import { GeminiReader } from './answer-reader.ts';

/** Reads a streamed answer: every frame is an answer with a piece of the content. */
export class GeminiDecoder implements ReplyDecoder {
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  readonly unread = new UnreadContent();
  #events: ReplyEvent[] = [];
  readonly #reader = new GeminiReader((event) => this.#events.push(event));
  /** The last frame that went by unread: it tells how much was used until then. */
  #passed: string | undefined;

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  get finished(): boolean {
    return this.#reader.finished;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    return this.#decode(this.#sse.push(chunk));
  }

  end(): readonly ReplyEvent[] {
    const events = this.#decode(this.#sse.end());
    if (this.finished) this.#reader.close();
    else this.#breakOff();
    return [...events, ...this.#taken()];
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { data } of frames)
      if (this.#interest === 'milestones' && this.#reader.begun && !milestone.test(data)) this.#pass(data);
      else this.#read(data);
    return this.#taken();
  }

  #read(data: string): void {
    const before = this.#events.length;
    const hadBegun = this.#reader.begun;
    const piece = data.includes('functionCall') ? parseExactObject(data) : parseObject(data);
    if (piece === undefined) return;
    this.#passed = undefined;
    this.#reader.read(piece);
    if (!hadBegun && this.#reader.begun)
      this.unread.measure(data.length, 0, contentChars(this.#events.slice(before)));
  }

  #pass(data: string): void {
    this.#passed = data;
    this.unread.pass(data.length, 0);
  }

  #breakOff(): void {
    const last = this.#passed === undefined ? undefined : parseObject(this.#passed);
    if (last !== undefined) this.#reader.readUsage(last);
    this.#reader.tellUsage();
  }

  #taken(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** What a frame must have to matter once content has begun; quotes inside of texts are escaped and don't match. */
const milestone = /"(?:finishReason|functionCall|promptFeedback|error|groundingMetadata)"\s*:/;
