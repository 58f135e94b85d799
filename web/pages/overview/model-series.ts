import type { Summary } from '../../api/queries.ts';
import type { Series } from '../../parts/chart-series.ts';

const modelsMax = 5;

/** An amount of each model over time: those with the highest cost, and all others. */
export function seriesByModel(
  { spans, models }: Summary,
  amountOf: (model: Summary['spans'][number]['models'][number]) => number,
): readonly Series[] {
  const names = [...new Set(models.map(({ model }) => model))];
  const first = names.slice(0, modelsMax);
  const of = (pick: (model: string) => boolean) =>
    spans.map((span) => span.models.reduce((sum, one) => (pick(one.model) ? sum + amountOf(one) : sum), 0));
  return [
    ...first.map((name) => ({ label: name, values: of((model) => model === name) })),
    ...(names.length > modelsMax ? [{ label: 'Others', values: of((model) => !first.includes(model)) }] : []),
  ];
}
