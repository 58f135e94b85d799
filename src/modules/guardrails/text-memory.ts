/**
 * Results by text, for clients that send all earlier messages with each call. Owners share nothing: the time that a call takes would
 * show one what another has sent. Two generations bound the memory: texts that weren't used during a whole one are dropped with it.
 */
export class TextMemory<Result> {
  readonly #charactersMax: number;
  #fresh = new Map<string, Map<string, Result>>();
  #stale: ReadonlyMap<string, ReadonlyMap<string, Result>> = new Map();
  #characters = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax / 2;
  }

  get(owner: string, text: string): Result | undefined {
    const fresh = this.#fresh.get(owner)?.get(text);
    if (fresh !== undefined) return fresh;
    const stale = this.#stale.get(owner)?.get(text);
    if (stale !== undefined) this.set(owner, text, stale);
    return stale;
  }

  set(owner: string, text: string, result: Result): void {
    if (text.length > this.#charactersMax) return;
    if (this.#characters + text.length > this.#charactersMax) {
      this.#stale = this.#fresh;
      this.#fresh = new Map();
      this.#characters = 0;
    }
    const results = this.#fresh.get(owner) ?? new Map<string, Result>();
    if (!results.has(text)) this.#characters += text.length + entryCharacters;
    this.#fresh.set(owner, results.set(text, result));
  }
}

/** What an entry takes beside its text. */
const entryCharacters = 100;
