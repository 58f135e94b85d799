import { sql, type Transaction } from 'kysely';
import type { Migration } from '../migrate.ts';
import type { SchemaTables } from '../tables.ts';

const personColumns = ['email', 'email_folded', 'password_hash', 'verified_at_ms', 'disabled_at_ms'];

/** An empty hash stands for none: the column of `users` can't be null. */
export const copyInserted = `insert into identities
    (id, email, email_folded, password_hash, created_at_ms, verified_at_ms, disabled_at_ms)
    values (new.id, new.email, new.email_folded, nullif(new.password_hash, ''), new.created_at_ms,
      new.verified_at_ms, new.disabled_at_ms);
  insert into memberships (identity_id, account_id, role, created_at_ms)
    values (new.id, new.id, 'owner', new.created_at_ms);`;
export const copyUpdated = `update identities set email = new.email, email_folded = new.email_folded,
    password_hash = nullif(new.password_hash, ''), verified_at_ms = new.verified_at_ms,
    disabled_at_ms = new.disabled_at_ms where id = new.id;`;
export const copyDeleted = `delete from memberships where account_id = old.id;
  delete from identities where id = old.id
    and not exists (select 1 from memberships where identity_id = old.id);`;

/**
 * Separates people from accounts. A row of `users` is an account; its person has the same id. Builds before this one write
 * the person's columns of `users`, so triggers copy them, and later builds write them there, too.
 */
export const identities: Migration = {
  name: 'identities',
  async up(db, { name, text, integer, tableEnd }) {
    await db.schema
      .createTable('identities')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('email', text, (column) => column.notNull())
      .addColumn('email_folded', text, (column) => column.notNull().unique())
      .addColumn('password_hash', text)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('verified_at_ms', integer)
      .addColumn('disabled_at_ms', integer)
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('memberships')
      .addColumn('identity_id', text, (column) => column.notNull())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('role', text, (column) => column.notNull())
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('memberships_of_identity', ['identity_id', 'account_id'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('memberships_of_account')
      .on('memberships')
      .columns(['account_id', 'created_at_ms'])
      .execute();
    // Null in sessions of earlier builds: then the person has the id of the account.
    await db.schema.alterTable('sessions').addColumn('identity_id', text).execute();
    await db.schema.createIndex('sessions_of_identity').on('sessions').column('identity_id').execute();
    // Before the rows are copied: creating a trigger waits for open transactions and stops new ones.
    await (name === 'postgres' ? createPostgresTrigger(db) : createSqliteTriggers(db));
    await sql`insert into identities
      (id, email, email_folded, password_hash, created_at_ms, verified_at_ms, disabled_at_ms)
      select id, email, email_folded, password_hash, created_at_ms, verified_at_ms, disabled_at_ms
      from users`.execute(db);
    await sql`insert into memberships (identity_id, account_id, role, created_at_ms)
      select id, id, 'owner', created_at_ms from users`.execute(db);
  },
};

async function createSqliteTriggers(db: Transaction<SchemaTables>): Promise<void> {
  const triggers = {
    inserted: ['insert', copyInserted],
    updated: [`update of ${personColumns.join(', ')}`, copyUpdated],
    deleted: ['delete', copyDeleted],
  } as const;
  for (const [name, [event, body]] of Object.entries(triggers))
    await sql.raw(`create trigger users_${name} after ${event} on users begin ${body} end`).execute(db);
}

async function createPostgresTrigger(db: Transaction<SchemaTables>): Promise<void> {
  await sql
    .raw(
      `create function copy_user() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then ${copyInserted}
        elsif tg_op = 'UPDATE' then ${copyUpdated}
        else ${copyDeleted}
        end if;
        return null;
      end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger users_copied after insert or delete or update of ${personColumns.join(', ')} on users
        for each row execute function copy_user()`,
    )
    .execute(db);
}
