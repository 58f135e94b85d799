/** How many took how long, by bins that are an eighth of a natural logarithm wide: what is told is within 7 % of what was. */
export class Times {
  readonly #bins = new Map<number, number>();
  #all = 0;

  add(bin: number, times: number): void {
    this.#bins.set(bin, (this.#bins.get(bin) ?? 0) + times);
    this.#all += times;
  }

  /** In milliseconds; null where there were none. */
  quantile(share: number): number | null {
    const before = this.#all * share;
    let passed = 0;
    for (const [bin, times] of [...this.#bins].sort(([one], [other]) => one - other)) {
      passed += times;
      if (passed > before || passed === this.#all) return middleOf(bin);
    }
    return null;
  }
}

function middleOf(bin: number): number {
  return Number((Math.exp((bin + 0.5) / 8) / 1000).toPrecision(3));
}
