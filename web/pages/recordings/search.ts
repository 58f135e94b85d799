import { type SearchParams, texts } from '../../parts/search-params.ts';
import { isTimeRange, type TimeRange } from '../../parts/time-ranges.ts';

/** Filters of recordings, or the text that is searched for in them. */
export interface RecordingsSearch {
  readonly q?: string;
  readonly model?: string;
  readonly status?: string;
  readonly key?: string;
  readonly range?: TimeRange;
  /** The least cost in dollars, and the least size in bytes. */
  readonly cost?: string;
  readonly size?: string;
}

export function recordingsSearch({ range, ...search }: SearchParams): RecordingsSearch {
  return {
    ...texts(search, ['q', 'model', 'status', 'key', 'cost', 'size']),
    ...(isTimeRange(range) && { range }),
  };
}
