import { z } from 'zod';
import { describeUsage } from '../../../billing/usage-report.ts';
import type { TagDay, UsageStore } from '../../../kernel/ports/records.ts';
import { isTagName } from '../../../kernel/tags.ts';
import { addUsageSums } from '../../../kernel/usage-sums.ts';
import type { Clock } from '../../../lib/clock.ts';
import { defineRoute } from '../define-route.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { accountOf, reportDaysOf } from './usage.ts';
import { csvOf, tableFigures, tableQuery, tableRoute } from './usage-tables.ts';

export interface UsageTagsParts {
  tags(query: Parameters<UsageStore['tags']>[0]): Promise<readonly TagDay[]>;
  readonly clock: Clock;
}

const query = {
  ...tableQuery,
  tag: z
    .string()
    .refine(isTagName, 'must be the name of a tag, such as team')
    .optional()
    .describe('One tag, such as `team`; all by default'),
};
const schema = z.strictObject({
  ...{ from: z.iso.date(), to: z.iso.date() },
  tags: z
    .array(
      z.strictObject({
        tag: z.string(),
        value: z.string().nullable().describe('Null for all values of a day beyond the first hundred'),
        ...tableFigures,
      }),
    )
    .describe('Those with the highest cost, the highest first. A call counts once for each of its tags'),
});

/** Usage by tag. */
export function usageTagsRoute({ tags, clock }: UsageTagsParts): ApiRoute {
  return defineRoute({
    ...tableRoute,
    path: '/v1/usage/tags',
    summary: 'List the tags with the highest cost',
    query,
    responses: {
      200: { description: 'The tags; as CSV with `format=csv`', schema },
      ...tableRoute.responses,
    },
    async handle({ caller, query: sent }) {
      const { limit, format, tag, ...asked } = parseQuery(query, sent);
      const { from, to } = reportDaysOf(asked, clock.now());
      const days = await tags({ accountId: accountOf(caller), from, to, tag });
      const rows = sumByValue(days)
        .slice(0, limit)
        .map(({ tag: name, value, ...sums }) => ({
          tag: name,
          value: value === '' ? null : value,
          ...describeUsage(sums),
        }));
      return format === 'csv' ? csvOf('tags', rows) : { body: { from, to, tags: rows } };
    },
  });
}

/** Sums over days, the highest cost first. Tags beyond the limit of a day have no name, and are left out. */
function sumByValue(days: readonly TagDay[]): readonly TagDay[] {
  const sums = new Map<string, TagDay>();
  for (const day of days) {
    if (day.tag === '') continue;
    const name = `${day.tag}\n${day.value}`;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? day : addUsageSums(sum, day));
  }
  return [...sums.values()].sort(
    (one, other) =>
      other.costNanoUsd - one.costNanoUsd || compare(one.tag, other.tag) || compare(one.value, other.value),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
