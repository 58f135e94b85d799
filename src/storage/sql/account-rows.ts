import { type Kysely, sql } from 'kysely';
import { scopeOf } from '../../kernel/caller.ts';
import { limits } from '../../kernel/limits.ts';
import type { AccountRow, AccountRows } from '../../kernel/ports/account-rows.ts';
import { isJsonObject } from '../../lib/json.ts';
import { type ExportedTable, exportedTables } from './exported-tables.ts';
import type { Tables } from './tables.ts';

export class SqlAccountRows implements AccountRows {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async *of(accountId: string): AsyncIterable<AccountRow> {
    for (const what of exportedTables)
      for (let after: readonly unknown[] | undefined = []; after !== undefined; ) {
        const rows: readonly Row[] = await this.#page(what, accountId, after);
        for (const row of rows) if (!isSealed(row)) yield { type: what.type, ...row };
        const last = rows.at(-1);
        const isLast = rows.length < limits.databaseRowsAtOnce;
        after = last === undefined || isLast ? undefined : what.key.map((column) => last[column]);
      }
  }

  async #page(what: ExportedTable, accountId: string, after: readonly unknown[]): Promise<readonly Row[]> {
    const { table, join = sql``, ownerColumn, key, columns } = what;
    const isTenant = ownerColumn === 'owner' || ownerColumn === 'scope';
    const name = isTenant ? scopeOf({ kind: 'account', accountId, keyId: '' }) : accountId;
    const named = (list: readonly string[]) => sql.join(list.map((column) => sql.ref(column)));
    const next = after.length === 0 ? sql`` : sql`and (${named(key)}) > (${sql.join(after)})`;
    const { rows } = await sql<Row>`select ${named([...key, ...columns])} from ${sql.table(table)} ${join}
      where ${sql.ref(ownerColumn)} = ${name} ${next}
      order by ${named(key)} limit ${limits.databaseRowsAtOnce}`.execute(this.#db);
    return rows;
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Decision logs and sealed collections quote conversations. */
function isSealed({ value }: Row): boolean {
  if (value === null) return true;
  if (typeof value !== 'string' || !value.includes('"sealed"')) return false;
  const parsed: unknown = JSON.parse(value);
  return isJsonObject(parsed) && 'sealed' in parsed;
}
