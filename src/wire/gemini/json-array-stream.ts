import type { StreamLayout } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { parseObject } from '../json-values.ts';
import { SseParser } from '../sse.ts';

/** A stream as one growing JSON array of responses: the default without `alt=sse`. */
export class JsonArrayStream implements StreamLayout {
  readonly contentType = 'application/json; charset=UTF-8';
  readonly keepAlive = Buffer.from('\n');
  readonly #sse = new SseParser();
  #hasElements = false;

  push(chunk: Uint8Array): Uint8Array | undefined {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = errorFrameStart(bytes);
    const frames = this.#sse.push(bytes.subarray(0, end)).map(({ data }) => data);
    const text = this.#elements([...frames, bytes.toString('utf8', end)]);
    return text === '' ? undefined : Buffer.from(text);
  }

  end(): Uint8Array {
    const text = this.#elements(this.#sse.end().map(({ data }) => data));
    return Buffer.from(`${text}${this.#hasElements ? '' : '['}]\n`);
  }

  /** Drops an incomplete frame before the error. */
  encodeError(envelope: JsonObject): Uint8Array {
    return Buffer.from(`${this.#hasElements ? elementSeparator : '['}${JSON.stringify(envelope)}]\n`);
  }

  /** Skips comments and other frames that are not responses. */
  #elements(frames: readonly string[]): string {
    let text = '';
    for (const data of frames) {
      if (parseObject(data) === undefined) continue;
      text += (this.#hasElements ? elementSeparator : '[') + data;
      this.#hasElements = true;
    }
    return text;
  }
}

/** Where an error frame begins, which is no server-sent event; the end if there is none. */
function errorFrameStart(bytes: Buffer): number {
  const at = bytes.indexOf('{"error":');
  const isLineStart = at === 0 || bytes[at - 1] === lineFeed;
  return at >= 0 && isLineStart ? at : bytes.byteLength;
}

const lineFeed = 10;
const elementSeparator = ',\r\n';
