import { type Kysely, sql } from 'kysely';
import type { ProjectUsage, UsageDay, UsageDaysQuery, UsageGroups } from '../../kernel/ports/records.ts';
import { addUsageSums, zeroSums } from '../../kernel/usage-sums.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { areUsageSumsEqual, isInDays, usageSumColumns, usageSumsOfGroup } from './usage-columns.ts';
import { remakeModelDays } from './usage-model-days.ts';

type Grouping = keyof UsageGroups;

const modelLabels = ['day', 'provider', 'model'] as const;

/** By day and model from the days without keys, if these have all that the days by key have. */
export async function readUsageGroups(
  db: Kysely<Tables>,
  sqlDialect: SqlDialect,
  query: UsageDaysQuery,
): Promise<UsageGroups> {
  if (query.keyIds !== undefined) return readGroups(db, query, 'usage_days');
  const groups = await readGroups(db, query, 'usage_model_days');
  if (areUsageSumsEqual(totalOf(groups.keys), totalOf(groups.models))) return groups;
  await remakeModelDays(db, sqlDialect, query);
  return readGroups(db, query, 'usage_days');
}

/** In one statement, since usage that is stored between two would make the groupings differ. */
async function readGroups(
  db: Kysely<Tables>,
  query: UsageDaysQuery,
  modelTable: 'usage_days' | 'usage_model_days',
): Promise<UsageGroups> {
  const rows = await db
    .selectFrom('usage_days')
    .select([
      grouping('keys'),
      'key_id as keyId',
      emptyText('day'),
      emptyText('provider'),
      emptyText('model'),
    ])
    .select(usageSumsOfGroup)
    .where(isInDays(query))
    .groupBy('key_id')
    .unionAll(
      db
        .selectFrom(modelTable)
        .select([grouping('models'), emptyText('keyId'), ...modelLabels])
        .select(usageSumsOfGroup)
        .where(isInDays(query))
        .groupBy([...modelLabels]),
    )
    .execute();
  const groups: Record<Grouping, UsageDay[]> = { models: [], keys: [] };
  for (const { grouping: name, ...row } of rows) groups[name].push({ accountId: '', ...row });
  return groups;
}

/** By key first: joining each day of a key with its project takes twice as long. */
export async function readProjectUsage(
  db: Kysely<Tables>,
  query: UsageDaysQuery,
): Promise<readonly ProjectUsage[]> {
  return db
    .selectFrom((the) =>
      the
        .selectFrom('usage_days')
        .select('key_id')
        .select(usageSumColumns.map((name) => sql<number>`sum(${sql.ref(name)})`.as(name)))
        .where(isInDays(query))
        .groupBy('key_id')
        .as('keys'),
    )
    .leftJoin('api_keys', (join) =>
      join.onRef('api_keys.id', '=', 'keys.key_id').on('api_keys.account_id', '=', query.accountId ?? ''),
    )
    .select('project_id as projectId')
    .select(usageSumsOfGroup)
    .groupBy('project_id')
    .execute();
}

function totalOf(rows: readonly UsageDay[]) {
  return rows.reduce((sum, row) => addUsageSums(sum, row), zeroSums);
}

function grouping(name: Grouping) {
  return sql<Grouping>`${sql.lit(name)}`.as('grouping');
}

function emptyText<Name extends string>(name: Name) {
  return sql<string>`''`.as(name);
}
