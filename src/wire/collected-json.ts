import { addPiece } from '../kernel/add-piece.ts';
import type { JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Answer, ErrorEvent, ReplyEvent, Usage } from '../kernel/message.ts';
import { Outline } from '../kernel/outline.ts';
import { milestones, unfold } from '../kernel/reply/answer.ts';
import { tokensOfPiece } from '../kernel/token-estimate.ts';
import type { Interest, ReplyDecoder } from '../kernel/wire-format.ts';
import { objectOf, parseExactObject, stringOf } from './read.ts';

/** What an unstreamed answer turned out to be; undefined is something else altogether. */
export type Whole = { readonly answer: Answer } | Omit<ErrorEvent, 'type'> | undefined;

/** What an answer says about itself. */
export interface Glimpse {
  readonly stop_reason: string | null;
  readonly usage: Usage;
}

export interface AnswerReader {
  readonly read: (body: JsonObject) => Whole;
  /** Whether its texts are whole or not. Undefined where only they could tell. */
  readonly brief: (body: JsonObject) => Glimpse | undefined;
  /** The same of an answer whose beginning is gone. Undefined where only the whole could tell. */
  readonly glimpse?: (latin1: string) => Glimpse | undefined;
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
    addPiece(this.#chunks, chunk);
    this.#bytes += chunk.byteLength;
    if (this.#interest === 'milestones' && this.#bytes > limits.watchedAnswerBytesMax) this.#keepTail();
    return [];
  }

  end(): readonly ReplyEvent[] {
    const json = joined(this.#chunks);
    this.#chunks = [];
    if (this.#interest === 'milestones') return this.#milestones(json);
    return this.#read(parseExactObject(json.toString('utf8')), (answer) => [...unfold(answer)]);
  }

  #milestones(json: Buffer): readonly ReplyEvent[] {
    if (this.#cut) {
      const seen = this.#reader.glimpse?.(json.toString('latin1'));
      return seen === undefined ? [] : told(seen);
    }
    const small = smallObject(json);
    const outline = small === undefined ? Outline.ofAnswer(json) : undefined;
    const body = small ?? outline?.abridged();
    if (body === undefined) return [];
    const brief = this.#reader.brief(body);
    if (brief === undefined) return this.#read(outline?.parsed() ?? body, milestones);
    return [{ type: 'message_start', message: begunBy(stringOf(body.model) ?? '') }, ...told(brief)];
  }

  #read(
    body: JsonObject | undefined,
    eventsOf: (answer: Answer) => readonly ReplyEvent[],
  ): readonly ReplyEvent[] {
    const whole = body === undefined ? undefined : this.#reader.read(body);
    if (whole === undefined) return [];
    return 'error' in whole ? [{ type: 'error', ...whole }] : eventsOf(whole.answer);
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

function told({ stop_reason, usage }: Glimpse): readonly ReplyEvent[] {
  return [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }];
}

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

/** Parsing a short text takes no longer than to find what to leave out of it. One with escapes in its keys isn't for JSON.parse. */
function smallObject(json: Buffer): JsonObject | undefined {
  if (json.byteLength > smallBytes || json.includes(backslash)) return undefined;
  try {
    return objectOf(JSON.parse(json.toString('utf8')));
  } catch {
    return undefined;
  }
}

const smallBytes = 4096;
const backslash = 92;

/** Most answers come in one chunk, which needs no copy. */
function joined(chunks: readonly Uint8Array[]): Buffer {
  const [only] = chunks;
  if (only === undefined || chunks.length > 1) return Buffer.concat(chunks);
  return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}
