import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { findIncompatibilities } from './migration-compatibility.ts';
import { migrations } from './migrations/index.ts';
import { postgresDialect, sqliteDialect } from './sql-dialect.ts';

/**
 * `sessions` is from before the first release: no build is around that knows the table which it drops. `request-kinds` makes
 * the table of calls anew with all that it had and more, in one transaction: older statements go on, and wait for it at most.
 * `request-days` does the same with partitions. The triggers of `identities` write new tables only. `request-minutes` changes the
 * order of keys, which statements don't depend on. `organizations` changes a trigger for rows which older builds don't write.
 */
const exempt = [
  'sessions',
  'request-kinds',
  'request-days',
  'identities',
  'request-minutes',
  'organizations',
];

test('no migration takes from an older build what it works with', async () => {
  for (const sqlDialect of [sqliteDialect, postgresDialect])
    for (const migration of migrations)
      if (!exempt.includes(migration.name))
        assert.deepEqual(await findIncompatibilities(migration, sqlDialect), []);
});

test('what an older build would stumble over is found', async () => {
  const harmless = [
    sql`create table "new" ("id" integer)`,
    sql`create unique index "one" on "new" ("id")`,
    sql`insert into "new" values (1)`,
    sql`alter table "users" add column "nick" text`,
    sql`alter table "users" add column "size" integer default 0 not null`,
    sql`create index "users_by_size" on "users" ("size")`,
  ];
  const harmful = [
    sql`alter table "users" add column "size" integer not null`,
    sql`alter table "users" add column "nick" text unique`,
    sql`create unique index "one" on "users" ("email")`,
    sql`create trigger "never" before delete on "users" begin select 1; end`,
    sql`alter table "users" drop column "email"`,
    sql`alter table "users" rename column "email" to "mail"`,
    sql`alter table "users" alter column "tier" set not null`,
    sql`update "users" set "email" = lower("email")`,
    sql`drop table "users"`,
    sql`drop index "users_by_email"`,
  ];
  const migration = {
    name: 'some',
    async up(db: Parameters<(typeof migrations)[number]['up']>[0]) {
      for (const statement of [...harmless, ...harmful]) await statement.execute(db);
    },
  };
  const faults = await findIncompatibilities(migration, sqliteDialect);
  assert.equal(faults.length, harmful.length, faults.join('\n'));
});
