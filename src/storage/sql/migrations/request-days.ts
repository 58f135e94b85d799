import { sql } from 'kysely';
import { firstIdAt } from '../../../kernel/request-id.ts';
import type { Migration } from '../migrate.ts';

const dayMs = 86_400_000;
const indexes = ['of_account', 'of_kind'];

/**
 * Partitions the calls by time in PostgreSQL, so that old ones are dropped as a whole. Ids begin with the time and are the
 * key of the partitions, so that they stay unique. The table of before becomes the first partition as it is: nothing is
 * copied, and PostgreSQL reads it once to check its ids. Statements of older builds work on the new table.
 */
export const requestDays: Migration = {
  name: 'request-days',
  async up(db, { name }) {
    if (name === 'sqlite') return;
    const end = sql.lit(firstIdAt(Math.floor(Date.now() / dayMs + 1) * dayMs));
    await sql`drop trigger requests_counted on requests`.execute(db);
    await sql`alter table requests rename to requests_before`.execute(db);
    for (const index of indexes)
      await sql`alter index ${sql.id(`requests_${index}`)} rename to ${sql.id(`requests_before_${index}`)}`.execute(
        db,
      );
    await sql`create table requests (like requests_before including defaults, primary key (id))
      partition by range (id)`.execute(db);
    await sql`create index requests_of_account on requests (account_id, id)`.execute(db);
    await sql`create index requests_of_kind on requests (kind, id)`.execute(db);
    await sql`create table requests_future partition of requests for values from (${end}) to (maxvalue)`.execute(
      db,
    );
    // A clock that was ahead may have made ids of later days.
    await sql`with moved as (delete from requests_before where id >= ${end} returning *)
      insert into requests_future select * from moved`.execute(db);
    await sql`alter table requests attach partition requests_before for values from (minvalue) to (${end})`.execute(
      db,
    );
    // Rows of sums are updated again and again: with room in their pages, no index entry is added each time.
    for (const table of ['request_sums', 'request_times', 'request_steps'])
      await sql`alter table ${sql.table(table)} set (fillfactor = 40)`.execute(db);
    await sql`create trigger requests_counted after insert on requests referencing new table as added
      for each statement execute function requests_count()`.execute(db);
  },
};
