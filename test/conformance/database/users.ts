import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { identityIdOf } from '../../../src/kernel/ports/identities.ts';
import { someMember } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function usersConformance(setUpDatabase: SetUpDatabase): void {
  describe('people and their accounts', () => {
    test('a person comes back as they were added, with an account that they own', async (t) => {
      const { identities, members, accounts } = (await setUpDatabase(t)).database;
      const free = someMember({ email: 'Grace.Hopper@Example.com', verifiedAtMs: 5 });
      const period = { startMs: 1, endMs: 9_007_199_254_740_991 };
      const paid = someMember({ tier: 'team', period, tierEndsMs: 6, overage: true });
      for (const member of [free, paid]) {
        const { identity, account } = member;
        assert.equal(await identities.add(member), true);
        assert.deepEqual(await identities.byEmail(identity.email), identity);
        assert.deepEqual(await accounts.byId(account.id), account);
        assert.deepEqual(await members.find(identity.id, account.id), member);
        assert.deepEqual(await members.ofIdentity(identity.id), [member]);
        assert.deepEqual(await members.owner(account.id), member);
      }
      assert.equal(await members.find(free.identity.id, paid.account.id), undefined);
      assert.deepEqual(await members.ofIdentity(identityIdOf('nobody')), []);
      assert.equal(await members.owner('nobody'), undefined);
      assert.equal(await accounts.byId('nobody'), undefined);
      assert.equal(await identities.byEmail('nobody@example.com'), undefined);
    });

    test('a person needs no password', async (t) => {
      const { identities, sessions, members } = (await setUpDatabase(t)).database;
      const { identity, account, role } = someMember();
      const { passwordHash: _, ...person } = identity;
      await identities.add({ identity: person, account });
      assert.deepEqual(await members.owner(account.id), { identity: person, account, role });
      const times = { createdAtMs: 1, usedAtMs: 1, expiresAtMs: 9 };
      const session = { identityId: person.id, accountId: account.id, client: '', ...times };
      assert.equal(await sessions.begin({ ...session, id: 'one' }, '', 5), false);
      assert.equal(await sessions.begin({ ...session, id: 'one' }, undefined, 5), true);
    });

    test('an invitation makes one account for its address, once, until it expires', async (t) => {
      const { invitations, identities } = (await setUpDatabase(t)).database;
      const put = (email: string, hash: string, expiresAtMs = 9) =>
        invitations.put({ email, hash, createdAtMs: 1, expiresAtMs });
      const accept = (email: string, hash: string, nowMs = 2) =>
        invitations.accept({ email, hash, nowMs }, someMember({ email }));
      await put('Ada@example.com', 'replaced');
      await put('ada@example.com', 'ada');
      await put('grace@example.com', 'grace', 3);
      const listed = (nowMs: number) => invitations.list(nowMs);
      assert.deepEqual(
        (await listed(2)).map(({ hash }) => hash),
        ['ada', 'grace'],
      );
      assert.deepEqual(
        (await listed(3)).map(({ hash }) => hash),
        ['ada'],
      );
      assert.equal(await invitations.isOpen({ email: 'ADA@example.com', hash: 'ada', nowMs: 2 }), true);
      assert.equal(await accept('ada@example.com', 'replaced'), 'not_invited');
      assert.equal(await accept('grace@example.com', 'ada'), 'not_invited');
      assert.equal(await accept('grace@example.com', 'grace', 3), 'not_invited');
      const tries = await Promise.all([1, 2, 3].map(() => accept('ada@example.com', 'ada')));
      assert.deepEqual(tries.toSorted(), ['accepted', 'not_invited', 'not_invited']);
      assert.ok(await identities.byEmail('ada@example.com'));
      await put('ada@example.com', 'again');
      assert.equal(await accept('ada@example.com', 'again'), 'email_taken');
      assert.equal(await invitations.revoke('GRACE@example.com'), true);
      assert.equal(await invitations.revoke('grace@example.com'), false);
    });

    test('owners are listed by their addresses', async (t) => {
      const { identities, members } = (await setUpDatabase(t)).database;
      const [b, c, a] = ['B@example.com', 'c@example.com', 'a@example.com'].map((email) =>
        someMember({ email }),
      );
      assert.ok(a && b && c);
      for (const member of [b, c, a]) await identities.add(member);
      assert.deepEqual(await members.owners(undefined, 2), [a, b]);
      assert.deepEqual(await members.owners({ email: 'b@EXAMPLE.com', accountId: b.account.id }, 2), [c]);
    });

    test('an address belongs to one person, however it is written', async (t) => {
      const { identities } = (await setUpDatabase(t)).database;
      const first = someMember({ email: 'Zoë@Example.com' });
      assert.equal(await identities.add(first), true);
      assert.equal(await identities.add(someMember({ email: 'zoË@example.COM' })), false);
      assert.deepEqual(await identities.byEmail('ZOË@EXAMPLE.COM'), first.identity);
    });

    test('of many who take one address at once, one has it', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const people = Array.from({ length: 20 }, () => someMember({ email: 'one@example.com' }));
      const added = await Promise.all(people.map((member, at) => both[at % 2]?.identities.add(member)));
      assert.equal(added.filter((done) => done).length, 1);
    });

    test('what a build without identities writes is read, and what this one writes that build can read', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const { identities, members, sessions } = database;
      await execute(`insert into users (id, email, email_folded, password_hash, tier, created_at_ms)
        values ('u1', 'Old@example.com', 'old@example.com', 'first', 'free', 7)`);
      await execute(`insert into sessions (id, account_id, client, created_at_ms, used_at_ms, expires_at_ms)
        values ('s1', 'u1', 'curl', 1, 1, 9000)`);
      const id = identityIdOf('u1');
      const person = { id, email: 'Old@example.com', passwordHash: 'first', createdAtMs: 7 };
      const account = { id: 'u1', tier: 'free', period: undefined } as const;
      assert.deepEqual(await members.owner('u1'), { identity: person, account, role: 'owner' });
      const session = await sessions.find('s1');
      assert.deepEqual([session?.identityId, session?.role], [id, 'owner']);
      assert.equal((await sessions.list(id, 0)).length, 1);
      await execute(`update users set password_hash = 'second', verified_at_ms = 8 where id = 'u1'`);
      assert.deepEqual(await identities.byEmail('old@example.com'), {
        ...person,
        passwordHash: 'second',
        verifiedAtMs: 8,
      });
      const change = { identityId: id, after: 'third', currentSession: '' };
      assert.equal(await identities.changePassword({ ...change, before: 'first' }), false);
      assert.equal(await identities.changePassword({ ...change, before: 'second' }), true);
      assert.equal(await sessions.find('s1'), undefined);
      const [old] = await execute(`select password_hash from users where id = 'u1'`);
      assert.equal(Object(old).password_hash, 'third');
      await execute(`delete from users where id = 'u1'`);
      assert.equal(await identities.byEmail('old@example.com'), undefined);
      assert.deepEqual(await execute('select * from memberships'), []);
    });

    test('a session ends with the membership', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const [ada, bob] = [someMember(), someMember()];
      for (const member of [ada, bob]) await database.identities.add(member);
      const { sessions, members } = database;
      const times = { createdAtMs: 1, usedAtMs: 1, expiresAtMs: 9 };
      const guest = {
        id: 'g1',
        identityId: bob.identity.id,
        accountId: ada.account.id,
        client: '',
        ...times,
      };
      assert.equal(await sessions.begin(guest, bob.identity.passwordHash, 5), false);
      await execute(`insert into memberships (identity_id, account_id, role, created_at_ms)
        values ('${bob.account.id}', '${ada.account.id}', 'viewer', ${bob.identity.createdAtMs + 1})`);
      assert.equal(await sessions.begin(guest, bob.identity.passwordHash, 5), true);
      assert.deepEqual(await sessions.find('g1'), { ...guest, role: 'viewer' });
      assert.deepEqual(
        (await members.ofIdentity(bob.identity.id)).map(({ account, role }) => [account.id, role]),
        [
          [bob.account.id, 'owner'],
          [ada.account.id, 'viewer'],
        ],
      );
      const erased = { accountId: ada.account.id, identityId: bob.identity.id };
      assert.equal(await database.accounts.erase({ ...erased, passwordHash: '$argon2id$' }, 1), 'changed');
      await execute(`delete from memberships where role = 'viewer'`);
      assert.equal(await sessions.find('g1'), undefined);
    });
  });
}
