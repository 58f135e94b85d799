/** A pattern in which `*` stands for any characters, also for none. Case counts. */
export class Wildcard {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** Undefined for a pattern without `*`. */
  readonly #last: string | undefined;

  constructor(pattern: string) {
    const [first = '', ...rest] = pattern.split('*');
    this.#first = first;
    this.#last = rest.pop();
    this.#middle = rest.filter((part) => part !== '');
  }

  /** Whether a text with this beginning can match. */
  mayBegin(prefix: string): boolean {
    if (this.#last === undefined) return this.#first.startsWith(prefix);
    return this.#first.startsWith(prefix) || prefix.startsWith(this.#first);
  }

  /** Whether every text with this beginning matches. */
  matchesAllFrom(prefix: string): boolean {
    return this.#last === '' && this.#middle.length === 0 && prefix.startsWith(this.#first);
  }

  /** The earliest place of each part is as good as any other, so there is no going back. */
  matches(text: string): boolean {
    if (this.#last === undefined) return text === this.#first;
    if (!text.startsWith(this.#first)) return false;
    let from = this.#first.length;
    for (const part of this.#middle) {
      const at = text.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return text.length - this.#last.length >= from && text.endsWith(this.#last);
  }
}
