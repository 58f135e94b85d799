import { type Kysely, sql } from 'kysely';
import type { MovedOwner, MovedRow } from '../../../kernel/ports/moving.ts';
import { limits } from '../../limits.ts';
import type { Tables } from '../tables.ts';
import type { MoveContext, MovedTable, StoredRow } from './moved-table.ts';

/** The rows of an owner as they are in a file, page by page. */
export async function* readMovedRows(
  db: Kysely<Tables>,
  table: MovedTable,
  owner: MovedOwner,
  context: MoveContext,
): AsyncIterable<readonly MovedRow[]> {
  const { order } = table;
  const mine =
    table.table === 'receipt_keys'
      ? sql`true`
      : sql`${sql.ref(`t.${table.owner}`)} = ${table.owner === 'scope' ? owner.scope : owner.accountId}`;
  const filter = table.where === undefined ? mine : sql`${mine} and ${table.where}`;
  const columns = sql.join(order.map((name) => sql.ref(`t.${name}`)));
  for (let after: readonly unknown[] = []; ; ) {
    const next = after.length === 0 ? sql`` : sql`and (${columns}) > (${sql.join(after)})`;
    const { rows } = await sql<StoredRow>`select ${table.read} from ${table.from}
      where ${filter} ${next} order by ${columns} limit ${pageRows(table)}`.execute(db);
    yield rows.map((row) => table.toMoved(row, owner, context)).filter((row) => row !== undefined);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows(table)) return;
    after = order.map((name) => last[name]);
  }
}

/** Few where rows may be large. */
function pageRows({ table }: MovedTable): number {
  return table === 'collection_entries' || table === 'recordings' ? 10 : limits.importedRowsAtOnce;
}
