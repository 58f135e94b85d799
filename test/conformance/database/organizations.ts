import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Member, Role } from '../../../src/kernel/ports/identities.ts';
import type { MemberInvitation } from '../../../src/kernel/ports/member-invitations.ts';
import type { Database } from '../../../src/kernel/ports/records.ts';
import { someKey, someMember, someSealedKey } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

export function organizationsConformance(setUpDatabase: SetUpDatabase): void {
  describe('organizations', () => {
    test('an organization has an owner, a name and a time to be deleted, and no person of its own', async (t) => {
      const { database, execute } = await setUpDatabase(t);
      const { organizations, members, accounts, identities } = database;
      const ada = await addPerson(database);
      const id = await addOrganization(database, ada);
      const account = { id, tier: 'free', period: undefined, name: 'Acme' } as const;
      assert.deepEqual(await members.owner(id), { identity: ada.identity, account, role: 'owner' });
      assert.deepEqual(
        (await members.ofIdentity(ada.identity.id)).map((member) => member.account.id),
        [ada.account.id, id],
      );
      assert.equal(await identities.byEmail(''), undefined);
      assert.equal(await identities.byEmail(id), undefined);
      assert.deepEqual(await execute(`select id from identities where id = '${id}'`), []);
      await organizations.rename(id, 'Acme 2');
      await organizations.scheduleDeletion(id, 50);
      assert.deepEqual(await accounts.byId(id), { ...account, name: 'Acme 2', deletesAtMs: 50 });
      assert.deepEqual(await organizations.due(49, 10), []);
      assert.deepEqual(await organizations.due(50, 10), [id]);
      await organizations.cancelDeletion(id, 50);
      assert.deepEqual(await organizations.due(50, 10), [id], 'too late');
      await organizations.cancelDeletion(id, 49);
      assert.deepEqual(await organizations.due(50, 10), []);
    });

    test('of many organizations that a person creates at once, only as many are made as they may own', async (t) => {
      const { open, database } = await setUpDatabase(t);
      const both = [database, await open()];
      const { identity } = await addPerson(database);
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, at) =>
          both[at % 2]?.organizations.add({ id: randomUUID(), name: 'x', createdAtMs: 1 }, identity.id, 4),
        ),
      );
      assert.equal(made.filter((done) => done).length, 3, 'beside their own account');
    });

    test('members are listed in pages, and found by a part of their address', async (t) => {
      const { database } = await setUpDatabase(t);
      const { members } = database;
      const ada = await addPerson(database, 'ada@example.com');
      const id = await addOrganization(database, ada);
      for (const email of ['b_b@example.com', 'bxb@example.com', 'C@Example.com'])
        await join(database, id, await addPerson(database, email), 'viewer');
      const emails = async (page: Parameters<typeof members.page>[1]) =>
        (await members.page(id, page)).map(({ email }) => email);
      const all = await members.page(id, { limit: 10 });
      assert.deepEqual(all.map(({ email, role, verified }) => [email, role, verified]).toSorted(), [
        ['C@Example.com', 'viewer', false],
        ['ada@example.com', 'owner', false],
        ['b_b@example.com', 'viewer', false],
        ['bxb@example.com', 'viewer', false],
      ]);
      assert.deepEqual(
        await emails({ limit: 10, after: all[1] }),
        all.slice(2).map(({ email }) => email),
      );
      assert.deepEqual(await emails({ limit: 10, search: 'B_B' }), ['b_b@example.com']);
      assert.deepEqual(await emails({ limit: 10, search: 'c@e' }), ['C@Example.com']);
      assert.deepEqual(await emails({ limit: 10, search: '%' }), []);
      assert.equal(await members.count(id), 4);
    });

    test('an account keeps an owner, also when all leave at the same time', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const both = [database, await open()];
      const [ada, bob] = [await addPerson(database), await addPerson(database)];
      const accountId = await addOrganization(database, ada);
      const idOf = ({ identity }: Member) => ({ accountId, identityId: identity.id });
      await join(database, accountId, bob, 'viewer');
      const { members } = database;
      assert.equal(await members.changeRole(idOf(ada), 'admin'), 'last_owner');
      assert.equal(await members.remove(idOf(ada)), 'last_owner');
      assert.equal(await members.changeRole(idOf(ada), 'owner'), 'changed');
      assert.equal(await members.changeRole(idOf(await addPerson(database)), 'owner'), 'unknown');
      assert.equal(await members.changeRole(idOf(bob), 'owner'), 'changed');
      const left = await Promise.all([ada, bob].map((one, at) => both[at]?.members.remove(idOf(one))));
      assert.deepEqual(left.toSorted(), ['changed', 'last_owner']);
      const own = { accountId: ada.account.id, identityId: ada.identity.id };
      await join(database, ada.account.id, bob, 'owner');
      assert.equal(await members.changeRole(own, 'viewer'), 'last_owner', 'their own account');
    });

    test('a removed member has no session in the account any more', async (t) => {
      const { database } = await setUpDatabase(t);
      const [ada, bob] = [await addPerson(database), await addPerson(database)];
      const accountId = await addOrganization(database, ada);
      await join(database, accountId, bob, 'developer');
      const { sessions, members } = database;
      const base = { identityId: bob.identity.id, client: '', createdAtMs: 1, usedAtMs: 1, expiresAtMs: 9 };
      await sessions.begin({ ...base, id: 'there', accountId }, undefined, 5);
      await sessions.begin({ ...base, id: 'own', accountId: bob.account.id }, undefined, 5);
      assert.equal((await sessions.find('there'))?.role, 'developer');
      await members.changeRole({ accountId, identityId: bob.identity.id }, 'viewer');
      assert.equal((await sessions.find('there'))?.role, 'viewer');
      await members.remove({ accountId, identityId: bob.identity.id });
      assert.deepEqual(
        (await sessions.list(bob.identity.id, 2)).map(({ id }) => id),
        ['own'],
      );
    });

    test('an invitation works once, for its address, until it expires', async (t) => {
      const { database, open } = await setUpDatabase(t);
      const both = [database, await open()];
      const ada = await addPerson(database);
      const accountId = await addOrganization(database, ada);
      const { memberInvitations } = database;
      const bob = await addPerson(database, 'Bob@example.com');
      const invitation = someInvitation(accountId, ada, { email: 'bob@Example.com', role: 'admin' });
      assert.equal(
        await memberInvitations.add(someInvitation(accountId, ada, { email: 'BOB@example.com' }), 2),
        'added',
      );
      assert.equal(await memberInvitations.add(invitation, 2), 'added');
      assert.deepEqual(
        await memberInvitations.list(accountId, 2),
        [invitation],
        'the earlier one is replaced',
      );
      assert.deepEqual(await memberInvitations.list(accountId, 9), []);
      const found = await memberInvitations.find(invitation.hash, 2);
      assert.deepEqual([found?.invitation, found?.account.name], [invitation, 'Acme']);
      assert.equal(await memberInvitations.find(invitation.hash, 9), undefined);
      const use = (person: Member, nowMs = 2, hash = invitation.hash) => ({
        ...{ hash, identityId: person.identity.id, email: person.identity.email, nowMs },
        ...{ membersMax: 3, membershipsMax: 3 },
      });
      assert.equal(await memberInvitations.accept(use(await addPerson(database))), 'other_address');
      assert.equal(await memberInvitations.accept(use(bob, 9)), 'unknown');
      const uses = await Promise.all(
        [0, 1, 2, 3].map((at) => both[at % 2]?.memberInvitations.accept(use(bob))),
      );
      assert.equal(uses.filter((one) => typeof one === 'object').length, 1);
      assert.equal((await database.members.find(bob.identity.id, accountId))?.role, 'admin');
      const again = someInvitation(accountId, ada, { email: 'bob@example.com' });
      assert.equal(await memberInvitations.add(again, 2), 'already_member');
      const links = [1, 2].map(() => someInvitation(accountId, ada));
      for (const link of links) assert.equal(await memberInvitations.add(link, 2), 'added');
      assert.equal(await memberInvitations.add(someInvitation(accountId, ada), 2), 'limit_reached');
      const [one, other] = links;
      assert.ok(one && other);
      assert.equal(await memberInvitations.accept(use(bob, 2, one.hash)), 'already_member');
      assert.equal(
        typeof (await memberInvitations.accept(use(await addPerson(database), 2, one.hash))),
        'object',
      );
      assert.equal(
        await memberInvitations.accept(use(await addPerson(database), 2, other.hash)),
        'limit_reached',
      );
      assert.equal(await memberInvitations.revoke(ada.account.id, other.id), undefined, 'of another account');
      assert.deepEqual(await memberInvitations.revoke(accountId, other.id), other);
      assert.equal(await memberInvitations.accept(use(await addPerson(database), 2, other.hash)), 'unknown');
    });

    test('a deleted organization leaves its people, and a deleted person leaves all accounts', async (t) => {
      const { database } = await setUpDatabase(t);
      const [ada, bob] = [await addPerson(database), await addPerson(database)];
      const accountId = await addOrganization(database, ada);
      const { accounts, members } = database;
      const ownerOf = ({ identity }: Member, id: string) => ({
        accountId: id,
        identityId: identity.id,
        passwordHash: identity.passwordHash,
      });
      const own = ownerOf(ada, ada.account.id);
      assert.equal(await accounts.erase(own, 1), 'last_owner', 'the organization has no other owner');
      await join(database, accountId, bob, 'owner');
      await join(database, ada.account.id, bob, 'viewer');
      assert.equal(await accounts.erase(own, 1), 'last_owner', 'their own account has another member');
      await members.remove({ accountId: ada.account.id, identityId: bob.identity.id });
      assert.equal(await accounts.erase(own, 1), 'erased');
      assert.deepEqual(await members.ofIdentity(ada.identity.id), []);
      assert.equal(await database.identities.byEmail(ada.identity.email), undefined);
      assert.equal((await members.owner(accountId))?.identity.id, bob.identity.id);
      await database.memberInvitations.add(someInvitation(accountId, bob), 9);
      assert.equal(await accounts.erase(ownerOf(bob, accountId), 1), 'erased');
      assert.equal(await accounts.byId(accountId), undefined);
      assert.deepEqual(await database.memberInvitations.list(accountId, 2), []);
      assert.deepEqual(
        (await members.ofIdentity(bob.identity.id)).map(({ account }) => account.id),
        [bob.account.id],
      );
    });

    test('a deletion that a backup brought back is repeated, whoever depends on the person', async (t) => {
      const { database } = await setUpDatabase(t);
      const ada = await addPerson(database);
      await addOrganization(database, ada);
      const { id: identityId, passwordHash } = ada.identity;
      const owner = { accountId: ada.account.id, identityId, passwordHash };
      assert.equal(await database.accounts.erase({ ...owner, isRepeated: true }, 1), 'erased');
    });

    test('the first verification of an address revokes keys of accounts that the person shares with nobody', async (t) => {
      const { database } = await setUpDatabase(t);
      const { mailedTokens, apiKeys, providerKeys } = database;
      const [ada, bob] = [await addPerson(database), await addPerson(database)];
      const [shared, alone] = [await addOrganization(database, ada), await addOrganization(database, ada)];
      await join(database, shared, bob, 'viewer');
      for (const accountId of [shared, alone]) {
        await apiKeys.add(someKey(accountId), 5);
        await providerKeys.put(someSealedKey({ accountId }));
      }
      const token = { hash: 'h', identityId: ada.identity.id, purpose: 'verify', expiresAtMs: 9 } as const;
      await mailedTokens.add(token, { nowMs: 1, most: 5 });
      const proof = await mailedTokens.verify('h', { nowMs: 2, sessionId: undefined, passwordHash: 'new' });
      assert.deepEqual(proof?.accountIds, [ada.account.id, alone].toSorted());
      const isRevoked = async (id: string) => (await apiKeys.list(id))[0]?.revokedAtMs !== null;
      assert.deepEqual([await isRevoked(shared), await isRevoked(alone)], [false, true]);
      assert.equal((await providerKeys.list(shared)).length, 1);
      assert.equal((await providerKeys.list(alone)).length, 0);
    });
  });
}

