import { moduleRanges } from '../../api/queries.ts';
import { type SearchParams, texts } from '../../parts/search-params.ts';

interface ModulesSearch {
  readonly open?: string;
  readonly range?: keyof typeof moduleRanges;
}

export function modulesSearch({ range, ...search }: SearchParams): ModulesSearch {
  return {
    ...texts(search, ['open']),
    ...(typeof range === 'string' &&
      Object.hasOwn(moduleRanges, range) && { range: range as keyof typeof moduleRanges }),
  };
}
