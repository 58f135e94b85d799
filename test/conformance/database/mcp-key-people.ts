import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addPerson, join } from './organizations.ts';
import { someKey, someMcpGrant } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function mcpKeyPeopleConformance(setUpDatabase: SetUpDatabase): void {
  describe('people of API keys', () => {
    test('a key acts for one person, or nobody, in its own account', async (t) => {
      const { database } = await setUpDatabase(t);
      const { mcpKeyPeople, apiKeys } = database;
      const member = await addPerson(database);
      const [accountId, personId] = [member.account.id, String(member.identity.id)];
      const key = someKey(accountId, { access: { tools: ['files__*'] } });
      await apiKeys.add(key, 9);
      const id = { accountId, keyId: key.id };
      const tools = ['files__*'];
      assert.deepEqual(await mcpKeyPeople.current(accountId, key.id), {
        ...{ projectId: null, tools, person: undefined },
      });
      for (const person of ['another', personId]) await mcpKeyPeople.set(id, person, 5);
      assert.equal(await mcpKeyPeople.personOf(accountId, key.id), personId);
      assert.equal(await mcpKeyPeople.personOf('another', key.id), undefined);
      assert.deepEqual(await mcpKeyPeople.list(accountId), new Map([[key.id, personId]]));
      assert.deepEqual(await mcpKeyPeople.list('another'), new Map());
      assert.deepEqual(await mcpKeyPeople.current(accountId, key.id), {
        ...{ projectId: null, tools, person: { id: personId, roles: ['owner'] } },
      });
      assert.equal(await mcpKeyPeople.current('another', key.id), undefined);
      await mcpKeyPeople.set(id, null, 6);
      assert.equal(await mcpKeyPeople.personOf(accountId, key.id), undefined);
      await mcpKeyPeople.set(id, personId, 7);
      assert.equal(await apiKeys.revoke(accountId, key.id, 8), true);
      assert.deepEqual(await mcpKeyPeople.list(accountId), new Map());
      assert.equal(await mcpKeyPeople.current(accountId, key.id), undefined);
    });

    test('a person who leaves an account takes along what they authorized there', async (t) => {
      const { database } = await setUpDatabase(t);
      const { mcpKeyPeople, mcpGrants, members } = database;
      const [ada, bob] = [await addPerson(database), await addPerson(database)];
      const accountId = ada.account.id;
      const personId = String(bob.identity.id);
      await join(database, accountId, bob, 'viewer');
      const key = someKey(accountId);
      await database.apiKeys.add(key, 9);
      await mcpKeyPeople.set({ accountId, keyId: key.id }, personId, 5);
      const grant = someMcpGrant({ accountId, personId });
      const hers = someMcpGrant({ accountId, personId: String(ada.identity.id) });
      const inHisOwn = someMcpGrant({ accountId: bob.account.id, personId });
      for (const one of [grant, hers, inHisOwn]) assert.equal(await mcpGrants.put(one), true);
      await members.remove({ accountId, identityId: bob.identity.id });
      assert.deepEqual(await mcpGrants.list(accountId, personId), []);
      assert.deepEqual(await mcpKeyPeople.list(accountId), new Map());
      assert.equal((await mcpGrants.list(accountId, String(ada.identity.id))).length, 1);
      assert.equal((await mcpGrants.list(bob.account.id, personId)).length, 1);
      assert.equal(await mcpGrants.put(grant), false, 'a consent that comes late');
    });
  });
}
