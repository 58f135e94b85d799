import { type Kysely, type RawBuilder, sql } from 'kysely';
import type {
  IntervalSums,
  IntervalTimes,
  KindSums,
  LogSums,
  LogSumsQuery,
  ModelTimes,
  ModuleSums,
  ModuleTimes,
} from '../../kernel/ports/request-log.ts';
import {
  isOfAccount,
  kindIsCached,
  kindIsFailed,
  kindModel,
  sumAsBigint,
  sumColumns,
  type TimeFirstTable,
} from './request-sum-columns.ts';
import { haveTotals, readUnfolded } from './request-sums-folding.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const dayMs = 86_400_000;

/** Reads the sums by minute and the past ones, table by table, so that other queries don't wait for all of it. */
export function readSums(
  db: Kysely<Tables>,
  dialectName: SqlDialect['name'],
  query: LogSumsQuery,
): Promise<LogSums> {
  return readUnfolded(db, () => readOnce(db, dialectName, query));
}

/** PostgreSQL reads on three connections: as many more would be missing to calls. SQLite has one thread. */
async function readOnce(
  db: Kysely<Tables>,
  dialectName: SqlDialect['name'],
  query: LogSumsQuery,
): Promise<LogSums> {
  const sums = new SumsReader(db, query);
  const past = await pastParts(db, query);
  // The steps of a chart are shorter than a day, unless they are days.
  const pastOfSteps = query.stepMs % dayMs === 0 ? past : wholePast(past, query);
  const all = async <Row>(
    latest: () => Promise<readonly Row[]>,
    parts: readonly PastPart[],
    read: (part: PastPart) => Promise<readonly Row[]>,
  ) => {
    const rows = [...(await latest())];
    for (const part of parts) rows.push(...(await read(part)));
    return rows;
  };
  const readKinds = async () => ({
    kinds: await all(
      () => sums.kinds(),
      past,
      (part) => sums.pastKinds(part),
    ),
  });
  const readSteps = async () => ({
    steps: await all(
      () => sums.steps(),
      pastOfSteps,
      (part) => sums.pastSteps(part),
    ),
    stepTimes: await all(
      () => sums.stepTimes(),
      pastOfSteps,
      (part) => sums.pastStepTimes(part),
    ),
  });
  const readModels = async () => ({
    modelTimes: await all(
      () => sums.modelTimes(),
      past,
      (part) => sums.pastModelTimes(part),
    ),
    modules: await sums.modules(),
    moduleTimes: await sums.moduleTimes(),
  });
  if (dialectName === 'sqlite')
    return { ...(await readKinds()), ...(await readSteps()), ...(await readModels()) };
  const [kinds, steps, models] = await Promise.all([readKinds(), readSteps(), readModels()]);
  return { ...kinds, ...steps, ...models };
}

interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A time range, and the tables that it is read from: past sums, or totals of whole days. */
interface PastPart extends TimeRange {
  readonly tables: 'request_past' | 'request_day';
}

/** Whole days are read from their totals; the first and the last may be cut. */
async function pastParts(
  db: Kysely<Tables>,
  { accountId, fromMs, toMs }: LogSumsQuery,
): Promise<readonly PastPart[]> {
  const { rows } = await sql<{
    readonly newest: number | null;
  }>`select max(at_ms) as newest from request_past_sums`.execute(db);
  const newestMs = rows[0]?.newest ?? Number.NEGATIVE_INFINITY;
  if (newestMs < fromMs) return [];
  const whole: PastPart = { tables: 'request_past', fromMs, toMs };
  const startMs = Math.ceil(fromMs / dayMs) * dayMs;
  // Nothing is cut off a last day that has no later sums.
  const endMs =
    toMs > newestMs ? Math.ceil((newestMs + 1) / dayMs) * dayMs : Math.floor(toMs / dayMs) * dayMs;
  if (endMs <= startMs || !(await haveTotals(db, { startMs, ms: endMs - startMs }, accountId)))
    return [whole];
  const parts: readonly PastPart[] = [
    { ...whole, toMs: startMs },
    { tables: 'request_day', fromMs: startMs, toMs: endMs },
    { ...whole, fromMs: endMs },
  ];
  return parts.filter((part) => part.fromMs < Math.min(part.toMs, newestMs + 1));
}

