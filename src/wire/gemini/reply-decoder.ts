import type { ReplyEvent } from '../../kernel/message.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { parseExactObject, parseObject } from '../json-values.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { UnreadContentEstimator } from '../unread-content-estimator.ts';
import { ResponseReader } from './response-reader.ts';

/** Decodes a stream: every frame is a response with part of the content. */
export class GeminiDecoder implements ReplyDecoder {
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  readonly unread = new UnreadContentEstimator();
  #events: ReplyEvent[] = [];
  readonly #reader = new ResponseReader((event) => this.#events.push(event));
  /** The last frame skipped unread: it has the usage so far. */
  #lastSkipped: string | undefined;

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
    else this.#emitPartialUsage();
    return [...events, ...this.#takeEvents()];
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { data } of frames)
      if (this.#interest === 'milestones' && this.#reader.hasContent && !milestonePattern.test(data))
        this.#skip(data);
      else this.#read(data);
    return this.#takeEvents();
  }

  #read(data: string): void {
    const before = this.#events.length;
    const hadBegun = this.#reader.hasContent;
    const piece = data.includes('functionCall') ? parseExactObject(data) : parseObject(data);
    if (piece === undefined) return;
    this.#lastSkipped = undefined;
    this.#reader.read(piece);
    if (!hadBegun && this.#reader.hasContent)
      this.unread.calibrate(data.length, 0, contentChars(this.#events.slice(before)));
  }

  #skip(data: string): void {
    this.#lastSkipped = data;
    this.unread.skip(data.length, 0);
  }

  #emitPartialUsage(): void {
    const last = this.#lastSkipped === undefined ? undefined : parseObject(this.#lastSkipped);
    if (last !== undefined) this.#reader.readUsage(last);
    this.#reader.emitUsage();
  }

  #takeEvents(): readonly ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Matches frames that matter after content has started; quotes inside texts are escaped and don't match. */
const milestonePattern = /"(?:finishReason|functionCall|promptFeedback|error|groundingMetadata)"\s*:/;
