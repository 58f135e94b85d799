import { systemClock } from '../lib/clock.ts';

/** Counters and histograms, bound to their labels once and then only added to. */
export class CounterFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #children = new Map<string, Counter>();

  constructor(name: string, help: string, labels: readonly string[]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
  }

  /** The counter for these label values, in the order of the labels. */
  with(...values: readonly string[]): Counter {
    const key = formatLabels(this.#labels, values);
    let child = this.#children.get(key);
    if (child === undefined) {
      child = { value: 0 };
      this.#children.set(key, child);
    }
    return child;
  }

  render(): string {
    const lines = [...this.#children].map(([labels, { value }]) => `${this.#name}{${labels}} ${value}\n`);
    return `# HELP ${this.#name} ${this.#help}\n# TYPE ${this.#name} counter\n${lines.join('')}`;
  }
}

export interface Counter {
  value: number;
}

export class HistogramFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #labels: readonly string[];
  readonly #bounds: readonly number[];
  readonly #children = new Map<string, Histogram>();

  constructor(name: string, help: string, labels: readonly string[], bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#labels = labels;
    this.#bounds = bounds;
  }

  with(...values: readonly string[]): Histogram {
    const key = formatLabels(this.#labels, values);
    let child = this.#children.get(key);
    if (child === undefined) {
      child = new Histogram(this.#bounds);
      this.#children.set(key, child);
    }
    return child;
  }

  render(): string {
    const lines = [...this.#children].map(([labels, histogram]) => histogram.render(this.#name, labels));
    return `# HELP ${this.#name} ${this.#help}\n# TYPE ${this.#name} histogram\n${lines.join('')}`;
  }
}

/** One observation of a bucket, with the trace to look at. */
interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  readonly atMs: number;
}

export class Histogram {
  readonly #bounds: readonly number[];
  /** One more than there are bounds: the last is for values above all of them. */
  readonly #counts: number[];
  /** The newest of each bucket. */
  readonly #exemplars: (Exemplar | undefined)[] = [];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  /** `traceId` is the trace of the observed call, if it is sampled. */
  observe(value: number, traceId?: string): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
    if (traceId !== undefined) this.#exemplars[at] = { traceId, value, atMs: systemClock.now() };
  }

  /** The values until now; the buckets are not cumulative. */
  snapshot() {
    return {
      count: this.#counts.reduce((total, count) => total + count, 0),
      sum: this.#sum,
      bucketCounts: [...this.#counts],
      bounds: this.#bounds,
    };
  }

  render(name: string, labels: string): string {
    const comma = labels === '' ? '' : ',';
    let total = 0;
    let text = '';
    for (const [at, count] of this.#counts.entries()) {
      total += count;
      text += `${name}_bucket{${labels}${comma}le="${this.#bounds[at] ?? '+Inf'}"} ${total}${renderExemplar(this.#exemplars[at])}\n`;
    }
    return `${text}${name}_sum{${labels}} ${this.#sum}\n${name}_count{${labels}} ${total}\n`;
  }
}

function renderExemplar(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return '';
  return ` # {trace_id="${exemplar.traceId}"} ${exemplar.value} ${exemplar.atMs / 1000}`;
}

export function formatLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, at) => `${name}="${escapeLabel(values[at] ?? '')}"`).join(',');
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
