import { limits } from './limits.ts';

interface RepeatedLine {
  first(): void;
  /** Called at the end of the interval with the number of those that had no line of their own. */
  others(more: number): void;
}

/** Bounds lines that clients cause: the first of each kind in an interval are written, and the number of the others at its end. */
export class RepeatedLines {
  readonly #intervalMs: number;
  readonly #recent = new Map<string, { count: number; others: RepeatedLine['others'] }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  write(kind: string, { first, others }: RepeatedLine): void {
    const recent = this.#recent.get(kind) ?? { count: 0, others };
    this.#recent.set(kind, recent);
    if (++recent.count <= limits.refusalLines) first();
    this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs).unref();
  }

  /** Starts a new interval. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { count, others } of this.#recent.values())
      if (count > limits.refusalLines) others(count - limits.refusalLines);
    this.#recent.clear();
  }
}
