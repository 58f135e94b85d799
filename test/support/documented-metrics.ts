import { textOf } from './documents.ts';

interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** The metrics of docs/reference/metrics.md. */
export function documentedMetrics(): readonly DocumentedMetric[] {
  const rows = textOf('docs/reference/metrics.md').matchAll(
    /^\| `((?:weir|process|nodejs)_\w+)` \| (\w+) \| (.*?) ?\|/gm,
  );
  return [...rows].map(([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  }));
}
