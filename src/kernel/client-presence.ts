/** Whether the client is still connected. Cheaper than an AbortSignal, which is created on demand only. */
export class ClientPresence {
  /** Its index among the open calls. */
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

  /** Runs when the client leaves, or at once if it has left. */
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
