import { type SearchParams, texts } from '../../parts/search-params.ts';

interface ReferenceSearch {
  readonly open?: string | undefined;
  readonly q?: string | undefined;
}

export const referenceSearch = (search: SearchParams): ReferenceSearch => texts(search, ['open', 'q']);
