/** Whether the client still waits. An AbortSignal says the same, costs more, and is made only for who asks for one. */
export class ClientPresence {
  /** Its place among the open calls. */
  listIndex = -1;
  #hasLeft = false;
  #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#hasLeft) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Runs when the client leaves, at once if it has left. */
  onLeave(listener: () => void): void {
    if (this.#hasLeft) listener();
    else this.#listeners.push(listener);
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
    this.#controller?.abort();
  }
}
