/** A table built from lines of words at its first use, or line by line before that. */
export class WordTable<Entry> {
  readonly #entries = new Map<string, Entry>();
  readonly #filling: Iterator<undefined>;
  #isFull = false;

  constructor(lines: string, read: (line: string, entries: Map<string, Entry>) => void) {
    this.#filling = this.#lines(lines, read);
  }

  get(word: string): Entry | undefined {
    while (!this.#isFull) this.fillLine();
    return this.#entries.get(word);
  }

  has(word: string): boolean {
    return this.get(word) !== undefined;
  }

  /** Adds one line; returns whether there are more. */
  fillLine(): boolean {
    this.#isFull = this.#filling.next().done === true;
    return !this.#isFull;
  }

  *#lines(
    lines: string,
    read: (line: string, entries: Map<string, Entry>) => void,
  ): Generator<undefined, undefined> {
    for (const line of lines.trim().split('\n')) {
      read(line, this.#entries);
      yield undefined;
    }
  }
}
