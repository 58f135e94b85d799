interface RepeatedLine {
  first(): void;
  /** Called at the end of the interval with the number of those that had no line of their own. */
  others(more: number): void;
}

/** Bounds lines that clients cause: the first of each kind in an interval are written, and the number of the others at its end. */
export class RepeatedLines {
  readonly #intervalMs: number;
  readonly #most: number;
  readonly #recent = new Map<string, { count: number; others: RepeatedLine['others'] }>();
  #timer: NodeJS.Timeout | undefined;

  /** `most` lines of each kind are written in an interval. */
  constructor(intervalMs: number, most: number) {
    this.#intervalMs = intervalMs;
    this.#most = most;
  }

  write(kind: string, { first, others }: RepeatedLine): void {
    const recent = this.#recent.get(kind) ?? { count: 0, others };
    this.#recent.set(kind, recent);
    if (++recent.count <= this.#most) first();
    this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs).unref();
  }

  /** Starts a new interval. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { count, others } of this.#recent.values()) if (count > this.#most) others(count - this.#most);
    this.#recent.clear();
  }
}
