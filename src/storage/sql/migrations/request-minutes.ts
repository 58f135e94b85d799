import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Each table with the key that it gets. */
const tables = {
  request_sums: ['at_ms', 'account_id', 'kind'],
  request_times: ['at_ms', 'account_id', 'what', 'provider', 'model', 'bin'],
  request_steps: ['at_ms', 'account_id', 'module', 'effect'],
} as const;

/**
 * Sums of the latest minutes are kept by time first, account second: calls of many accounts write to few pages, and the
 * tables need no index of times. Statements of older builds work as before, and read more slowly.
 */
export const requestMinutes: Migration = {
  name: 'request-minutes',
  async up(db, { name: home }) {
    for (const [table, key] of Object.entries(tables)) {
      const columns = sql.join(key.map((column) => sql.id(column)));
      await sql`drop index ${sql.id(`${table}_at`)}`.execute(db);
      if (home === 'postgres') {
        await sql`alter table ${sql.table(table)} drop constraint ${sql.id(`${table}_pkey`)},
          add primary key (${columns})`.execute(db);
        continue;
      }
      const before = sql.table(`${table}_before`);
      await sql`alter table ${sql.table(table)} rename to ${before}`.execute(db);
      const { rows } = await sql<{ readonly name: string; readonly type: string }>`
        select name, type from pragma_table_info(${sql.lit(`${table}_before`)}) order by cid`.execute(db);
      const written = rows.map((row) => sql`${sql.id(row.name)} ${sql.raw(row.type)} not null`);
      await sql`create table ${sql.table(table)} (${sql.join(written)}, primary key (${columns})) strict, without rowid`.execute(
        db,
      );
      await sql`insert into ${sql.table(table)} select * from ${before}`.execute(db);
      await sql`drop table ${before}`.execute(db);
    }
  },
};
