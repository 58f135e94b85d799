import { z } from 'zod';
import type { UsageRecorder } from '../../../billing/usage-recorder.ts';
import { describeUsage } from '../../../billing/usage-report.ts';
import type { ApiKeys, ProjectUsage } from '../../../kernel/ports/records.ts';
import { addUsageSums } from '../../../kernel/usage-sums.ts';
import type { Clock } from '../../../lib/clock.ts';
import { defineRoute } from '../define-route.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { accountOf, reportDaysOf } from './usage.ts';
import { csvOf, tableFigures, tableQuery, tableRoute } from './usage-tables.ts';

export interface UsageProjectsParts {
  readonly usage: Pick<UsageRecorder, 'projects'>;
  readonly apiKeys: Pick<ApiKeys, 'projects'>;
  readonly clock: Clock;
}

const schema = z.strictObject({
  ...{ from: z.iso.date(), to: z.iso.date() },
  projects: z
    .array(
      z.strictObject({
        project: z.string().nullable().describe('The id of the project; null for keys outside of projects'),
        ...tableFigures,
      }),
    )
    .describe('Those with the highest cost, the highest first'),
});

/** Usage by project: a call belongs to the project that its key is in now. */
export function usageProjectsRoute({ usage, apiKeys, clock }: UsageProjectsParts): ApiRoute {
  return defineRoute({
    ...tableRoute,
    path: '/v1/usage/projects',
    summary: 'List the projects with the highest cost',
    query: tableQuery,
    responses: {
      200: { description: 'The projects; as CSV with `format=csv`', schema },
      ...tableRoute.responses,
    },
    async handle({ caller, query: sent }) {
      const { limit, format, ...asked } = parseQuery(tableQuery, sent);
      const { from, to } = reportDaysOf(asked, clock.now());
      const { stored, unstored } = await usage.projects({ accountId: accountOf(caller), from, to });
      const keyIds = [...new Set(unstored.map(({ keyId }) => keyId))];
      const projectsByKey = await apiKeys.projects(caller.accountId, keyIds);
      const recent = unstored.map((row) => ({ ...row, projectId: projectsByKey.get(row.keyId) ?? null }));
      const projects = sumByProject([...stored, ...recent])
        .slice(0, limit)
        .map(({ projectId, ...sums }) => ({ project: projectId, ...describeUsage(sums) }));
      return format === 'csv' ? csvOf('projects', projects) : { body: { from, to, projects } };
    },
  });
}

/** The highest cost first. */
function sumByProject(rows: readonly ProjectUsage[]): readonly ProjectUsage[] {
  const sums = new Map<string | null, ProjectUsage>();
  for (const row of rows) {
    const sum = sums.get(row.projectId);
    sums.set(row.projectId, sum === undefined ? row : addUsageSums(sum, row));
  }
  return [...sums.values()].sort((one, other) => other.costNanoUsd - one.costNanoUsd);
}
