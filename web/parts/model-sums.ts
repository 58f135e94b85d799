import type { paths } from '../api/schema.ts';

type Summary = paths['/v1/requests/summary']['get']['responses'][200]['content']['application/json'];
/** What calls of a model came to in a period. */
export type ModelSums = Summary['models'][number];

/**
 * Each model once: calls that were rejected before they reached a provider count for the model that they asked for, whose other calls have a provider.
 */
export function mergeUnsent(models: readonly ModelSums[]): readonly ModelSums[] {
  const merged = models.filter(({ provider }) => provider !== null);
  for (const unsent of models.filter(({ provider }) => provider === null)) {
    const isSame = ({ provider, model }: ModelSums) =>
      model === unsent.model || `${provider}/${model}` === unsent.model;
    const at = merged.findIndex((one) => one.provider !== null && isSame(one));
    const sent = merged[at];
    if (sent === undefined) merged.push(unsent);
    else merged[at] = addUnsent(sent, unsent);
  }
  return merged;
}

const figures = [
  ...(['requests', 'failed', 'cached', 'input_tokens', 'output_tokens'] as const),
  ...(['cache_read_tokens', 'cache_write_tokens'] as const),
];

/** Calls that were not sent cost nothing, and have no first token. */
export function addUnsent(sent: ModelSums, unsent: ModelSums): ModelSums {
  const sums = Object.fromEntries(figures.map((name) => [name, sent[name] + unsent[name]]));
  return { ...sent, ...sums };
}
