// JSON.parse of V8 takes some keys with an escape in them for another that it saw before, whoever sent that
// (https://github.com/nodejs/node/issues/63785). Read one by one, keys are what they are.
import { skipSpace, valueEnd } from '../json-scan.ts';

/** What a text says that is known to be JSON. */
export function readSlowly(text: string): unknown {
  return new SlowReader(text).value();
}

class SlowReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case '{':
        return this.#object();
      case '[':
        return this.#list();
      default:
        return this.#scalar();
    }
  }

  #object(): object {
    const members: [string, unknown][] = [];
    for (this.#at++; this.#next() !== '}'; this.#skip(',')) {
      const key = String(this.#scalar());
      this.#skip(':');
      members.push([key, this.value()]);
    }
    this.#at++;
    return Object.fromEntries(members);
  }

  #list(): readonly unknown[] {
    const items: unknown[] = [];
    for (this.#at++; this.#next() !== ']'; this.#skip(',')) items.push(this.value());
    this.#at++;
    return items;
  }

  #scalar(): unknown {
    const start = this.#at;
    this.#at = valueEnd(this.#text, start);
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  /** The next character that is no space. */
  #next(): string {
    this.#at = skipSpace(this.#text, this.#at);
    return this.#text.charAt(this.#at);
  }

  #skip(separator: string): void {
    if (this.#next() === separator) this.#at++;
  }
}
