import { z } from 'zod';
import { describeUsage } from '../../../billing/usage-report.ts';
import type { UsageDay, UsageSums } from '../../../kernel/ports/records.ts';
import { addUsageSums } from '../../../kernel/usage-sums.ts';
import type { Clock } from '../../../lib/clock.ts';
import { defineRoute } from '../define-route.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { accountOf, reportDaysOf, type UsageReportQuery } from './usage.ts';
import { csvOf, tableFigures, tableQuery, tableRoute } from './usage-tables.ts';

export interface UsageProjectsParts {
  /** Usage by key; a sum may come in parts. */
  keySums(query: UsageReportQuery): Promise<readonly Pick<UsageDay, 'keyId' | keyof UsageSums>[]>;
  /** The projects of keys that are in one. */
  projectsOfKeys(accountId: string): Promise<ReadonlyMap<string, string>>;
  readonly clock: Clock;
}

interface ProjectSums extends UsageSums {
  /** Null for keys outside of projects. */
  readonly projectId: string | null;
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
export function usageProjectsRoute({ keySums, projectsOfKeys, clock }: UsageProjectsParts): ApiRoute {
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
      const [rows, projectsByKey] = await Promise.all([
        keySums({ accountId: accountOf(caller), from, to }),
        projectsOfKeys(caller.accountId),
      ]);
      const projects = sumByProject(rows, projectsByKey)
        .slice(0, limit)
        .map(({ projectId, ...sums }) => ({ project: projectId, ...describeUsage(sums) }));
      return format === 'csv' ? csvOf('projects', projects) : { body: { from, to, projects } };
    },
  });
}

/** The highest cost first. */
function sumByProject(
  rows: Awaited<ReturnType<UsageProjectsParts['keySums']>>,
  projectsByKey: ReadonlyMap<string, string>,
): readonly ProjectSums[] {
  const sums = new Map<string | null, ProjectSums>();
  for (const row of rows) {
    const projectId = projectsByKey.get(row.keyId) ?? null;
    const sum = sums.get(projectId);
    sums.set(projectId, sum === undefined ? { ...row, projectId } : addUsageSums(sum, row));
  }
  return [...sums.values()].sort((one, other) => other.costNanoUsd - one.costNanoUsd);
}