export async function addPerson(database: Database, email?: string): Promise<Member> {
  const member = someMember(email === undefined ? {} : { email });
  await database.identities.add(member);
  return member;
}

async function addOrganization(database: Database, { identity }: Member): Promise<string> {
  const id = randomUUID();
  const createdAtMs = identity.createdAtMs + 1;
  assert.equal(await database.organizations.add({ id, name: 'Acme', createdAtMs }, identity.id, 9), true);
  return id;
}

export async function join(
  database: Database,
  accountId: string,
  { identity }: Member,
  role: Role,
): Promise<void> {
  const invitation = someInvitation(accountId, { identity }, { role });
  assert.equal(await database.memberInvitations.add(invitation, 99), 'added');
  const accepted = await database.memberInvitations.accept({
    ...{ hash: invitation.hash, identityId: identity.id, email: identity.email },
    ...{ nowMs: 2, membersMax: 99, membershipsMax: 99 },
  });
  assert.deepEqual(accepted, invitation);
}

function someInvitation(
  accountId: string,
  { identity }: Pick<Member, 'identity'>,
  given: Partial<MemberInvitation> = {},
): MemberInvitation {
  return {
    ...{ id: randomUUID(), accountId, email: null, role: 'viewer', hash: randomUUID() },
    ...{ invitedBy: identity.id, createdAtMs: 1, expiresAtMs: 9 },
    ...given,
  };
}
