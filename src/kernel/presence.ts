/** Whether the client still waits. An AbortSignal says the same, costs more, and is made only for who asks for one. */
export class Presence {
  /** Its place among the open calls. */
  place = -1;
  #gone = false;
  #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;

  get gone(): boolean {
    return this.#gone;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#gone) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Runs when the client leaves, at once if it has left. */
  onGone(listener: () => void): void {
    if (this.#gone) listener();
    else this.#listeners.push(listener);
  }

  leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
    this.#controller?.abort();
  }
}
