import { type RawBuilder, sql } from 'kysely';
import type { SqlDialect } from './sql-dialect.ts';

type ColumnType = 'text' | 'bigint';

/**
 * Selects rows from one parameter, a JSON array of arrays. A statement with a parameter for each value takes 15 µs a row to
 * build, and has to be prepared again for every number of rows.
 */
export function selectRows(
  { name }: SqlDialect,
  types: readonly ColumnType[],
  rows: readonly (readonly (string | number)[])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  if (name === 'postgres') {
    const values = types.map((type, at) => `(value->>${at})::${type}`).join(', ');
    return sql`select ${sql.raw(values)} from json_array_elements(${json}::json)`;
  }
  const values = types.map((_, at) => `value->>${at}`).join(', ');
  // Without a condition, `on conflict` would be taken for that of a join.
  return sql`select ${sql.raw(values)} from json_each(${json}) where true`;
}
