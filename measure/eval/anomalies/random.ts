/** Random numbers that are the same for the same seed. */
export class Random {
  #state: number;
  #spare: number | undefined;

  constructor(seed: number) {
    this.#state = (seed * 2654435761) >>> 0;
    for (let at = 0; at < 8; at++) this.uniform();
  }

  /** From 0 to 1. */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** Between the two, evenly by orders of magnitude. */
  scaled(low: number, high: number): number {
    return low * (high / low) ** this.uniform();
  }

  isLikely(share: number): boolean {
    return this.uniform() < share;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.uniform() * items.length)] ?? items[0];
  }

  normal(): number {
    if (this.#spare !== undefined) {
      const spare = this.#spare;
      this.#spare = undefined;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform());
  }

  /** With a mean of 1. */
  logNormal(sigma: number): number {
    return Math.exp(sigma * this.normal() - (sigma * sigma) / 2);
  }

  /** At least 1, with a tail of this index. */
  pareto(index: number): number {
    return (1 - this.uniform()) ** (-1 / index);
  }

  poisson(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const limit = Math.exp(-mean);
    let product = this.uniform();
    let count = 0;
    for (; product > limit; count++) product *= this.uniform();
    return count;
  }

  binomial(count: number, share: number): number {
    if (share <= 0 || count <= 0) return 0;
    if (share >= 1) return count;
    if (count > 40) {
      const mean = count * share;
      if (mean > 15 && count - mean > 15)
        return Math.min(count, Math.max(0, Math.round(mean + Math.sqrt(mean * (1 - share)) * this.normal())));
      return Math.min(count, share < 0.5 ? this.poisson(mean) : count - this.poisson(count - mean));
    }
    let hits = 0;
    for (let at = 0; at < count; at++) if (this.uniform() < share) hits++;
    return hits;
  }

  /** The sum of so many log-normal amounts with a mean of 1. */
  sumOfLogNormals(count: number, sigma: number): number {
    if (count > 60) {
      // The sum is nearly log-normal itself.
      const spread = Math.log(1 + (Math.exp(sigma * sigma) - 1) / count);
      return count * this.logNormal(Math.sqrt(spread));
    }
    let sum = 0;
    for (let at = 0; at < count; at++) sum += this.logNormal(sigma);
    return sum;
  }
}
