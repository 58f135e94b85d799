import type { StreamLayout } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { parseObject } from '../json-values.ts';
import { type SseFrame, SseParser } from '../sse.ts';

/** A stream as one growing JSON array of responses: the default without `alt=sse`. */
export class JsonArrayStream implements StreamLayout {
  readonly contentType = 'application/json; charset=UTF-8';
  readonly keepAlive = Buffer.from('\n');
  readonly #sse = new SseParser();
  #hasElements = false;

  push(chunk: Uint8Array): Uint8Array | undefined {
    const text = this.#elements(this.#sse.push(chunk));
    return text === '' ? undefined : Buffer.from(text);
  }

  end(): Uint8Array {
    return Buffer.from(`${this.#elements(this.#sse.end())}${this.#hasElements ? '' : '['}]\n`);
  }

  /** Drops an incomplete frame before the error. */
  encodeError(envelope: JsonObject): Uint8Array {
    return Buffer.from(`${this.#hasElements ? elementSeparator : '['}${JSON.stringify(envelope)}]\n`);
  }

  /** Skips comments and other frames that are not responses. */
  #elements(frames: readonly SseFrame[]): string {
    let text = '';
    for (const { data } of frames) {
      if (parseObject(data) === undefined) continue;
      text += (this.#hasElements ? elementSeparator : '[') + data;
      this.#hasElements = true;
    }
    return text;
  }
}

const elementSeparator = ',\r\n';
