import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlType } from './moved-table.ts';

/** The values of a JSON array in a column, in the types of the columns that they are written to. */
export function valuesOf(
  { name }: SqlDialect,
  array: string,
  types: readonly SqlType[],
): RawBuilder<unknown> {
  const isPostgres = name === 'postgres';
  const source = isPostgres ? `cast(${array} as json)` : array;
  const values = types.map((type, at) => {
    const value = `${source}->>${at}`;
    if (type === 'bytes') return isPostgres ? `decode(${value}, 'hex')` : `unhex(${value})`;
    if (!isPostgres) return value;
    return type === 'text' ? `(${value}) collate "C"` : `cast(${value} as ${type})`;
  });
  return sql.raw(values.join(', '));
}

/** A subquery with a row for each array in a JSON array, which is one parameter; its columns are `k0`, `k1` and so on. */
export function keysFrom(
  { name }: SqlDialect,
  types: readonly SqlType[],
  rows: readonly (readonly unknown[])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  if (name === 'postgres') {
    const columns = types.map((type, at) => {
      const value = `value->>${at}`;
      return `${type === 'text' ? `(${value}) collate "C"` : `cast(${value} as ${type})`} as k${at}`;
    });
    return sql`(select ${sql.raw(columns.join(', '))} from json_array_elements(cast(${json} as json))) as wanted`;
  }
  const columns = types.map((_, at) => `value->>${at} as k${at}`);
  return sql`(select ${sql.raw(columns.join(', '))} from json_each(${json})) as wanted`;
}

/** As a JSON array; bytes in hexadecimal. */
export function toArray(values: readonly unknown[]): string {
  return JSON.stringify(
    values.map((value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : (value ?? null),
    ),
  );
}
