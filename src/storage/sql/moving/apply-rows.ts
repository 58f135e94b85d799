import { type Kysely, sql, type Transaction } from 'kysely';
import { limits } from '../../limits.ts';
import type { Tables } from '../tables.ts';
import { valuesOf } from './json-source.ts';
import { requestKinds } from './log-tables.ts';
import type { MoveContext, MovedTable } from './moved-table.ts';
import { movedTables } from './moved-tables.ts';

type WrittenTable = Pick<MovedTable, 'table' | 'written' | 'primaryKey' | 'version'> &
  Partial<Pick<MovedTable, 'owner'>>;

const hows = ['add', 'replace'] as const;
export type WriteMode = (typeof hows)[number];

/** Each table once, though several of its parts may move apart. */
function tablesThat(isBulk: boolean): readonly WrittenTable[] {
  const found = movedTables.filter((table) => (table.isBulk === true) === isBulk);
  const once = new Map<string, WrittenTable>(found.map((table) => [table.table, table]));
  return isBulk ? [requestKinds, ...once.values()] : [...once.values()];
}

/** Everything but what may be much. */
export async function writeSmallRows(
  trx: Transaction<Tables>,
  importId: string,
  context: MoveContext,
): Promise<void> {
  for (const table of tablesThat(false))
    for (const how of hows) while (await writeSome(trx, importId, { table, how }, context));
}

/** A part of the rest, in a transaction of its own; true if there is more. The last one ends the import. */
export async function writeBulkRows(
  db: Kysely<Tables>,
  importId: string,
  context: MoveContext,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // Older builds count calls with a trigger; the sums move by themselves.
    if (context.dialect.name === 'postgres')
      await sql`select set_config('weir.counted', 'on', true)`.execute(trx);
    for (const table of tablesThat(true))
      for (const how of hows) if (await writeSome(trx, importId, { table, how }, context)) return true;
    await trx.deleteFrom('imports').where('id', '=', importId).execute();
    return false;
  });
}

interface TableWrite {
  readonly table: WrittenTable;
  readonly how: WriteMode;
}

/** Moves rows to their table; false if there are none. */
async function writeSome(
  trx: Transaction<Tables>,
  importId: string,
  { table, how }: TableWrite,
  { dialect }: MoveContext,
): Promise<boolean> {
  const mine = sql`import_id = ${importId} and table_name = ${table.table} and how = ${how}`;
  const { rows } = await sql<{ readonly last: number | null }>`select max(number) as last from
    (select number from import_rows where ${mine} order by number limit ${limits.importedRowsAtOnce}) as page`.execute(
    trx,
  );
  const last = rows[0]?.last ?? null;
  if (last === null) return false;
  const names = Object.keys(table.written);
  const values = valuesOf(dialect, 'content', Object.values(table.written));
  await sql`insert into ${sql.table(table.table)} (${sql.join(names.map((name) => sql.id(name)))})
    select ${values} from import_rows where ${mine} and number <= ${last} order by number
    on conflict ${onConflict(table, how)}`.execute(trx);
  await sql`delete from import_rows where ${mine} and number <= ${last}`.execute(trx);
  return true;
}

/** Never a row of another account. */
function onConflict(
  { table, written, primaryKey, owner = 'account_id', version }: WrittenTable,
  how: WriteMode,
) {
  if (how === 'add') return sql`do nothing`;
  const own = sql.ref(`${table}.${owner}`);
  const set = Object.keys(written)
    .filter((name) => !primaryKey.includes(name) && name !== owner)
    .map((name) =>
      name === version
        ? sql`${sql.id(name)} = ${sql.ref(`${table}.${name}`)} + 1`
        : sql`${sql.id(name)} = ${sql.ref(`excluded.${name}`)}`,
    );
  return sql`(${sql.join(primaryKey.map((name) => sql.id(name)))}) do update set ${sql.join(set)}
    where ${own} = ${sql.ref(`excluded.${owner}`)}`;
}

/** Deletes in steps, so that others get their turns. */
export async function forgetImport(db: Kysely<Tables>, importId: string): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from import_rows where import_id = ${importId}
      and (table_name, how, number) in (select table_name, how, number from import_rows
        where import_id = ${importId} limit ${10 * limits.importedRowsAtOnce})`.execute(db);
    if (numAffectedRows === 0n) break;
  }
  await db.deleteFrom('imports').where('id', '=', importId).execute();
}

/** Rows of an import whose account was erased. True if there may be more. */
export async function forgetOrphans(db: Kysely<Tables>): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from import_rows
    where (import_id, table_name, how, number) in (select import_id, table_name, how, number from import_rows
      where import_id not in (select id from imports) limit ${10 * limits.importedRowsAtOnce})`.execute(db);
  return numAffectedRows > 0n;
}
