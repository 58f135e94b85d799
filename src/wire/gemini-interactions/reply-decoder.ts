import type { ReplyEvent } from '../../kernel/message.ts';
import { contentChars } from '../../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { parseExactObject, parseObject } from '../json-values.ts';
import { type SseFrame, SseParser } from '../sse.ts';
import { UnreadContentEstimator } from '../unread-content-estimator.ts';
import { InteractionReader } from './interaction-reader.ts';

/** Decodes a stream: events of the interaction and of its steps. */
export class InteractionsDecoder implements ReplyDecoder {
  readonly unread = new UnreadContentEstimator();
  readonly #sse = new SseParser();
  readonly #interest: Interest;
  #events: ReplyEvent[] = [];
  readonly #reader = new InteractionReader((event) => this.#events.push(event));

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
    return this.#decode(this.#sse.end());
  }

  #decode(frames: readonly SseFrame[]): readonly ReplyEvent[] {
    for (const { event, data } of frames) {
      if (this.finished) break;
      if (this.#interest === 'everything') this.#read(data);
      else this.#watch(event, data);
    }
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #read(data: string): void {
    const event = data.includes('"function_call"') ? parseExactObject(data) : parseObject(data);
    if (event !== undefined) this.#reader.read(event);
  }

  /** Once content has started, its pieces are only counted. */
  #watch(event: string, data: string): void {
    if (event !== 'step.delta') this.#read(data);
    else if (this.#reader.hasContent) this.unread.skip(data.length, 0);
    else {
      const before = this.#events.length;
      this.#read(data);
      this.unread.calibrate(data.length, 0, contentChars(this.#events.slice(before)));
    }
  }
}
