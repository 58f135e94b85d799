import { type DayRange, isDayRange } from '../../parts/day-ranges.ts';
import { oneOf, type SearchParams, texts } from '../../parts/search-params.ts';

export const usageGroups = ['key', 'model', 'end_user', 'tag', 'day'] as const;
export type UsageGroup = (typeof usageGroups)[number];

interface UsageSearch {
  readonly by?: UsageGroup;
  readonly period?: DayRange;
  /** The tag whose values are listed. */
  readonly tag?: string;
  /** The title of a column; `-` in front of it sorts the largest first. */
  readonly sort?: string;
}

export function usageSearch({ by, period, ...search }: SearchParams): UsageSearch {
  const group = oneOf(by, usageGroups);
  return {
    ...texts(search, ['sort', 'tag']),
    ...(group !== undefined && { by: group }),
    ...(isDayRange(period) && { period }),
  };
}
