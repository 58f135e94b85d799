import { sql } from 'kysely';
import { firstIdAt } from '../../../kernel/request-id.ts';
import type { Migration } from '../migrate.ts';
import { postgresCounting } from './request-kinds-counting.ts';

const dayMs = 86_400_000;

/**
 * Rows that stand for several calls, and the ids of calls without a row, so that a batch that is stored again counts them
 * once. This build sums calls up itself; the trigger counts those of older builds.
 */
export const requestWeights: Migration = {
  name: 'request-weights',
  async up(db, { name, text, real, tableEnd }) {
    await db.schema.alterTable('requests').addColumn('weight', real).execute();
    if (name === 'sqlite') {
      await sql`create table request_ids (id ${text} primary key not null) ${tableEnd}, without rowid`.execute(
        db,
      );
      return;
    }
    await sql`create table request_ids (id ${text} primary key) partition by range (id)`.execute(db);
    const end = sql.lit(firstIdAt(Math.floor(Date.now() / dayMs + 1) * dayMs));
    await sql`create table request_ids_past partition of request_ids for values from (minvalue) to (${end})`.execute(
      db,
    );
    await sql`create table request_ids_future partition of request_ids for values from (${end}) to (maxvalue)`.execute(
      db,
    );
    const body = `begin
      if current_setting('weir.counted', true) = 'on' then return null; end if;
      ${postgresCounting.join(';\n')}; return null; end`;
    await sql
      .raw(
        `create or replace function requests_count() returns trigger language plpgsql as $count$ ${body} $count$`,
      )
      .execute(db);
  },
};
