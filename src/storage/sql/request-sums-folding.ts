import { type Kysely, sql, type Transaction } from 'kysely';
import type { SumsSpan } from '../../kernel/ports/request-log.ts';
import { limits } from '../limits.ts';
import { kindIsCached, kindIsFailed, kindModel, sumColumns } from './request-sum-columns.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

interface SumTable {
  readonly table: string;
  /** The key columns besides the time. */
  readonly key: readonly string[];
  readonly sums: readonly string[];
}

const callSums = sumColumns.map(([column]) => column);
const moduleSums: SumTable = {
  table: 'request_steps',
  key: ['account_id', 'module', 'effect'],
  sums: ['requests', 'own_us', 'saved_nano_usd'],
};
const moduleTimes: SumTable = {
  table: 'request_step_times',
  key: ['account_id', 'module', 'bin'],
  sums: ['requests'],
};
const pastKinds: SumTable = { table: 'request_past_sums', key: ['account_id', 'kind'], sums: callSums };
const pastModels: SumTable = {
  table: 'request_past_models',
  key: ['account_id', 'model', 'is_failed', 'is_cached'],
  sums: callSums,
};
const pastTimes: SumTable = {
  table: 'request_past_times',
  key: ['account_id', 'what', 'bin'],
  sums: ['requests'],
};
const pastModelTimes: SumTable = {
  table: 'request_past_model_times',
  key: ['account_id', 'provider', 'model', 'bin'],
  sums: ['requests'],
};
const pastTables = [pastKinds, pastModels, pastTimes, pastModelTimes];
const foldedTables = [...pastTables, moduleSums, moduleTimes];
const minuteTables = ['request_sums', 'request_times'];
const dayMs = 86_400_000;

/** The table with the totals of days of a table of past sums. */
function totalsOf(past: SumTable): SumTable {
  return { ...past, table: past.table.replace('request_past_', 'request_day_') };
}

/** The time of the oldest sums. */
export async function oldestSums(
  db: Kysely<Tables>,
  resolution: 'by-minute' | 'folded',
): Promise<number | undefined> {
  const table = sql.table(resolution === 'by-minute' ? 'request_sums' : pastKinds.table);
  const { rows } = await sql<{
    readonly oldest: number | null;
  }>`select min(at_ms) as oldest from ${table}`.execute(db);
  return rows[0]?.oldest ?? undefined;
}

/** Reads sums of several tables; no call is in two. Starts over if minutes were folded meanwhile, which the oldest minute shows. */
export async function readUnfolded<Sums>(db: Kysely<Tables>, read: () => Promise<Sums>): Promise<Sums> {
  for (let readings = 1; ; readings++) {
    const oldest = await oldestSums(db, 'by-minute');
    const sums = await read();
    if (readings === limits.requestSumsReadings || (await oldestSums(db, 'by-minute')) === oldest)
      return sums;
  }
}

/**
 * Moves the sums of minutes into the tables of past sums, and adds them to the totals of their day. Rows that arrive late
 * are moved the next time.
 */
export async function foldMinutes(
  db: Kysely<Tables>,
  dialectName: SqlDialect['name'],
  span: SumsSpan,
): Promise<void> {
  const during = (table: string) =>
    sql`${sql.ref(`${table}.at_ms`)} >= ${span.startMs} and ${sql.ref(`${table}.at_ms`)} < ${span.startMs + span.ms}`;
  const calls = sql`from request_sums where ${during('request_sums')}`;
  const callsAndKinds = sql`from request_sums join request_kinds on request_kinds.kind = request_sums.kind
    where ${during('request_sums')}`;
  const times = sql`from request_times where ${during('request_times')}`;
  await db.transaction().execute(async (trx) => {
    // A concurrent insert makes this fail and retry; otherwise the insert would be deleted without being added.
    if (dialectName === 'postgres') await sql`set transaction isolation level repeatable read`.execute(trx);
    const day = dayOf(span.startMs);
    const add = async (past: SumTable, source: FoldSource) => {
      await addSums(trx, past, span, source);
      await addSums(trx, totalsOf(past), day, source);
    };
    await add(pastKinds, { rows: calls });
    await add(pastModels, {
      rows: callsAndKinds,
      key: [sql`request_sums.account_id`, kindModel, kindIsFailed, kindIsCached],
    });
    await add(pastTimes, { rows: times });
    await add(pastModelTimes, { rows: sql`${times} and what = 'content'` });
    for (const table of minuteTables)
      await sql`delete from ${sql.table(table)} where ${during(table)}`.execute(trx);
    await foldInPlace(trx, moduleSums, span);
    await foldInPlace(trx, moduleTimes, span);
  });
}

