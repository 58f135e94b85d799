import { formatWeightedModels, parseWeightedModel, type WeightedModel } from '../../kernel/weighted-model.ts';

/** The list of a configuration, which may be written as one text with bars; undefined if it has none. */
export function modelsIn({ models }: { readonly models?: unknown }): readonly string[] | undefined {
  const listed = typeof models === 'string' ? models.split('|') : models;
  if (!Array.isArray(listed) || listed.length === 0) return undefined;
  return listed.every((one) => typeof one === 'string') ? listed : undefined;
}

/** The list of an alias; undefined for names of models and unknown names. */
export type FindModels = (alias: string) => readonly string[] | undefined;

/**
 * Replaces aliases by their models, which share the weight of the alias. Each model stays once, at its first place. An
 * alias that contains itself adds nothing.
 */
export function expandModels(models: readonly string[], find: FindModels): readonly string[] {
  const known = new Map<string, readonly WeightedModel[]>();
  const expand = (listed: readonly string[]): readonly WeightedModel[] => {
    const all = new Map<string, WeightedModel>();
    for (const text of listed) {
      const { model: name, weight } = parseWeightedModel(text);
      for (const inner of shareWeight(innerOf(name), weight))
        if (!all.has(inner.model)) all.set(inner.model, inner);
    }
    return [...all.values()];
  };
  const innerOf = (name: string): readonly WeightedModel[] => {
    const listed = find(name);
    if (listed === undefined) return [{ model: name, weight: undefined }];
    if (!known.has(name)) {
      known.set(name, []);
      known.set(name, expand(listed));
    }
    return known.get(name) ?? [];
  };
  return formatWeightedModels(expand(models));
}

function shareWeight(inner: readonly WeightedModel[], weight: number | undefined): readonly WeightedModel[] {
  if (weight === undefined && inner.every((one) => one.weight === undefined)) return inner;
  const sum = inner.reduce((total, one) => total + (one.weight ?? 1), 0);
  return inner.map((one) => ({ model: one.model, weight: ((weight ?? 1) * (one.weight ?? 1)) / sum }));
}

/** The levels of aliases in a list: 1 if it has models only; undefined if an alias contains itself. */
export function depthOf(models: readonly string[], find: FindModels): number | undefined {
  const known = new Map<string, number | undefined>();
  const depth = (listed: readonly string[]): number | undefined => {
    const depths = listed.map((text) => innerDepth(parseWeightedModel(text).model));
    return depths.includes(undefined) ? undefined : 1 + Math.max(0, ...depths.map((one) => one ?? 0));
  };
  const innerDepth = (name: string): number | undefined => {
    const listed = find(name);
    if (listed === undefined) return 0;
    if (!known.has(name)) {
      known.set(name, undefined);
      known.set(name, depth(listed));
    }
    return known.get(name);
  };
  return depth(models);
}
