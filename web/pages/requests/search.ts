import { oneOf, type SearchParams, texts, times } from '../../parts/search-params.ts';
import { isTimeRange, type TimeRange } from '../../parts/time-ranges.ts';

/** The order of the log; the newest first without one. */
const logSorts = ['cost', 'duration', 'tokens'] as const;
export type LogSort = (typeof logSorts)[number];

/** Filters of the log, as the address has them. */
export interface RequestsSearch {
  readonly search?: string;
  readonly model?: string;
  readonly module?: string;
  /** What a module did: the one that is named, or any. */
  readonly effect?: 'answered' | 'rejected';
  readonly provider?: string;
  readonly key?: string;
  /** The id of a project. */
  readonly project?: string;
  readonly client?: string;
  readonly conversation?: string;
  readonly end_user?: string;
  /** `team:search`, or several separated by commas. */
  readonly tag?: string;
  /** `mcp` for calls of tools. */
  readonly wire_format?: string;
  readonly status?: string;
  /** A time that ends now; `from` and `to` are any other. */
  readonly range?: TimeRange;
  readonly from?: string;
  readonly to?: string;
  readonly sort?: LogSort;
  readonly open?: string;
}

const filters = [
  ...(['search', 'model', 'module', 'provider', 'key', 'project', 'status', 'client'] as const),
  ...(['conversation', 'end_user', 'tag', 'wire_format', 'open'] as const),
];

export function requestsSearch({ effect, range, sort, ...search }: SearchParams): RequestsSearch {
  const order = oneOf(sort, logSorts);
  return {
    ...texts(search, filters),
    ...(isTimeRange(range) ? { range } : times(search, ['from', 'to'])),
    ...((effect === 'answered' || effect === 'rejected') && { effect }),
    ...(order !== undefined && { sort: order }),
  };
}
