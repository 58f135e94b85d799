import type { Kysely, Selectable } from 'kysely';
import {
  type BudgetChanges,
  type BudgetPeriod,
  type BudgetScope,
  budgetModes,
  formatBudgetPeriod,
  parseBudgetPeriod,
  type StoredBudget,
  type StoredBudgets,
} from '../../kernel/ports/stored-budgets.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

type BudgetRow = Selectable<Tables['budgets']>;

export class SqlBudgets implements StoredBudgets {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add(budget: StoredBudget, most: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, budget.accountId);
      const { stored } = await trx
        .selectFrom('budgets')
        .select(({ fn }) => fn.countAll<number>().as('stored'))
        .where('account_id', '=', budget.accountId)
        .executeTakeFirstOrThrow();
      if (Number(stored) >= most) return false;
      await trx.insertInto('budgets').values(toRow(budget)).execute();
      return true;
    });
  }

  async list(accountId: string): Promise<readonly StoredBudget[]> {
    const rows = await this.#db
      .selectFrom('budgets')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(toBudget);
  }

  async ofKey(accountId: string, keyId: string): Promise<readonly StoredBudget[]> {
    const rows = await this.#db
      .selectFrom('budgets')
      .selectAll()
      .where('account_id', '=', accountId)
      .where((row) =>
        row.or([
          row('scope', 'not in', ['key', 'project']),
          row.and([row('scope', '=', 'key'), row('subject', '=', keyId)]),
          row.and([
            row('scope', '=', 'project'),
            row('subject', '=', row.selectFrom('api_keys').select('project_id').where('id', '=', keyId)),
          ]),
        ]),
      )
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
    return rows.map(toBudget);
  }

  async change(
    accountId: string,
    id: string,
    { name, limitNanoUsd, mode, thresholds }: BudgetChanges,
    atMs: number,
  ): Promise<StoredBudget | undefined> {
    const row = await this.#db
      .updateTable('budgets')
      .set({
        updated_at_ms: atMs,
        ...(name !== undefined && { name }),
        ...(limitNanoUsd !== undefined && { limit_nano_usd: limitNanoUsd }),
        ...(mode !== undefined && { mode }),
        ...(thresholds !== undefined && { thresholds: JSON.stringify(thresholds) }),
      })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    return row && toBudget(row);
  }

  delete(accountId: string, id: string): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('budgets')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await trx
        .deleteFrom('budget_hours')
        .where('account_id', '=', accountId)
        .where('budget_id', '=', id)
        .execute();
      return numDeletedRows === 1n;
    });
  }
}

function toRow(budget: StoredBudget): BudgetRow {
  const { id, accountId, name, scope, period, limitNanoUsd, mode, thresholds } = budget;
  return {
    account_id: accountId,
    ...{ id, name, mode, scope: scope.kind, ...subjectOf(scope) },
    period: formatBudgetPeriod(period),
    limit_nano_usd: limitNanoUsd,
    thresholds: JSON.stringify(thresholds),
    created_at_ms: budget.createdAtMs,
    updated_at_ms: budget.updatedAtMs,
  };
}

function subjectOf(scope: BudgetScope): Pick<BudgetRow, 'subject' | 'value'> {
  switch (scope.kind) {
    case 'organization':
      return { subject: null, value: null };
    case 'project':
      return { subject: scope.projectId, value: null };
    case 'key':
      return { subject: scope.keyId, value: null };
    case 'end_user':
      return { subject: scope.endUser ?? null, value: null };
    case 'tag':
      return { subject: scope.tag, value: scope.value ?? null };
  }
}

function toBudget(row: BudgetRow): StoredBudget {
  const thresholds: unknown = JSON.parse(row.thresholds);
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scope: scopeOf(row),
    period: periodOf(row),
    limitNanoUsd: row.limit_nano_usd,
    // What a later version may store is a limit all the same.
    mode: budgetModes.find((mode) => mode === row.mode) ?? 'hard',
    thresholds: Array.isArray(thresholds) ? thresholds.filter((one) => typeof one === 'number') : [],
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

function scopeOf({ scope, subject, value }: BudgetRow): BudgetScope {
  switch (scope) {
    case 'organization':
      return { kind: scope };
    case 'project':
      return { kind: scope, projectId: subject ?? '' };
    case 'key':
      return { kind: scope, keyId: subject ?? '' };
    case 'end_user':
      return { kind: scope, endUser: subject ?? undefined };
    case 'tag':
      return { kind: scope, tag: subject ?? '', value: value ?? undefined };
    default:
      throw new Error(`a budget with the unknown scope "${scope}" is stored`);
  }
}

function periodOf({ period }: BudgetRow): BudgetPeriod {
  const parsed = parseBudgetPeriod(period);
  if (parsed === undefined) throw new Error(`a budget with the unknown period "${period}" is stored`);
  return parsed;
}
