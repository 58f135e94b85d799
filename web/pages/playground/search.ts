import { type SearchParams, texts } from '../../parts/search-params.ts';

/** What the playground begins with: a model, a recorded call or a draft in the address. */
interface PlaygroundSearch {
  readonly model?: string;
  readonly from?: string;
  readonly draft?: string;
}

export const playgroundSearch = (search: SearchParams): PlaygroundSearch =>
  texts(search, ['model', 'from', 'draft']);
