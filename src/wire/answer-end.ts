import { glance } from './glance.ts';

/** The end of an answer in JSON, with a character for each byte: what is cut in the middle stays as harmless as it was. */
export class AnswerEnd {
  readonly #text: string;

  constructor(json: Buffer, bytes: number) {
    this.#text = json.toString('latin1', Math.max(0, json.byteLength - bytes));
  }

  /** A field at this depth. Undefined where it isn't there or there is any doubt. */
  field(name: string, depth: number): unknown {
    return glance(this.#text, name, depth);
  }

  /** Whether a field stands there, at any depth: `quoted` matches its name with its quotes, which inside of a string are escaped. */
  has(quoted: RegExp): boolean {
    return quoted.test(this.#text);
  }
}

/** The field `model` among plain fields at the beginning, where it mostly stands. */
export function firstModel(json: Buffer): string | undefined {
  return plainFieldsThenModel.exec(json.toString('latin1', 0, beginningBytes))?.[1];
}

const beginningBytes = 256;

const plainFieldsThenModel =
  /^\s*\{\s*(?:"\w+"\s*:\s*(?:"[^"\\]*"|[-+.\w]+)\s*,\s*)*?"model"\s*:\s*"([ -!#-[\]-~]*)"/;
