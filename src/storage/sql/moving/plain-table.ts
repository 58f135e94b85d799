import { type RawBuilder, sql } from 'kysely';
import type { MovedRow } from '../../../kernel/ports/moving.ts';
import type { MovedColumn } from './columns.ts';
import type { MovedTable, SqlType, StoredRow } from './moved-table.ts';

type Columns = Readonly<Record<string, MovedColumn>>;

interface PlainTable extends Partial<Omit<MovedTable, 'table' | 'columns'>> {
  readonly table: string;
  /** In the order in which the database finds them. */
  readonly key: readonly string[];
  readonly columns: Columns;
  /** The primary key, if it isn't the owner and the key. */
  readonly primaryKey?: readonly string[];
}

/** A table whose rows are in files as they are in the database, but for their owner. */
export function plainTable({ table, key, columns, ...more }: PlainTable): MovedTable {
  const names = Object.keys(columns);
  const { owner = 'account_id' } = more;
  return {
    name: table,
    table,
    owner,
    from: sql`${sql.table(table)} as t`,
    read: columnsOfTable(names),
    order: key,
    columns,
    key,
    written: { [owner]: 'text', ...typesOf(columns) },
    primaryKey: more.primaryKey ?? [owner, ...key],
    toMoved: (row) => pick(row, names),
    toStored: (row, { owner: { accountId } }) => ({ account_id: accountId, ...row }),
    nameOf: (row) => key.map((column) => String(row[column])).join(' '),
    ...more,
  };
}

/** Columns of `t`. */
export function columnsOfTable(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(`t.${name}`)));
}

export function typesOf(columns: Columns): Readonly<Record<string, SqlType>> {
  return Object.fromEntries(Object.entries(columns).map(([name, { type }]) => [name, type]));
}

/** In the order of the names. */
export function pick(row: StoredRow, names: readonly string[]): MovedRow {
  return Object.fromEntries(names.map((name) => [name, storable(row[name])]));
}

function storable(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
