import { sql, type Transaction } from 'kysely';
import type { Migration } from '../migrate.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SchemaTables } from '../tables.ts';
import { copyDeleted, copyInserted, copyUpdated } from './identities.ts';

/**
 * Accounts without a person of their own. Their rows of `users` have an empty address, and the triggers that copy people leave
 * them out; `email_folded`, which must be unique, has the id.
 */
export const organizations: Migration = {
  name: 'organizations',
  async up(db, dialect) {
    const { text, integer, tableEnd } = dialect;
    await db.schema.alterTable('users').addColumn('name', text).execute();
    await db.schema.alterTable('users').addColumn('deletes_at_ms', integer).execute();
    await db.schema
      .createIndex('users_to_delete')
      .on('users')
      .column('deletes_at_ms')
      .where(sql.ref('deletes_at_ms'), 'is not', null)
      .execute();
    await db.schema
      .createTable('member_invitations')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('email', text)
      .addColumn('email_folded', text)
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull().unique())
      .addColumn('invited_by', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('expires_at_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('member_invitations_of_account')
      .on('member_invitations')
      .columns(['account_id', 'email_folded'])
      .execute();
    await replaceTriggers(db, dialect);
  },
};

async function replaceTriggers(db: Transaction<SchemaTables>, { name }: SqlDialect): Promise<void> {
  if (name === 'postgres') {
    await sql
      .raw(
        `create or replace function copy_user() returns trigger language plpgsql as $$ begin
          if tg_op = 'INSERT' then if new.email <> '' then ${copyInserted} end if;
          elsif tg_op = 'UPDATE' then ${copyUpdated}
          else ${copyDeleted}
          end if;
          return null;
        end $$`,
      )
      .execute(db);
    return;
  }
  await sql.raw('drop trigger users_inserted').execute(db);
  await sql
    .raw(`create trigger users_inserted after insert on users when new.email <> '' begin ${copyInserted} end`)
    .execute(db);
}
