import { unfold } from '../../kernel/answer.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Answer, ReplyEvent } from '../../kernel/message.ts';
import type { Interest, ReplyDecoder } from '../../kernel/wire-format.ts';
import { objectOf, parseObject, stringOf } from '../read.ts';
import { SseParser } from '../sse.ts';

/** Reads a streamed answer: frames are canonical events already. */
export class MessagesDecoder implements ReplyDecoder {
  finished = false;
  readonly #sse = new SseParser();
  readonly #interest: Interest;
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
      if (this.#interest === 'milestones' && this.#skippable(name)) continue;
      const event = eventOf(parseObject(data));
      if (event === undefined) continue;
      if (event.type === 'content_block_delta') this.#contentSeen = true;
      // After an error nothing more comes, and nothing more is to be waited for.
      if (event.type === 'message_stop' || event.type === 'error') this.finished = true;
      events.push(event);
    }
    return events;
  }

  #skippable(name: string): boolean {
    return name === 'ping' || (this.#contentSeen && name.startsWith('content_block_'));
  }
}

/** The events of an unstreamed answer, which may be an error. */
export function* eventsOf(body: JsonObject): Generator<ReplyEvent> {
  if (body.type === 'error') yield errorEvent(body);
  else if (Array.isArray(body.content) && body.content.every(isJsonObject)) yield* unfold(asAnswer(body));
}

/** What an event of this kind can't be read without. */
const needed: Readonly<Record<string, string>> = {
  message_start: 'message',
  content_block_start: 'content_block',
  content_block_delta: 'delta',
  message_delta: 'delta',
};

function eventOf(data: JsonObject | undefined): ReplyEvent | undefined {
  if (data === undefined || typeof data.type !== 'string') return undefined;
  if (data.type === 'error') return errorEvent(data);
  const field = needed[data.type];
  if (field !== undefined && !isJsonObject(data[field])) return undefined;
  const checked: unknown = data;
  return checked as ReplyEvent;
}

function errorEvent(data: JsonObject): ReplyEvent {
  const error = objectOf(data.error) ?? {};
  const message = stringOf(error.message) ?? 'the provider reported an error without a message';
  return { type: 'error', error: { ...error, type: stringOf(error.type) ?? 'api_error', message } };
}

function asAnswer(body: JsonObject): Answer {
  const checked: unknown = body;
  return checked as Answer;
}
