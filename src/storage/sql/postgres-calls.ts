import type { PooledConnection } from './connection-pool.ts';
import { isStoredRow, parseRows, requestColumns } from './request-log-row.ts';
import { RequestTally, sumTables } from './request-tally.ts';
import { columnsOf, onConflict, type SumTable } from './sum-table.ts';

type Run = PooledConnection['run'];

/**
 * Stores the rows of calls and adds new ones to the sums, all or nothing. The rows are sent as one JSON text: hundreds of
 * parameters would cost this thread much more. The sums are made here and not in the database, which all replicas share.
 */
export async function addCallsToPostgres(run: Run, lists: string): Promise<void> {
  const rows = parseRows(lists);
  const stored = rows.filter(isStoredRow);
  const [text, otherIds] =
    stored.length === rows.length
      ? [lists, []]
      : [JSON.stringify(stored), rows.filter((row) => !isStoredRow(row)).map(([id]) => id)];
  // The trigger is for older builds.
  await run(`select set_config('weir.counted', 'on', true)`);
  const added = new Set<unknown>();
  const collect = async (sql: string, parameter: unknown) => {
    for (const row of (await run(sql, [parameter])).rows) added.add(idOf(row));
  };
  if (stored.length > 0) await collect(insertRowsSql, text);
  if (otherIds.length > 0) await collect(insertIdsSql, otherIds);
  const requestTally = new RequestTally();
  for (const row of rows) if (added.has(row[0])) requestTally.add(row);
  const upserts = Map.groupBy(requestTally.rows(), ({ table }) => table);
  for (const table of sumTables) {
    const values = upserts.get(table)?.map((row) => row.values);
    if (values !== undefined) await run(upsertSql(table), [JSON.stringify(values)]);
  }
}

const sqlTypes = { text: 'text', integer: 'bigint', real: 'double precision' } as const;
const columnNames = requestColumns.map(({ name }) => `"${name}"`).join(', ');
const columnValues = requestColumns
  .map(({ kind }, at) => `cast(list->>${at} as ${sqlTypes[kind]})`)
  .join(', ');
const insertRowsSql = `with rows as materialized (select value as list from jsonb_array_elements(cast($1 as jsonb)))
  insert into requests (${columnNames}) select ${columnValues} from rows on conflict do nothing returning id`;
const insertIdsSql = `insert into request_ids (id) select * from unnest(cast($1 as text[]))
  on conflict do nothing returning id`;

/** In the order of the key, so that two who write the same rows don't wait for each other in a circle. */
function upsertSql(table: SumTable): string {
  const { key, sums, merged = [] } = table;
  const keyValues = key.map((column, at) =>
    isText(column) ? `(list->>${at}) collate "C"` : `cast(list->>${at} as bigint)`,
  );
  const totals = sums.map((_, at) => `cast(sum(cast(list->>${key.length + at} as bigint)) as bigint)`);
  const mergedValues = merged.map(({ kind }, at) => {
    const value = `list->>${key.length + sums.length + at}`;
    return kind === 'text' ? `max(${value})` : `max(cast(${value} as bigint))`;
  });
  const places = key.map((_, at) => at + 1).join(', ');
  return `insert into ${table.name} (${columnsOf(table).join(', ')})
    select ${[...keyValues, ...totals, ...mergedValues].join(', ')} from jsonb_array_elements(cast($1 as jsonb)) as rows (list)
    group by ${places} order by ${places}
    ${onConflict(table)}`;
}

const integerKeys = new Set(['at_ms', 'bin', 'status']);

function isText(column: string): boolean {
  return !integerKeys.has(column);
}

function idOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'id' in row ? row.id : undefined;
}
