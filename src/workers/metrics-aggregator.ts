import { splitExemplar } from '../telemetry/exposition.ts';

/** The sum of a series. */
interface Sample {
  value: number;
  /** The newest one of any process. */
  exemplar: Exemplar | undefined;
}

type Exemplar = ReturnType<typeof splitExemplar>['exemplar'];

/** A metric family as it is rendered, with its sums. */
interface MetricFamily {
  readonly name: string;
  readonly kind: string;
  /** Its HELP and TYPE lines. */
  readonly head: string;
  /** By name and labels. */
  readonly samples: Map<string, Sample>;
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
    this.#parse(text, (metricFamily, series, sample) => {
      this.#addSample(
        metricFamily,
        isPerProcess(metricFamily) ? withWorkerLabel(series, worker) : series,
        sample,
      );
    });
  }

  /** Adds only counters, for a process that has ended. */
  addCounters(text: string): void {
    this.#parse(text, (metricFamily, series, sample) => {
      if (metricFamily.kind !== 'gauge' && !isPerProcess(metricFamily))
        this.#addSample(metricFamily, series, sample);
    });
  }

  render(): string {
    let text = '';
    for (const { head, samples } of this.#families.values()) {
      text += head;
      for (const [series, { value, exemplar }] of samples)
        text += `${series} ${value}${exemplar?.text ?? ''}\n`;
    }
    return text;
  }

  #parse(text: string, look: (metricFamily: MetricFamily, series: string, sample: Sample) => void): void {
    let metricFamily: MetricFamily | undefined;
    let help = '';
    for (const line of text.split('\n')) {
      if (line.startsWith('# HELP ')) help = line;
      else if (line.startsWith('# TYPE ')) metricFamily = this.#family(help, line);
      else if (metricFamily !== undefined && line !== '') {
        const { sample, exemplar } = splitExemplar(line);
        // A label may contain a space, a value cannot.
        const gap = sample.lastIndexOf(' ');
        look(metricFamily, sample.slice(0, gap), { value: Number(sample.slice(gap + 1)), exemplar });
      }
    }
  }

  #family(help: string, type: string): MetricFamily {
    const [, , name = '', kind = ''] = type.split(' ');
    const existing = this.#families.get(name);
    if (existing !== undefined) return existing;
    const family = { name, kind, head: `${help}\n${type}\n`, samples: new Map<string, Sample>() };
    this.#families.set(name, family);
    return family;
  }

  #addSample({ samples }: MetricFamily, series: string, sample: Sample): void {
    const sum = samples.get(series);
    if (sum !== undefined) {
      sum.value += sample.value;
      if ((sample.exemplar?.atSeconds ?? 0) > (sum.exemplar?.atSeconds ?? 0)) sum.exemplar = sample.exemplar;
    } else if (this.#series < this.#seriesMax) {
      this.#series++;
      samples.set(series, sample);
    }
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
