import { type SearchParams, texts } from '../../parts/search-params.ts';
import { isTimeRange, type TimeRange } from '../../parts/time-ranges.ts';

export interface SessionsSearch {
  /** The beginning of a name. */
  readonly search?: string;
  readonly client?: string;
  readonly end_user?: string;
  readonly key?: string;
  readonly range?: TimeRange;
}

export function sessionsSearch({ range, ...search }: SearchParams): SessionsSearch {
  return {
    ...texts(search, ['search', 'client', 'end_user', 'key']),
    ...(isTimeRange(range) && { range }),
  };
}
