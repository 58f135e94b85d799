import { type Kysely, sql } from 'kysely';
import type { ProjectUsage, UsageDay, UsageDaysQuery, UsageGroups } from '../../kernel/ports/records.ts';
import { addUsageSums, zeroSums } from '../../kernel/usage-sums.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { areUsageSumsEqual, isInDays, usageSumColumns, usageSumsOfGroup } from './usage-columns.ts';
import { remakeModelDays } from './usage-model-days.ts';

const noLabels = { accountId: '', day: '', keyId: '', provider: '', model: '' };
const noText = sql<string | null>`null`;

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

/**
 * In one statement, since usage that is stored between two would make the groupings differ. The name is a key, or a day
 * where there is a model.
 */
async function readGroups(
  db: Kysely<Tables>,
  query: UsageDaysQuery,
  modelTable: 'usage_days' | 'usage_model_days',
): Promise<UsageGroups> {
  const rows = await db
    .selectFrom('usage_days')
    .select(['key_id as name', noText.as('provider'), noText.as('model')])
    .select(usageSumsOfGroup)
    .where(isInDays(query))
    .groupBy('key_id')
    .unionAll(
      db
        .selectFrom(modelTable)
        .select(['day as name', 'provider', 'model'])
        .select(usageSumsOfGroup)
        .where(isInDays(query))
        .groupBy(['day', 'provider', 'model']),
    )
    .execute();
  const [models, keys]: [UsageDay[], UsageDay[]] = [[], []];
  for (const { name, provider, model, ...sums } of rows)
    if (provider === null || model === null) keys.push({ ...noLabels, keyId: name, ...sums });
    else models.push({ ...noLabels, day: name, provider, model, ...sums });
  return { models, keys };
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
