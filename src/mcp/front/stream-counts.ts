import { GatewayError } from '../../kernel/errors.ts';

/** Counts what accounts have open in this process, up to a maximum. */
export class StreamCounts {
  readonly #max: number;
  readonly #what: string;
  readonly #counts = new Map<string, number>();

  constructor(max: number, what: string) {
    this.#max = max;
    this.#what = what;
  }

  /** Rejects one too many. The returned function ends it, once. */
  count(accountId: string): () => void {
    const open = this.#counts.get(accountId) ?? 0;
    if (open >= this.#max)
      throw new GatewayError(
        'concurrency_limit',
        `this account has ${open} ${this.#what} at the MCP endpoint`,
        {
          retryAfterSeconds: 1,
        },
      );
    this.#counts.set(accountId, open + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#counts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(accountId);
      else this.#counts.set(accountId, left);
    };
  }
}
