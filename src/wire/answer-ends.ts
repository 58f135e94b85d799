import { glance } from './glance.ts';

/** The two ends of an answer in JSON, with a character for each byte: what is cut in the middle stays harmless. */
export class AnswerEnds {
  readonly #json: Buffer;
  readonly #first: string;
  readonly #last: string;

  constructor(json: Buffer, lastBytes: number) {
    this.#json = json;
    this.#last = json.toString('latin1', Math.max(0, json.byteLength - lastBytes));
    this.#first = json.byteLength <= lastBytes ? this.#last : json.toString('latin1', 0, firstBytes);
  }

  /** The field `model` among plain fields at the beginning, where it mostly stands. */
  get model(): string | undefined {
    return plainFieldsThenModel.exec(this.#first)?.[1];
  }

  /** A field near the end at this depth. Undefined where it isn't there or there is any doubt. */
  field(name: string, depth: number): unknown {
    return glance(this.#last, name, depth);
  }

  /** Whether there is one field of this name in all of the answer. */
  hasOne(name: string): boolean {
    const quoted = `"${name}"`;
    return this.#json.indexOf(quoted) === this.#json.lastIndexOf(quoted);
  }

  /** Whether a field stands near the end: `quoted` matches its name with its quotes, which in a string are escaped. */
  has(quoted: RegExp): boolean {
    return quoted.test(this.#last);
  }
}

const firstBytes = 256;

const plainFieldsThenModel =
  /^\s*\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|[-+.\w]+)\s*,\s*)*?"model"\s*:\s*"([ -!#-[\]-~]*)"/;
