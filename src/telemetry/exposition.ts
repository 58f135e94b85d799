interface Exposition {
  readonly body: string;
  readonly contentType: string;
}

/** Metrics as the gateway renders them: the text format of Prometheus, with exemplars as OpenMetrics writes them. */
type RenderedMetrics = string;

/** The metrics in a format that the scraper accepts. Only OpenMetrics has exemplars; Prometheus asks for it. */
export function formatMetrics(metrics: RenderedMetrics, accept: string | undefined): Exposition {
  return accept?.includes('application/openmetrics-text') === true
    ? {
        body: toOpenMetrics(metrics),
        contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
      }
    : { body: toTextFormat(metrics), contentType: 'text/plain; version=0.0.4; charset=utf-8' };
}

/** In OpenMetrics `_total` belongs to the samples of a counter, not to its name. */
function toOpenMetrics(metrics: RenderedMetrics): string {
  const counters = new Set([...metrics.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name));
  const body = metrics.replace(/^(# (?:HELP|TYPE) )(\S+)/gm, (head, keyword: string, name: string) =>
    counters.has(name) ? `${keyword}${name.replace(/_total$/, '')}` : head,
  );
  return `${body}# EOF\n`;
}

function toTextFormat(metrics: RenderedMetrics): string {
  return metrics.includes(exemplarStart)
    ? metrics
        .split('\n')
        .map((line) => splitExemplar(line).sample)
        .join('\n')
    : metrics;
}

interface SplitLine {
  readonly sample: string;
  readonly exemplar: Exemplar | undefined;
}

interface Exemplar {
  /** With the blank before it. */
  readonly text: string;
  readonly atSeconds: number;
}

/** Separates the exemplar of a bucket from its value. */
export function splitExemplar(line: string): SplitLine {
  // Most lines have none.
  if (!line.includes(exemplarStart)) return { sample: line, exemplar: undefined };
  const found = exemplarPattern.exec(line);
  if (found === null) return { sample: line, exemplar: undefined };
  const [text, atSeconds] = found;
  return { sample: line.slice(0, found.index), exemplar: { text, atSeconds: Number(atSeconds) } };
}

const exemplarStart = ' # {trace_id="';
/** No label can contain it, since quotes are escaped there. */
const exemplarPattern = / # \{trace_id="[0-9a-f]{32}"\} \S+ (\S+)$/;
