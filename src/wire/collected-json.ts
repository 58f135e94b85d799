import { milestones, unfold } from '../kernel/answer.ts';
import type { JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Answer, ReplyEvent, StreamError, Usage } from '../kernel/message.ts';
import { tokensOfPiece } from '../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../kernel/wire-format.ts';
import { AnswerEnds } from './answer-ends.ts';
import { parseExactObject, parseObject } from './read.ts';

/** What an unstreamed answer turned out to be; undefined is something else altogether. */
export type Whole = { readonly answer: Answer } | { readonly error: StreamError } | undefined;

/** What can be told of an answer without parsing it. */
export interface Glimpse {
  readonly stop_reason: string | null;
  readonly usage: Usage;
}

export interface AnswerReader {
  readonly read: (body: JsonObject) => Whole;
  /** Undefined where only the whole could tell. */
  readonly glimpse?: (ends: AnswerEnds) => Glimpse | undefined;
}

/** Reads an unstreamed answer: bytes are kept until the end and parsed once. What is no JSON has no events. */
export class CollectedJson implements ReplyDecoder {
  readonly finished = true;
  readonly unread = { tokens: 0, calls: 0 };
  readonly #reader: AnswerReader;
  readonly #interest: Interest;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Whether the beginning was let go. */
  #cut = false;

  constructor(reader: AnswerReader, interest: Interest) {
    this.#reader = reader;
    this.#interest = interest;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    if (this.#interest === 'milestones' && this.#bytes > limits.watchedAnswerBytesMax) this.#keepTail();
    return [];
  }

  end(): readonly ReplyEvent[] {
    const json = joined(this.#chunks);
    this.#chunks = [];
    const glimpsed = this.#interest === 'milestones' ? this.#glimpsed(json) : undefined;
    if (glimpsed !== undefined || this.#cut) return glimpsed ?? [];
    const text = json.toString('utf8');
    const body = this.#interest === 'milestones' ? parseObject(text) : parseExactObject(text);
    const whole = body === undefined ? undefined : this.#reader.read(body);
    if (whole === undefined) return [];
    if ('error' in whole) return [{ type: 'error', error: whole.error }];
    return this.#interest === 'milestones' ? milestones(whole.answer) : [...unfold(whole.answer)];
  }

  /** Parsing costs by the length of the answer, a look at its two ends doesn't. Undefined where that can't tell. */
  #glimpsed(json: Buffer): readonly ReplyEvent[] | undefined {
    const ends = new AnswerEnds(json, this.#cut ? json.byteLength : endBytes);
    const model = this.#cut ? undefined : ends.model;
    if (model === undefined && !this.#cut) return undefined;
    const seen = this.#reader.glimpse?.(ends);
    if (seen === undefined) return undefined;
    const { stop_reason, usage } = seen;
    const last: readonly ReplyEvent[] = [
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    ];
    return model === undefined ? last : [{ type: 'message_start', message: begunBy(model) }, ...last];
  }

  /** Somebody who only watches must not hold a huge answer in memory; what matters mostly stands at its end. */
  #keepTail(): void {
    const all = joined(this.#chunks);
    this.unread.tokens += tokensOfPiece(all.byteLength - limits.watchedTailBytes);
    const tail = Buffer.from(all.subarray(all.byteLength - limits.watchedTailBytes));
    this.#chunks = [tail];
    this.#bytes = tail.byteLength;
    this.#cut = true;
  }
}

/** Behind the content there is little but the usage, whatever the provider. */
const endBytes = 1024;

function begunBy(model: string): Answer {
  return {
    id: '',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {},
  };
}

/** Most answers come in one chunk, which needs no copy. */
function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (only === undefined || chunks.length > 1) return Buffer.concat(chunks);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