function wholePast(parts: readonly PastPart[], { fromMs, toMs }: TimeRange): readonly PastPart[] {
  return parts.length === 0 ? [] : [{ tables: 'request_past', fromMs, toMs }];
}

/** Aggregates rows in the order of their key, because sorting them takes several times as long. */
class SumsReader {
  readonly #db: Kysely<Tables>;
  readonly #query: LogSumsQuery;

  constructor(db: Kysely<Tables>, query: LogSumsQuery) {
    this.#db = db;
    this.#query = query;
  }

  kinds(): Promise<readonly KindSums[]> {
    return this.#kinds('request_sums', this.#latestCondition('request_sums'));
  }

  pastKinds(part: PastPart): Promise<readonly KindSums[]> {
    const table = `${part.tables}_sums`;
    return this.#kinds(table, this.#keyOrderCondition(table, part));
  }

  /** Sums by kind first, so that each kind is joined once. */
  async #kinds(table: string, condition: RawBuilder<unknown>): Promise<readonly KindSums[]> {
    const ofKinds = sql`select kind, ${selectSums(table, 'column')}
      from ${sql.table(table)} where ${condition} group by ${this.#groupColumns('kind')}`;
    const { rows } = await sql<WithIntegerFlags<KindSums>>`
      select request_kinds.key_id as "keyId", request_kinds.provider as "provider", ${kindModel} as "model",
        request_kinds.status as "status", request_kinds.ending as "ending", request_kinds.error_code as "errorCode",
        request_kinds.provider_error as "providerError", ${kindIsFailed} as "isFailed", ${kindIsCached} as "isCached", ${selectSums('summed', 'name')}
      from (${ofKinds}) as summed join request_kinds on request_kinds.kind = summed.kind
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9`.execute(this.#db);
    return rows.map(toBooleanFlags);
  }

  async steps(): Promise<readonly IntervalSums[]> {
    // SQLite preserves the order of a cross join.
    const { rows } = await sql<WithIntegerFlags<IntervalSums>>`
      select ${this.#stepIndex('request_sums')} as "step", ${kindModel} as "model", ${kindIsFailed} as "isFailed",
        ${kindIsCached} as "isCached", ${selectSums('request_sums', 'name')}
      from request_sums cross join request_kinds
      where request_kinds.kind = request_sums.kind and ${this.#latestCondition('request_sums')}
      group by 1, 2, 3, 4 order by 1`.execute(this.#db);
    return rows.map(toBooleanFlags);
  }

  async pastSteps(part: PastPart): Promise<readonly IntervalSums[]> {
    const table = `${part.tables}_models`;
    const { rows } = await sql<WithIntegerFlags<IntervalSums>>`
      select ${this.#stepIndex(table)} as "step", model as "model", is_failed as "isFailed", is_cached as "isCached",
        ${selectSums(table, 'name')}
      from ${sql.table(table)} where ${this.#perAccountCondition(table, part)} group by 1, 2, 3, 4 order by 1`.execute(
      this.#db,
    );
    return rows.map(toBooleanFlags);
  }

  stepTimes(): Promise<readonly IntervalTimes[]> {
    return this.#stepTimes('request_times', this.#latestCondition('request_times'));
  }

  pastStepTimes(part: PastPart): Promise<readonly IntervalTimes[]> {
    const table = `${part.tables}_times`;
    return this.#stepTimes(table, this.#perAccountCondition(table, part));
  }

  async #stepTimes(table: string, condition: RawBuilder<unknown>): Promise<readonly IntervalTimes[]> {
    const { rows } = await sql<IntervalTimes>`
      select what as "what", ${this.#stepIndex(table)} as "step", bin as "bin", ${sumAsBigint(sql.ref('requests'))} as "requests"
      from ${sql.table(table)} where ${condition} group by 1, 2, 3`.execute(this.#db);
    return rows;
  }

  async modelTimes(): Promise<readonly ModelTimes[]> {
    const { rows } = await sql<ModelTimes>`
      select provider as "provider", model as "model", bin as "bin", ${sumAsBigint(sql.ref('requests'))} as "requests"
      from request_times where ${this.#latestCondition('request_times')} and what = 'content' group by 1, 2, 3`.execute(
      this.#db,
    );
    return rows;
  }

  async pastModelTimes(part: PastPart): Promise<readonly ModelTimes[]> {
    const table = `${part.tables}_model_times`;
    const { rows } = await sql<ModelTimes>`
      select provider as "provider", model as "model", bin as "bin", ${sumAsBigint(sql.ref('requests'))} as "requests"
      from ${sql.table(table)} where ${this.#keyOrderCondition(table, part)}
      group by ${this.#groupColumns('provider', 'model', 'bin')}`.execute(this.#db);
    return rows;
  }

  async modules(): Promise<readonly ModuleSums[]> {
    const { rows } = await sql<ModuleSums>`
      select module as "module", effect as "effect", ${sumAsBigint(sql.ref('requests'))} as "requests",
        ${sumAsBigint(sql.ref('own_us'))} as "ownUs", ${sumAsBigint(sql.ref('saved_nano_usd'))} as "savedNanoUsd"
      from request_steps where ${this.#latestCondition('request_steps')} group by 1, 2 order by 1, 2`.execute(
      this.#db,
    );
    return rows;
  }

  async moduleTimes(): Promise<readonly ModuleTimes[]> {
    const { rows } = await sql<ModuleTimes>`
      select module as "module", bin as "bin", ${sumAsBigint(sql.ref('requests'))} as "requests"
      from request_step_times where ${this.#latestCondition('request_step_times')} group by 1, 2`.execute(
      this.#db,
    );
    return rows;
  }

  /** Leaves out a fixed account: PostgreSQL would count it as another grouping column, expect ten times the groups, and sort. */
  #groupColumns(...columns: readonly string[]): RawBuilder<unknown> {
    const names = this.#query.accountId === undefined ? ['account_id', ...columns] : columns;
    return sql.join(names.map((name) => sql.ref(name)));
  }

  #stepIndex(table: string): RawBuilder<unknown> {
    const { fromMs, stepMs } = this.#query;
    return sql`(${sql.ref(`${table}.at_ms`)} - ${sql.lit(fromMs)}) / ${sql.lit(stepMs)}`;
  }

