import { useQuery } from '@tanstack/react-query';
import { catalog } from '../../api/queries.ts';
import type { Draft } from './draft.ts';

const names: Readonly<Record<string, string>> = {
  tools: 'tools',
  images: 'images',
  json_schema: 'a JSON schema',
};

/** What the chosen models can do, as far as the catalog knows. */
export function useFeatures(draft: Draft) {
  const { data } = useQuery(catalog);
  const found = draft.targets.map(({ model: name }) => {
    const model = data?.models.find(({ id, provider }) => id === name || `${provider}/${id}` === name);
    return { name, features: model?.features ?? undefined, most: model?.output_tokens_max ?? undefined };
  });
  const can = (feature: string) => found.some(({ features }) => features?.includes(feature) !== false);
  const limits = found.flatMap(({ most }) => (most === undefined ? [] : [most]));
  const warnings = neededBy(draft).flatMap((feature) =>
    found
      .filter(({ features }) => features?.includes(feature) === false)
      .map(({ name }) => `${name} does not support ${names[feature]}.`),
  );
  return {
    can,
    outputTokensMax: limits.length === found.length ? Math.max(...limits) : undefined,
    warnings: [...new Set(warnings)],
  };
}

function neededBy({ turns, tools, schema }: Draft): readonly string[] {
  const hasImage = turns.some(({ content }) => content.some(({ type }) => type === 'image'));
  return [
    ...(tools.length > 0 ? ['tools'] : []),
    ...(hasImage ? ['images'] : []),
    ...(schema === undefined ? [] : ['json_schema']),
  ];
}
