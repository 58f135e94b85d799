import { type Kysely, sql, type Transaction } from 'kysely';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  AccountUsage,
  BudgetHour,
  ModuleDay,
  ProjectUsage,
  QuotaCalls,
  QuotaUsage,
  Reservation,
  ReservationQuery,
  TagDay,
  UsageBatch,
  UsageDay,
  UsageDaysQuery,
  UsageGroups,
  UsageStore,
  UsageSumsQuery,
} from '../../kernel/ports/records.ts';
import { addUsageSums } from '../../kernel/usage-sums.ts';
import { limits } from '../limits.ts';
import {
  addBudgetHours,
  budgetHourKey,
  forgetBudgetHours,
  readBudgetHours,
  writeBudgetHours,
} from './budget-hours.ts';
import { chunks } from './chunks.ts';
import { selectRows } from './json-rows.ts';
import { addModuleDays, moduleDayKey, readModuleDays, writeModuleDays } from './module-days.ts';
import { chargeOverage, type OverageCalls } from './overage.ts';
import { lowerReservations, readReservations, writeReservations } from './reservations.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { forgetTagDays, readTagDays, tagDayKey, writeTagDays } from './tag-days.ts';
import {
  addStoredSums,
  isInDays,
  usageSumAliases,
  usageSumColumns,
  usageSumsOfGroup,
  usageSumValues,
} from './usage-columns.ts';
import { readProjectUsage, readUsageGroups } from './usage-groups.ts';
import { modelDayKey, writeModelDays } from './usage-model-days.ts';

/** The characters of a day such as 2026-11-17 that name its period. */
const periodCharacters = { day: 10, month: 7, range: 0 } as const;

