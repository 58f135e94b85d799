import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { someKey, someMember } from './samples.ts';
import type { CreateDatabaseFixture } from './set-up.ts';

export function openingConformance(createDatabaseFixture: CreateDatabaseFixture): void {
  describe('opening', () => {
    test('what was written is there when it is opened again', async (t) => {
      const home = await createDatabaseFixture(t);
      const member = someMember();
      const key = someKey(member.account.id);
      const first = await home.open();
      await first.identities.add(member);
      await first.apiKeys.add(key, 100);
      await first.close();
      const second = await home.open();
      t.after(() => second.close());
      assert.deepEqual(await second.members.owner(member.account.id), member);
      assert.deepEqual(await second.apiKeys.list(member.account.id), [key]);
    });

    test('many may open an empty one at once, and all see the same', async (t) => {
      const home = await createDatabaseFixture(t);
      const databases = await Promise.all(Array.from({ length: 5 }, () => home.open()));
      t.after(() => Promise.all(databases.map((database) => database.close())));
      const members = databases.map(() => someMember());
      await Promise.all(
        databases.map((database, at) => database.identities.add(members[at] ?? someMember())),
      );
      for (const database of databases)
        for (const member of members)
          assert.deepEqual(await database.members.owner(member.account.id), member);
    });

    test('a schema newer than this code is refused in one line that names both versions', async (t) => {
      const home = await createDatabaseFixture(t);
      await (await home.open()).close();
      await home.execute(`insert into schema_migrations (version, name) values (4711, 'of the future')`);
      await assert.rejects(home.open(), (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, /schema version 4711\D* up to \d/);
        assert.ok(!error.message.includes('\n'));
        return true;
      });
      await home.execute('delete from schema_migrations where version = 4711');
      await (await home.open()).close();
    });

    test('once it is closed it answers with an error, and can be closed again', async (t) => {
      const home = await createDatabaseFixture(t);
      const database = await home.open();
      await database.ping();
      await database.close();
      await assert.rejects(database.ping());
      await assert.rejects(database.members.owner('x'));
      await database.close();
      const unused = await home.open();
      await unused.close();
      await assert.rejects(unused.ping());
    });

    test('closing waits for what is under way', async (t) => {
      const home = await createDatabaseFixture(t);
      const database = await home.open();
      const member = someMember();
      const added = database.identities.add(member);
      await database.ping();
      await Promise.all([added, database.close()]);
      const again = await home.open();
      t.after(() => again.close());
      assert.deepEqual(await again.members.owner(member.account.id), member);
    });
  });
}
