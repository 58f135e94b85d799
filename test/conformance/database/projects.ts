import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Database } from '../../../src/kernel/ports/records.ts';
import { someKey, someMember, someProject } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function projectsConformance(setUpDatabase: SetUpDatabase): void {
  describe('projects', () => {
    test('are listed in pages, found by a part of their name, renamed and archived', async (t) => {
      const { database } = await setUpDatabase(t);
      const { projects } = database;
      const accountId = await addAccount(database);
      const all = ['Search', 'a_b', 'axb'].map((name, at) => someProject(accountId, name, at));
      for (const project of all) assert.equal(await projects.add(project, 10), 'added');
      const [search, underscore] = all;
      assert.ok(search && underscore);
      assert.deepEqual(await projects.page(accountId, { limit: 10 }), all);
      assert.deepEqual(await projects.page(accountId, { limit: 1, after: search }), [underscore]);
      assert.deepEqual(await projects.page(accountId, { limit: 10, search: 'A_' }), [underscore]);
      assert.deepEqual(await projects.page(accountId, { limit: 10, search: 'sEA' }), [search]);
      assert.equal(await projects.rename(accountId, search.id, 'axb'), 'name_taken');
      assert.equal(await projects.rename(accountId, randomUUID(), 'other'), 'unknown');
      const renamed = { ...search, name: 'Find' };
      assert.deepEqual(await projects.rename(accountId, search.id, 'Find'), renamed);
      const archived = { ...renamed, archivedAtMs: 50 };
      assert.deepEqual(await projects.setArchived(accountId, search.id, 50), archived);
      assert.deepEqual(
        await projects.setArchived(accountId, search.id, 60),
        archived,
        'since the first time',
      );
      assert.deepEqual(await projects.page(accountId, { limit: 10, archived: true }), [archived]);
      assert.deepEqual(await projects.page(accountId, { limit: 10, archived: false }), all.slice(1));
      const counts = [undefined, true, false].map((archived) => projects.count(accountId, { archived }));
      assert.deepEqual(await Promise.all(counts), [3, 1, 2]);
      assert.deepEqual(await projects.setArchived(accountId, search.id, null), renamed);
    });

    test('of another account are unknown', async (t) => {
      const { database } = await setUpDatabase(t);
      const { projects, apiKeys } = database;
      const [mine, theirs] = [await addAccount(database), await addAccount(database)];
      const project = someProject(theirs, 'x');
      await projects.add(project, 10);
      await apiKeys.add(someKey(theirs, { projectId: project.id }), 10);
      assert.equal(await projects.find(mine, project.id), undefined);
      assert.equal(await projects.rename(mine, project.id, 'y'), 'unknown');
      assert.equal(await projects.setArchived(mine, project.id, 5), undefined);
      assert.deepEqual(await projects.page(mine, { limit: 10 }), []);
      assert.deepEqual(await apiKeys.idsOfProject(mine, project.id, 10), []);
      assert.equal(await projects.add(someProject(mine, 'x'), 10), 'added', 'names are unique in an account');
    });

    test('of many that are created at once, only as many are made as there may be, and one of each name', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const accountId = await addAccount(database);
      const add = (name: (at: number) => string, most: number) =>
        Promise.all(
          Array.from({ length: 8 }, (_, at) =>
            both[at % 2]?.projects.add(someProject(accountId, name(at)), most),
          ),
        );
      const named = await add(() => 'same', 100);
      assert.deepEqual(named.toSorted(), ['added', ...Array(7).fill('name_taken')]);
      const bounded = await add(String, 4);
      assert.equal(bounded.filter((outcome) => outcome === 'added').length, 3);
    });

    test('have members, whose roles end with their membership', async (t) => {
      const { database } = await setUpDatabase(t);
      const { projects, projectMembers, members, organizations, memberInvitations } = database;
      const [ada, bob] = [someMember(), someMember()];
      for (const person of [ada, bob]) await database.identities.add(person);
      const accountId = randomUUID();
      await organizations.add({ id: accountId, name: 'Acme', createdAtMs: 1 }, ada.identity.id, 9);
      const project = someProject(accountId, 'x');
      await projects.add(project, 10);
      const memberId = String(bob.identity.id);
      const [place, other] = [{ accountId, projectId: project.id, memberId }, randomUUID()];
      assert.equal(await projectMembers.setRole(place, 'viewer', 5), 'unknown', 'not in the account');
      await memberInvitations.add(
        {
          ...{
            id: randomUUID(),
            accountId,
            email: null,
            role: 'member',
            hash: 'h',
            invitedBy: ada.identity.id,
          },
          ...{ createdAtMs: 1, expiresAtMs: 9e12 },
        },
        10,
      );
      await memberInvitations.accept({
        ...{ hash: 'h', identityId: bob.identity.id, email: bob.identity.email, nowMs: 2 },
        ...{ membersMax: 10, membershipsMax: 10 },
      });
      assert.equal(await projectMembers.setRole({ ...place, projectId: other }, 'viewer', 5), 'unknown');
      assert.equal(await projectMembers.setRole({ ...place, accountId: other }, 'viewer', 5), 'unknown');
      assert.equal(await projectMembers.setRole(place, 'viewer', 5), null);
      assert.equal(await projectMembers.setRole(place, 'admin', 6), 'viewer');
      assert.deepEqual(await projectMembers.page(project.id, { limit: 10 }), [
        { memberId, email: bob.identity.email, name: null, role: 'admin', sinceMs: 5 },
      ]);
      assert.deepEqual(
        await projectMembers.page(project.id, { limit: 10, after: { sinceMs: 5, memberId } }),
        [],
      );
      assert.deepEqual(await projectMembers.find(accountId, project.id, memberId), { role: 'admin' });
      assert.deepEqual(await projectMembers.find(accountId, project.id, undefined), { role: undefined });
      assert.equal(await projectMembers.find(other, project.id, memberId), undefined);
      assert.deepEqual(await projectMembers.rolesOf(accountId, memberId), ['admin']);
      assert.deepEqual(
        await projectMembers.rolesIn(memberId, [project.id, other]),
        new Map([[project.id, 'admin']]),
      );
      assert.deepEqual(await projects.page(accountId, { limit: 10, memberId }), [project]);
      assert.equal(await projects.count(accountId, { memberId: other }), 0);
      assert.equal(await projectMembers.remove({ ...place, accountId: other }), undefined);
      assert.equal(await members.remove({ accountId, identityId: bob.identity.id }), 'changed');
      assert.deepEqual(await projectMembers.rolesOf(accountId, memberId), []);
    });

    test('refuse their keys while they are archived, and bound them', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const { projects, apiKeys } = database;
      const accountId = await addAccount(database);
      const project = someProject(accountId, 'x');
      await projects.add(project, 10);
      const keys = Array.from({ length: 3 }, (_, at) =>
        someKey(accountId, { createdAtMs: at, prefix: 'gw_live_p' }),
      );
      for (const key of keys) assert.equal(await apiKeys.add(key, 3), true);
      const other = (await open()).apiKeys;
      const moves = keys.map((key, at) => (at % 2 === 0 ? apiKeys : other).move(key, project.id, 2));
      const outcomes = await Promise.all(moves);
      assert.deepEqual(outcomes.toSorted(), ['limit_reached', 'moved', 'moved']);
      const moved = keys.filter((_, at) => outcomes[at] === 'moved').map(({ id }) => id);
      assert.deepEqual(await apiKeys.idsOfProject(accountId, project.id, 10), moved.toReversed());
      assert.deepEqual(await apiKeys.idsOfProject(accountId, project.id, 1), moved.slice(-1));
      const inProject = new Map(moved.map((id) => [id, project.id]));
      const ids = keys.map(({ id }) => id);
      assert.deepEqual(await apiKeys.projects(accountId, ids), inProject);
      assert.deepEqual(await apiKeys.projects('other', ids), new Map());
      assert.equal(await apiKeys.add(someKey(accountId, { projectId: project.id }), 2), false);
      assert.equal(await apiKeys.add(someKey(accountId), 2), true, 'outside of projects there is room');
      await projects.setArchived(accountId, project.id, 5);
      const closed = async () =>
        (await apiKeys.active('gw_live_p')).filter(({ isClosed }) => isClosed).map(({ key }) => key.id);
      assert.deepEqual((await closed()).toSorted(), moved.toSorted());
      await projects.setArchived(accountId, project.id, null);
      assert.deepEqual(await closed(), []);
      const [id = ''] = moved;
      assert.equal(await apiKeys.move({ accountId, id }, null, 10), 'moved');
      assert.equal((await apiKeys.byId(id))?.projectId, null);
      assert.equal(await apiKeys.move({ accountId: randomUUID(), id }, null, 10), 'unknown');
    });
  });
}

async function addAccount(database: Database): Promise<string> {
  const member = someMember();
  await database.identities.add(member);
  return member.account.id;
}
