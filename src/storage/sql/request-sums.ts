import { type Kysely, sql, type Transaction } from 'kysely';
import type {
  KindSums,
  LogSums,
  ModelTimes,
  ModuleSums,
  StepSums,
  StepTimes,
  SumsQuestion,
  SumsSpan,
} from '../../kernel/ports/request-log.ts';
import type { Tables } from './tables.ts';

const sumColumns = [
  ['requests', 'requests'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cost_nano_usd', 'costNanoUsd'],
  ['saved_nano_usd', 'savedNanoUsd'],
] as const;
const sums = sql.join(
  sumColumns.map(([column, name]) => sql`${whole(sql.ref(`request_sums.${column}`))} as ${sql.id(name)}`),
);
const isFailed = sql`(request_kinds.status >= 400 or request_kinds.ending = 'failed')`;
const isCached = sql`(request_kinds.steps like '%:answered%')`;
const model = sql`coalesce(request_kinds.model_used, request_kinds.model_asked)`;

/** PostgreSQL adds whole numbers up to what only a text can hold. */
function whole(column: unknown) {
  return sql`cast(coalesce(sum(${column}), 0) as bigint)`;
}

function flag(condition: unknown) {
  return sql`case when ${condition} then 1 else 0 end`;
}

/** Rows of an account and a time are read off the key, of one kind after the other. */
export async function readSums(db: Kysely<Tables>, question: SumsQuestion): Promise<LogSums> {
  const { accountId, fromMs, toMs, stepMs } = question;
  const step = (table: string) =>
    sql`(${sql.ref(`${table}.at_ms`)} - ${sql.lit(fromMs)}) / ${sql.lit(stepMs)}`;
  const during = (table: string) =>
    sql`${sql.ref(`${table}.at_ms`)} >= ${fromMs} and ${sql.ref(`${table}.at_ms`)} < ${toMs}`;
  // SQLite keeps the order of a cross join.
  const kinds = sql`request_kinds cross join request_sums
    where request_sums.account_id = request_kinds.account_id and request_sums.kind = request_kinds.kind
      and ${during('request_sums')} and ${accountId === undefined ? sql`true` : sql`request_kinds.account_id = ${accountId}`}`;
  // Of all accounts, each by its own key: a local gateway has one or two.
  const whose = (table: string) =>
    accountId === undefined
      ? sql`${sql.ref(`${table}.account_id`)} in (select distinct account_id from request_kinds)`
      : sql`${sql.ref(`${table}.account_id`)} = ${accountId}`;
  const byKind = sql<Flagged<KindSums>>`
    select request_kinds.key_id as "keyId", request_kinds.provider as "provider", ${model} as "model",
      request_kinds.status as "status", request_kinds.ending as "ending", request_kinds.error_code as "errorCode",
      ${flag(isFailed)} as "isFailed", ${flag(isCached)} as "isCached", ${sums}
    from ${kinds} group by 1, 2, 3, 4, 5, 6, 7, 8`;
  const byStep = sql<Flagged<StepSums>>`
    select ${step('request_sums')} as "step", ${model} as "model", ${flag(isFailed)} as "isFailed",
      ${flag(isCached)} as "isCached", ${sums}
    from ${kinds} group by 1, 2, 3, 4 order by 1`;
  const times = sql`request_times where ${whose('request_times')} and ${during('request_times')}`;
  const stepTimes = sql<StepTimes>`
    select what as "what", ${step('request_times')} as "step", bin as "bin", ${whole(sql.ref('requests'))} as "requests"
    from ${times} group by 1, 2, 3`;
  const modelTimes = sql<ModelTimes>`
    select provider as "provider", model as "model", bin as "bin", ${whole(sql.ref('requests'))} as "requests"
    from ${times} and what = 'content' group by 1, 2, 3`;
  const modules = sql<ModuleSums>`
    select module as "module", effect as "effect", ${whole(sql.ref('requests'))} as "requests",
      ${whole(sql.ref('own_us'))} as "ownUs", ${whole(sql.ref('saved_nano_usd'))} as "savedNanoUsd"
    from request_steps where ${whose('request_steps')} and ${during('request_steps')} group by 1, 2 order by 1, 2`;
  return {
    kinds: (await byKind.execute(db)).rows.map(unflagged),
    steps: (await byStep.execute(db)).rows.map(unflagged),
    stepTimes: (await stepTimes.execute(db)).rows,
    modelTimes: (await modelTimes.execute(db)).rows,
    modules: (await modules.execute(db)).rows,
  };
}

type Flagged<Row> = Omit<Row, 'isFailed' | 'isCached'> & {
  readonly isFailed: number;
  readonly isCached: number;
};

function unflagged<Row extends { readonly isFailed: number; readonly isCached: number }>(row: Row) {
  return { ...row, isFailed: row.isFailed === 1, isCached: row.isCached === 1 };
}

const tables = [
  { table: 'request_sums', key: ['account_id', 'kind'], sums: sumColumns.map(([column]) => column) },
  { table: 'request_times', key: ['account_id', 'what', 'provider', 'model', 'bin'], sums: ['requests'] },
  {
    table: 'request_steps',
    key: ['account_id', 'module', 'effect'],
    sums: ['requests', 'own_us', 'saved_nano_usd'],
  },
] as const;
type SumTable = (typeof tables)[number];

/** Every call has a time of its own in one of them. */
export async function oldestSums(db: Kysely<Tables>): Promise<number | undefined> {
  const { oldest } = await db
    .selectFrom('request_sums')
    .select((the) => the.fn.min('at_ms').as('oldest'))
    .executeTakeFirstOrThrow();
  return oldest ?? undefined;
}

/** All or none, so that nothing is counted twice. */
export async function foldSums(db: Kysely<Tables>, span: SumsSpan): Promise<void> {
  const later = sql`at_ms > ${span.startMs} and at_ms < ${span.startMs + span.ms}`;
  const { rows } = await sql`select 1 from request_sums where ${later} limit 1`.execute(db);
  if (rows.length === 0) return;
  await db.transaction().execute(async (trx) => {
    for (const table of tables) {
      await addToStart(trx, table, span);
      await sql`delete from ${sql.table(table.table)} where ${later}`.execute(trx);
    }
  });
}

async function addToStart(
  trx: Transaction<Tables>,
  { table, key, sums: added }: SumTable,
  { startMs, ms }: SumsSpan,
): Promise<void> {
  const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  const summed = sql.join(added.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint)`));
  const more = sql.join(
    added.map(
      (name) => sql`${sql.id(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ),
  );
  await sql`insert into ${sql.table(table)} (${columns(key)}, at_ms, ${columns(added)})
    select ${columns(key)}, cast(${startMs} as bigint), ${summed} from ${sql.table(table)}
    where at_ms > ${startMs} and at_ms < ${startMs + ms}
    group by ${columns(key)} order by ${columns(key)}
    on conflict (${columns(key)}, at_ms) do update set ${more}`.execute(trx);
}

export async function forgetSums(db: Kysely<Tables>, beforeMs: number): Promise<boolean> {
  let deleted = 0n;
  for (const { table } of tables) {
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)}
      where at_ms < ${beforeMs} and at_ms = (select min(at_ms) from ${sql.table(table)})`.execute(db);
    deleted += numAffectedRows;
  }
  return deleted > 0n;
}

export async function forgetKinds(db: Kysely<Tables>): Promise<void> {
  await sql`delete from request_kinds
    where not exists (select 1 from requests where requests.kind = request_kinds.kind)
      and not exists (select 1 from request_sums
        where request_sums.account_id = request_kinds.account_id and request_sums.kind = request_kinds.kind)`.execute(
    db,
  );
}