export class SqlUsageStore implements UsageStore {
  readonly #db: Kysely<Tables>;
  readonly #dialect: SqlDialect;
  #cleanedAtMs = 0;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#dialect = sqlDialect;
  }

  async add(batch: UsageBatch): Promise<readonly string[] | undefined> {
    await this.#deleteExpired(batch.atMs);
    return this.#db.transaction().execute(async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('usage_batches')
        .values({ id: batch.id, at_ms: batch.atMs })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirstOrThrow();
      await writeReservations(trx, this.#dialect, batch.reserved ?? []);
      if (numInsertedOrUpdatedRows === 0n) return undefined;
      await lowerReservations(trx, batch.settled ?? []);
      for (const days of chunks(
        mergeAndSort(batch.days, usageDayKey, addUsageSums),
        kernelLimits.databaseRowsAtOnce,
      ))
        await writeUsageDays(trx, this.#dialect, days);
      for (const days of chunks(
        mergeAndSort(batch.days, modelDayKey, addUsageSums),
        kernelLimits.databaseRowsAtOnce,
      ))
        await writeModelDays(trx, this.#dialect, days);
      for (const days of chunks(
        mergeAndSort(batch.modules ?? [], moduleDayKey, addModuleDays),
        kernelLimits.databaseRowsAtOnce,
      ))
        await writeModuleDays(trx, days);
      for (const days of chunks(
        mergeAndSort(batch.tags ?? [], tagDayKey, addUsageSums),
        kernelLimits.databaseRowsAtOnce,
      ))
        await writeTagDays(trx, this.#dialect, days);
      for (const hours of chunks(
        mergeAndSort(batch.budgetHours ?? [], budgetHourKey, addBudgetHours),
        kernelLimits.databaseRowsAtOnce,
      ))
        await writeBudgetHours(trx, this.#dialect, hours);
      const paid: OverageCalls[] = [];
      for (const counted of chunks(
        mergeAndSort(batch.counted, quotaPeriodKey, addQuotaCalls),
        kernelLimits.databaseRowsAtOnce,
      ))
        paid.push(...(await writeQuotaCalls(trx, this.#dialect, counted)));
      for (const calls of paid)
        await chargeOverage(trx, { ...calls, batch }, this.#dialect.name === 'postgres');
      return paid.map(({ accountId }) => accountId);
    });
  }

  async reserve(reservations: readonly Reservation[]): Promise<void> {
    const isOneStatement =
      reservations.length <= kernelLimits.databaseRowsAtOnce &&
      reservations.every(({ amount }) => amount > 0);
    if (isOneStatement) await writeReservations(this.#db, this.#dialect, reservations);
    else await this.#db.transaction().execute((trx) => writeReservations(trx, this.#dialect, reservations));
  }

  async endReservations(nowMs: number): ReturnType<UsageStore['endReservations']> {
    const ended = await this.#db
      .deleteFrom('reservations')
      .where('until_ms', '<', nowMs)
      .returning(['account_id as accountId', 'key_id as keyId', 'what'])
      .execute();
    return ended.flatMap(({ accountId, keyId, what }) => (what === 'spending' ? { accountId, keyId } : []));
  }

  reserved(query: ReservationQuery): Promise<readonly Reservation[]> {
    return readReservations(this.#db, query);
  }

  days(query: UsageDaysQuery): Promise<readonly UsageDay[]> {
    return this.#db
      .selectFrom('usage_days')
      .select(['account_id as accountId', 'day', 'key_id as keyId', 'provider', 'model', ...usageSumAliases])
      .where(isInDays(query))
      .orderBy('day')
      .orderBy('key_id')
      .orderBy('provider')
      .orderBy('model')
      .orderBy('account_id')
      .execute();
  }

  groups(query: UsageDaysQuery): Promise<UsageGroups> {
    return readUsageGroups(this.#db, this.#dialect, query);
  }

  projects(query: UsageDaysQuery): Promise<readonly ProjectUsage[]> {
    return readProjectUsage(this.#db, query);
  }

  sums({ per, ...query }: UsageSumsQuery): Promise<readonly AccountUsage[]> {
    const period = sql<string>`substr(day, 1, ${sql.lit(periodCharacters[per])})`;
    return this.#db
      .selectFrom('usage_days')
      .select(['account_id as accountId', period.as('period')])
      .select(usageSumsOfGroup)
      .where(isInDays(query))
      .groupBy(['account_id', period])
      .orderBy(period)
      .orderBy('account_id')
      .execute();
  }

  modules(query: Parameters<UsageStore['modules']>[0]): Promise<readonly ModuleDay[]> {
    return readModuleDays(this.#db, query);
  }

  tags(query: Parameters<UsageStore['tags']>[0]): Promise<readonly TagDay[]> {
    return readTagDays(this.#db, query);
  }

  budgetHours(query: Parameters<UsageStore['budgetHours']>[0]): Promise<readonly BudgetHour[]> {
    return readBudgetHours(this.#db, query);
  }

  /** One statement: with two, usage stored in between would be missing or counted twice. */
  async quotaUsage(accountId: string, periodStartMs: number): Promise<QuotaUsage> {
    const rows = await this.#db
      .selectFrom('usage_periods')
      .select([
        sql<string>`''`.as('processId'),
        'calls as amount',
        sql<number>`0`.as('atMs'),
        sql<number>`0`.as('untilMs'),
      ])
      .where('account_id', '=', accountId)
      .where('period_start_ms', '=', periodStartMs)
      .unionAll((union) =>
        union
          .selectFrom('reservations')
          .select(['process_id as processId', 'amount', 'at_ms as atMs', 'until_ms as untilMs'])
          .where('account_id', '=', accountId)
          .where('what', '=', 'calls')
          .where('key_id', '=', '')
          .where('period_start_ms', '=', periodStartMs),
      )
      .execute();
    const shared = { accountId, of: 'calls', keyId: '', periodStartMs } as const;
    return {
      calls: rows.find(({ processId }) => processId === '')?.amount ?? 0,
      reserved: rows.filter(({ processId }) => processId !== '').map((row) => ({ ...shared, ...row })),
    };
  }

  /** Runs now and then, before the batch is added: an added batch must not be reported as failed. */
  async #deleteExpired(nowMs: number): Promise<void> {
    if (nowMs - this.#cleanedAtMs < limits.usageBatchCleanupMs) return;
    this.#cleanedAtMs = nowMs;
    await this.#db
      .deleteFrom('usage_batches')
      .where('at_ms', '<', nowMs - limits.usageBatchKeptMs)
      .execute();
    await forgetBudgetHours(this.#db, nowMs - limits.budgetHoursKeptMs);
    await forgetTagDays(this.#db, new Date(nowMs - limits.tagDaysKeptMs).toISOString().slice(0, 10));
  }
}

/**
 * Merges rows of the same key, since a statement can't write a row twice, and sorts them, so that concurrent writers
 * can't deadlock.
 */
function mergeAndSort<Row>(
  rows: readonly Row[],
  name: (row: Row) => string,
  add: (one: Row, other: Row) => Row,
): readonly Row[] {
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const same = merged.get(name(row));
    merged.set(name(row), same === undefined ? row : add(same, row));
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

function usageDayKey({ accountId, day, keyId, provider, model }: UsageDay): string {
  return JSON.stringify([accountId, day, keyId, provider, model]);
}

const dayKeyColumns = ['account_id', 'day', 'key_id', 'provider', 'model'] as const;
const dayTypes = [
  ...dayKeyColumns.map(() => 'text' as const),
  ...usageSumColumns.map(() => 'bigint' as const),
];

async function writeUsageDays(
  trx: Transaction<Tables>,
  sqlDialect: SqlDialect,
  days: readonly UsageDay[],
): Promise<void> {
  await sql`insert into usage_days (${sql.raw([...dayKeyColumns, ...usageSumColumns].join(', '))})
    ${selectRows(sqlDialect, dayTypes, days.map(toRow))}
    on conflict (${sql.raw(dayKeyColumns.join(', '))}) do update set ${sql.raw(addStoredSums('usage_days'))}`.execute(
    trx,
  );
}

/** In the order of the columns. */
function toRow(day: UsageDay): readonly (string | number)[] {
  return [...[day.accountId, day.day, day.keyId, day.provider, day.model], ...usageSumValues(day)];
}

function quotaPeriodKey({ accountId, periodStartMs }: QuotaCalls): string {
  return JSON.stringify([accountId, periodStartMs]);
}

function addQuotaCalls(one: QuotaCalls, other: QuotaCalls): QuotaCalls {
  const paidPast = Math.max(one.paidPast ?? 0, other.paidPast ?? 0);
  const isPaid = one.paidPast !== undefined || other.paidPast !== undefined;
  return { ...one, calls: one.calls + other.calls, ...(isPaid && { paidPast }) };
}

/** Resolves to the calls past a cap that credits paid for. */
async function writeQuotaCalls(
  trx: Transaction<Tables>,
  sqlDialect: SqlDialect,
  counted: readonly QuotaCalls[],
): Promise<readonly OverageCalls[]> {
  const rows = counted.map(({ accountId, periodStartMs, calls }) => [accountId, periodStartMs, calls]);
  const isPaid = counted.some(({ paidPast }) => paidPast !== undefined);
  const { rows: sums } = await sql<Tables['usage_periods']>`insert into usage_periods
    (account_id, period_start_ms, calls) ${selectRows(sqlDialect, ['text', 'bigint', 'bigint'], rows)}
    on conflict (account_id, period_start_ms) do update set calls = usage_periods.calls + excluded.calls
    ${isPaid ? sql`returning account_id, period_start_ms, calls` : sql``}`.execute(trx);
  return counted.flatMap(({ accountId, periodStartMs, calls, paidPast }) => {
    if (paidPast === undefined) return [];
    const sum = sums.find((row) => row.account_id === accountId && row.period_start_ms === periodStartMs);
    const past = Math.min((sum?.calls ?? 0) - paidPast, calls);
    return past > 0 ? [{ accountId, periodStartMs, calls: past }] : [];
  });
}
