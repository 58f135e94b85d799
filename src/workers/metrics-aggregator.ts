/** A metric family in the Prometheus text format, with its sums. */
interface MetricFamily {
  readonly name: string;
  readonly kind: string;
  /** Its HELP and TYPE lines. */
  readonly head: string;
  /** By name and labels. */
  readonly samples: Map<string, number>;
}

/** The metrics of one process. */
export interface ProcessMetrics {
  readonly worker: string;
  readonly text: string;
}

/** Merges the metrics of several processes: sums counts, and labels metrics about a process. */
export class MetricsAggregator {
  readonly #families = new Map<string, MetricFamily>();
  readonly #seriesMax: number;
  #series = 0;

  constructor(seriesMax = Number.POSITIVE_INFINITY) {
    this.#seriesMax = seriesMax;
  }

  add({ worker, text }: ProcessMetrics): void {
    this.#parse(text, (metricFamily, series, value) => {
      this.#addSample(
        metricFamily,
        isPerProcess(metricFamily) ? withWorkerLabel(series, worker) : series,
        value,
      );
    });
  }

  /** Adds only counters, for a process that has ended. */
  addCounters(text: string): void {
    this.#parse(text, (metricFamily, series, value) => {
      if (metricFamily.kind !== 'gauge' && !isPerProcess(metricFamily))
        this.#addSample(metricFamily, series, value);
    });
  }

  render(): string {
    let text = '';
    for (const { head, samples } of this.#families.values()) {
      text += head;
      for (const [series, value] of samples) text += `${series} ${value}\n`;
    }
    return text;
  }

  #parse(text: string, look: (metricFamily: MetricFamily, series: string, value: number) => void): void {
    let metricFamily: MetricFamily | undefined;
    let help = '';
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) help = line;
      else if (line.startsWith('# TYPE ')) metricFamily = this.#family(help, line);
      else if (metricFamily !== undefined && line !== '') {
        // A label may contain a space, a value cannot.
        const gap = line.lastIndexOf(' ');
        look(metricFamily, line.slice(0, gap), Number(line.slice(gap + 1)));
      }
    }
  }

  #family(help: string, type: string): MetricFamily {
    const [, , name = '', kind = ''] = type.split(' ');
    const existing = this.#families.get(name);
    if (existing !== undefined) return existing;
    const family = { name, kind, head: `${help}\n${type}\n`, samples: new Map<string, number>() };
    this.#families.set(name, family);
    return family;
  }

  #addSample({ samples }: MetricFamily, series: string, value: number): void {
    const before = samples.get(series);
    if (before === undefined && this.#series >= this.#seriesMax) return;
    if (before === undefined) this.#series++;
    samples.set(series, (before ?? 0) + value);
  }
}

/** Metrics that make no sense as a sum, such as up/down states, memory and CPU. */
function isPerProcess({ name }: MetricFamily): boolean {
  return /^(process|nodejs)_|_(up|info|skew_seconds)$/.test(name);
}

function withWorkerLabel(series: string, worker: string): string {
  return series.endsWith('}')
    ? `${series.slice(0, -1)},worker="${worker}"}`
    : `${series}{worker="${worker}"}`;
}
