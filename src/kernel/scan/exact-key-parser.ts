// JSON.parse of V8 may confuse a key with an escape with another key that it saw before, from any sender
// (https://github.com/nodejs/node/issues/63785). This parser reads keys one by one.
import { skipSpace, valueEnd } from '../../lib/json-scan.ts';

/** Parses a text that is known to be valid JSON. */
export function parseExactKeys(text: string): unknown {
  return new ExactKeyParser(text).value();
}

class ExactKeyParser {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#peek()) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      default:
        return this.#scalar();
    }
  }

  #object(): object {
    const members: [string, unknown][] = [];
    for (this.#position++; this.#peek() !== '}'; this.#skip(',')) {
      const key = String(this.#scalar());
      this.#skip(':');
      members.push([key, this.value()]);
    }
    this.#position++;
    return Object.fromEntries(members);
  }

  #array(): readonly unknown[] {
    const items: unknown[] = [];
    for (this.#position++; this.#peek() !== ']'; this.#skip(',')) items.push(this.value());
    this.#position++;
    return items;
  }

  #scalar(): unknown {
    const start = this.#position;
    this.#position = valueEnd(this.#text, start);
    return JSON.parse(this.#text.slice(start, this.#position));
  }

  /** The next character that is no whitespace. */
  #peek(): string {
    this.#position = skipSpace(this.#text, this.#position);
    return this.#text.charAt(this.#position);
  }

  #skip(separator: string): void {
    if (this.#peek() === separator) this.#position++;
  }
}
