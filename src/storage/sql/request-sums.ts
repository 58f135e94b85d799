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
import { limits } from '../limits.ts';
import {
  isOfAccount,
  kindIsCached,
  kindIsFailed,
  kindModel,
  sumAsBigint,
  sumColumns,
  type TimeFirstTable,
} from './request-sum-columns.ts';
import { oldestSums } from './request-sums-folding.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/**
 * Reads the sums by minute and the folded ones; no call is in both. Reads table by table, so that other queries don't
 * wait for all of it, and starts over if minutes were folded meanwhile, which the oldest minute shows.
 */
export async function readSums(
  db: Kysely<Tables>,
  dialectName: SqlDialect['name'],
  query: LogSumsQuery,
): Promise<LogSums> {
  for (let readings = 1; ; readings++) {
    const oldest = await oldestSums(db, 'by-minute');
    const sums = await readOnce(db, dialectName, query);
    if (readings === limits.requestSumsReadings || (await oldestSums(db, 'by-minute')) === oldest)
      return sums;
  }
}

/** PostgreSQL reads on three connections: as many more would be missing to calls. SQLite has one thread. */
async function readOnce(
  db: Kysely<Tables>,
  dialectName: SqlDialect['name'],
  query: LogSumsQuery,
): Promise<LogSums> {
  const sums = new SumsReader(db, query);
  const hasPast = await sums.hasPast();
  const all = async <Row>(latest: () => Promise<readonly Row[]>, past: () => Promise<readonly Row[]>) =>
    hasPast ? [...(await latest()), ...(await past())] : latest();
  const readKinds = async () => ({
    kinds: await all(
      () => sums.kinds('request_sums'),
      () => sums.kinds('request_past_sums'),
    ),
  });
  const readSteps = async () => ({
    steps: await all(
      () => sums.steps(),
      () => sums.pastSteps(),
    ),
    stepTimes: await all(
      () => sums.stepTimes('request_times'),
      () => sums.stepTimes('request_past_times'),
    ),
  });
  const readModels = async () => ({
    modelTimes: await all(
      () => sums.modelTimes(),
      () => sums.pastModelTimes(),
    ),
    modules: await sums.modules(),
    moduleTimes: await sums.moduleTimes(),
  });
  if (dialectName === 'sqlite')
    return { ...(await readKinds()), ...(await readSteps()), ...(await readModels()) };
  const [kinds, steps, models] = await Promise.all([readKinds(), readSteps(), readModels()]);
  return { ...kinds, ...steps, ...models };
}

/** Aggregates rows in the order of their key, because sorting them takes several times as long. */
class SumsReader {
  readonly #db: Kysely<Tables>;
  readonly #query: LogSumsQuery;

  constructor(db: Kysely<Tables>, query: LogSumsQuery) {
    this.#db = db;
    this.#query = query;
  }

  async hasPast(): Promise<boolean> {
    const { rows } =
      await sql`select 1 from request_past_sums where ${this.#timeCondition('request_past_sums')}
      limit 1`.execute(this.#db);
    return rows.length > 0;
  }

  /** Sums by kind first, so that each kind is joined once. */
  async kinds(table: 'request_sums' | 'request_past_sums'): Promise<readonly KindSums[]> {
    const ofKinds = sql`select kind, ${selectSums(table, 'column')}
      from ${sql.table(table)} where ${table === 'request_sums' ? this.#latestCondition(table) : this.#keyOrderCondition(table)}
      group by ${this.#groupColumns('kind')}`;
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

  async pastSteps(): Promise<readonly IntervalSums[]> {
    const table = 'request_past_models';
    const { rows } = await sql<WithIntegerFlags<IntervalSums>>`
      select ${this.#stepIndex(table)} as "step", model as "model", is_failed as "isFailed", is_cached as "isCached",
        ${selectSums(table, 'name')}
      from request_past_models where ${this.#perAccountCondition(table)} group by 1, 2, 3, 4 order by 1`.execute(
      this.#db,
    );
    return rows.map(toBooleanFlags);
  }

  async stepTimes(table: 'request_times' | 'request_past_times'): Promise<readonly IntervalTimes[]> {
    const { rows } = await sql<IntervalTimes>`
      select what as "what", ${this.#stepIndex(table)} as "step", bin as "bin", ${sumAsBigint(sql.ref('requests'))} as "requests"
      from ${sql.table(table)} where ${table === 'request_times' ? this.#latestCondition(table) : this.#perAccountCondition(table)}
      group by 1, 2, 3`.execute(this.#db);
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

  async pastModelTimes(): Promise<readonly ModelTimes[]> {
    const table = 'request_past_model_times';
    const { rows } = await sql<ModelTimes>`
      select provider as "provider", model as "model", bin as "bin", ${sumAsBigint(sql.ref('requests'))} as "requests"
      from request_past_model_times where ${this.#keyOrderCondition(table)}
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

  #timeCondition(table: string): RawBuilder<unknown> {
    const { fromMs, toMs } = this.#query;
    return sql`${sql.ref(`${table}.at_ms`)} >= ${fromMs} and ${sql.ref(`${table}.at_ms`)} < ${toMs}`;
  }

  #latestCondition(table: TimeFirstTable): RawBuilder<unknown> {
    const { accountId } = this.#query;
    return accountId === undefined ? this.#timeCondition(table) : isOfAccount(table, accountId, this.#query);
  }

  /** Forces a scan in key order: the unary plus keeps SQLite from choosing another index. */
  #keyOrderCondition(table: string): RawBuilder<unknown> {
    const { accountId, fromMs, toMs } = this.#query;
    const at = sql`+${sql.ref(`${table}.at_ms`)}`;
    if (accountId === undefined) return sql`${at} >= ${fromMs} and ${at} < ${toMs}`;
    return sql`${sql.ref(`${table}.account_id`)} = ${accountId} and ${this.#timeCondition(table)}`;
  }

  /** For all accounts, scans the key range of each: a local gateway has one or two. */
  #perAccountCondition(table: string): RawBuilder<unknown> {
    if (this.#query.accountId !== undefined) return this.#keyOrderCondition(table);
    return sql`${sql.ref(`${table}.account_id`)} in (select distinct account_id from request_kinds)
      and ${this.#timeCondition(table)}`;
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