/** Folds all tables or none, so that nothing is counted twice. */
export async function foldSums(db: Kysely<Tables>, span: SumsSpan): Promise<void> {
  const { rows } = await sql`select 1 from request_past_sums where ${afterStartOf(span)} limit 1`.execute(db);
  if (rows.length === 0) return;
  await db.transaction().execute(async (trx) => {
    for (const table of foldedTables) await foldInPlace(trx, table, span);
  });
}

function dayOf(ms: number): SumsSpan {
  return { startMs: Math.floor(ms / dayMs) * dayMs, ms: dayMs };
}

/** Days whose totals are of as many calls as the past sums. Only an older build or an import adds to past sums alone. */
export async function haveTotals(
  db: Kysely<Tables>,
  { startMs, ms }: SumsSpan,
  accountId?: string,
): Promise<boolean> {
  const callsByDay = (table: string) => sql`
    select at_ms - at_ms % ${sql.lit(dayMs)} as day, sum(requests) as requests from ${sql.table(table)}
    where ${accountId === undefined ? sql`true` : sql`account_id = ${accountId}`}
      and at_ms >= ${startMs} and at_ms < ${startMs + ms} group by 1`;
  const [past, totals] = [callsByDay(pastModels.table), callsByDay(totalsOf(pastModels).table)];
  const { rows } = await sql`select 1 from (${past}) as past full join (${totals}) as totals using (day)
    where coalesce(past.requests, 0) <> coalesce(totals.requests, 0) limit 1`.execute(db);
  return rows.length === 0;
}

/** Makes the totals of a day again if they are not right. An import, which writes table after table, has to end first. */
export async function totalDay(db: Kysely<Tables>, startMs: number): Promise<void> {
  const day = dayOf(startMs);
  if (await haveTotals(db, day)) return;
  await db.transaction().execute(async (trx) => {
    const { rows: imports } = await sql`select 1 from imports limit 1`.execute(trx);
    if (imports.length > 0) return;
    const during = sql`at_ms >= ${day.startMs} and at_ms < ${day.startMs + day.ms}`;
    for (const past of pastTables) {
      await sql`delete from ${sql.table(totalsOf(past).table)} where ${during}`.execute(trx);
      await addSums(trx, totalsOf(past), day, { rows: sql`from ${sql.table(past.table)} where ${during}` });
    }
  });
}

/** Adds the sums within the span to those at its start. */
async function foldInPlace(trx: Transaction<Tables>, sums: SumTable, span: SumsSpan): Promise<void> {
  await addSums(trx, sums, span, { rows: sql`from ${sql.table(sums.table)} where ${afterStartOf(span)}` });
  await sql`delete from ${sql.table(sums.table)} where ${afterStartOf(span)}`.execute(trx);
}

/** The span without its start. */
function afterStartOf({ startMs, ms }: SumsSpan) {
  return sql`at_ms > ${startMs} and at_ms < ${startMs + ms}`;
}

interface FoldSource {
  /** The SQL after `select …`. */
  readonly rows: unknown;
  /** The key expressions, if they differ from the column names. */
  readonly key?: readonly unknown[];
}

async function addSums(
  trx: Transaction<Tables>,
  { table, key, sums }: SumTable,
  { startMs }: SumsSpan,
  { rows, key: keyExpressions = key.map((name) => sql.ref(name)) }: FoldSource,
): Promise<void> {
  const columns = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  const places = sql.join(key.map((_, at) => sql.lit(at + 1)));
  const more = sums.map(
    (name) => sql`${sql.id(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
  );
  await sql`insert into ${sql.table(table)} (${columns(key)}, at_ms, ${columns(sums)})
    select ${sql.join(keyExpressions)}, cast(${startMs} as bigint), ${sql.join(sums.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint)`))}
    ${rows} group by ${places} order by ${places}
    on conflict (${columns(key)}, at_ms) do update set ${sql.join(more)}`.execute(trx);
}

export async function forgetSums(db: Kysely<Tables>, beforeMs: number): Promise<boolean> {
  let deleted = 0n;
  for (const name of [...minuteTables, ...foldedTables.map(({ table }) => table)]) {
    const table = sql.table(name);
    const { numAffectedRows = 0n } = await sql`delete from ${table}
      where at_ms < ${beforeMs} and at_ms = (select min(at_ms) from ${table})`.execute(db);
    deleted += numAffectedRows;
  }
  for (const past of pastTables)
    await sql`delete from ${sql.table(totalsOf(past).table)} where at_ms <= ${beforeMs - dayMs}`.execute(db);
  return deleted > 0n;
}

export async function forgetKinds(db: Kysely<Tables>): Promise<void> {
  await sql`delete from request_kinds
    where kind in (select kind from request_kinds except select kind from request_sums)
      and not exists (select 1 from requests where requests.kind = request_kinds.kind)
      and not exists (select 1 from request_past_sums as summed
        where summed.account_id = request_kinds.account_id and summed.kind = request_kinds.kind)`.execute(db);
}