  #timeCondition(table: string, { fromMs, toMs }: TimeRange = this.#query): RawBuilder<unknown> {
    return sql`${sql.ref(`${table}.at_ms`)} >= ${fromMs} and ${sql.ref(`${table}.at_ms`)} < ${toMs}`;
  }

  #latestCondition(table: TimeFirstTable): RawBuilder<unknown> {
    const { accountId } = this.#query;
    return accountId === undefined ? this.#timeCondition(table) : isOfAccount(table, accountId, this.#query);
  }

  /** Forces a scan in key order: the unary plus keeps SQLite from choosing another index. */
  #keyOrderCondition(table: string, range: TimeRange): RawBuilder<unknown> {
    const { accountId } = this.#query;
    const at = sql`+${sql.ref(`${table}.at_ms`)}`;
    if (accountId === undefined) return sql`${at} >= ${range.fromMs} and ${at} < ${range.toMs}`;
    return sql`${sql.ref(`${table}.account_id`)} = ${accountId} and ${this.#timeCondition(table, range)}`;
  }

  /** For all accounts, scans the key range of each: a local gateway has one or two. */
  #perAccountCondition(table: string, range: TimeRange): RawBuilder<unknown> {
    if (this.#query.accountId !== undefined) return this.#keyOrderCondition(table, range);
    return sql`${sql.ref(`${table}.account_id`)} in (select distinct account_id from request_kinds)
      and ${this.#timeCondition(table, range)}`;
  }
}

/** Sums named by column or by property. */
function selectSums(table: string, naming: 'column' | 'name'): RawBuilder<unknown> {
  return sql.join(
    sumColumns.map(
      ([column, name]) =>
        sql`${sumAsBigint(sql.ref(`${table}.${column}`))} as ${sql.id(naming === 'name' ? name : column)}`,
    ),
  );
}

type WithIntegerFlags<Row> = Omit<Row, 'isFailed' | 'isCached'> & {
  readonly isFailed: number;
  readonly isCached: number;
};

function toBooleanFlags<Row extends { readonly isFailed: number; readonly isCached: number }>(row: Row) {
  return { ...row, isFailed: row.isFailed === 1, isCached: row.isCached === 1 };
}
