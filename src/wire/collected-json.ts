import type { JsonObject } from '../kernel/json.ts';
import type { ReplyEvent } from '../kernel/message.ts';
import type { ReplyDecoder } from '../kernel/wire-format.ts';
import { parseObject } from './read.ts';

/** Reads an unstreamed answer: bytes are kept until the end and parsed once. What is no JSON has no events. */
export class CollectedJson implements ReplyDecoder {
  readonly finished = true;
  readonly #chunks: Uint8Array[] = [];
  readonly #eventsOf: (body: JsonObject) => Iterable<ReplyEvent>;

  constructor(eventsOf: (body: JsonObject) => Iterable<ReplyEvent>) {
    this.#eventsOf = eventsOf;
  }

  push(chunk: Uint8Array): readonly ReplyEvent[] {
    this.#chunks.push(chunk);
    return [];
  }

  end(): readonly ReplyEvent[] {
    const [only] = this.#chunks;
    const whole =
      only !== undefined && this.#chunks.length === 1
        ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
        : Buffer.concat(this.#chunks);
    const body = parseObject(whole.toString('utf8'));
    this.#chunks.length = 0;
    return body === undefined ? [] : [...this.#eventsOf(body)];
  }
}
