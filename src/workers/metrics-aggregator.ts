/** What a family of figures in Prometheus's text format is, and what it comes to. */
interface MetricFamily {
  readonly name: string;
  readonly kind: string;
  /** Its help and type, as they were said. */
  readonly head: string;
  /** By series: name and labels. */
  readonly samples: Map<string, number>;
}

/** Figures of one process, and which it is. */
export interface ProcessMetrics {
  readonly worker: string;
  readonly text: string;
}

/** Adds up figures of several processes: those that count things become one sum, those about a process stay its own. */
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

  /** Only what never falls, for a process that has ended: what it counted was counted. */
  addCounters(text: string): void {
    this.#parse(text, (metricFamily, series, value) => {
      if (metricFamily.kind !== 'gauge') this.#addSample(metricFamily, series, value);
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
        // A label may have a space in it, a figure has none.
        const gap = line.lastIndexOf(' ');
        look(metricFamily, line.slice(0, gap), Number(line.slice(gap + 1)));
      }
    }
  }

  #family(help: string, type: string): MetricFamily {
    const [, , name = '', kind = ''] = type.split(' ');
    const known = this.#families.get(name);
    if (known !== undefined) return known;
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

/** Times, shares and yes-or-no would mean nothing as a sum; memory and CPU mean more when they are apart. */
function isPerProcess({ name, kind }: MetricFamily): boolean {
  return kind === 'gauge' && /^(process|nodejs)_|_up$/.test(name);
}

function withWorkerLabel(series: string, worker: string): string {
  return series.endsWith('}')
    ? `${series.slice(0, -1)},worker="${worker}"}`
    : `${series}{worker="${worker}"}`;
}
