import type { RangeName } from '../../api/queries.ts';
import { isRangeName, type SearchParams, texts } from '../../parts/search-params.ts';

/** What the list of models shows. */
export interface ModelsSearch {
  readonly range?: RangeName | undefined;
  readonly q?: string | undefined;
  readonly provider?: string | undefined;
  readonly ability?: string | undefined;
  readonly show?: 'key' | 'used' | undefined;
  /** The title of a column; `-` in front of it sorts the largest first. */
  readonly sort?: string | undefined;
  /** Names of two to four models. */
  readonly compare?: string | undefined;
}

export function modelsSearch({ range, show, ...search }: SearchParams): ModelsSearch {
  return {
    ...texts(search, ['q', 'provider', 'ability', 'sort', 'compare']),
    ...(isRangeName(range) && { range }),
    ...((show === 'key' || show === 'used') && { show }),
  };
}
