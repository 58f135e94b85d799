import { parseWeightedModel } from '../../kernel/weighted-model.ts';
import { limits } from '../limits.ts';
import { depthOf, expandModels, type FindModels } from './alias-models.ts';

/** One for each name in a list that is neither a model nor an alias. */
export function modelFaults(
  models: readonly string[],
  isKnown: (name: string) => boolean,
): readonly string[] {
  const unknown = models.map((text) => parseWeightedModel(text).model).filter((name) => !isKnown(name));
  return unknown.map(
    (name) => `models: ${JSON.stringify(name.slice(0, 100))} is no model of a provider here, and no alias`,
  );
}

/** What is wrong with these aliases once the aliases in them are replaced by their models. */
export function expansionFaults(names: Iterable<string>, find: FindModels): readonly string[] {
  const { aliasModelsMax, aliasLevelsMax } = limits;
  return [...names].flatMap((name) => {
    const models = find(name) ?? [];
    const depth = depthOf(models, find);
    if (depth === undefined) return [`"${name}" would contain itself`];
    if (depth > aliasLevelsMax)
      return [`"${name}" would have aliases in aliases over more than ${aliasLevelsMax} levels`];
    const count = expandModels(models, find).length;
    return count <= aliasModelsMax
      ? []
      : [`"${name}" would stand for ${count} models, and the maximum is ${aliasModelsMax}`];
  });
}
