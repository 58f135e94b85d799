import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limits } from '../src/accounts/limits.ts';
import { deleteDueOrganizations } from '../src/accounts/organization-deletion.ts';
import { AccountFixture } from './support/account-fixture.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { MailServer, tokenIn } from './support/mail-server.ts';
import {
  addMember,
  createOrganization,
  invite,
  type MemberSession,
  membersOf,
  sessionIn,
  tokenOfLink,
} from './support/organizations.ts';

for (const [stores, start] of Object.entries(gatewaysOnStores))
  describe(`organizations on ${stores}`, () => {
    test('people share keys, calls and settings, and their own accounts stay their own', async (t) => {
      const [url, other] = await start(t, {});
      const ada = await Person.signUp(url, 'ada@example.com');
      const acme = await createOrganization(ada);
      const bob = await Person.signUp(other, 'bob@example.com');
      const bobAtAcme = await addMember(acme, 'developer', bob);
      const made = await bobAtAcme.call({ path: '/v1/keys', body: { name: 'shared' } });
      assert.equal(made.status, 201);
      const keyNames = async (session: Pick<Person, 'call'>) => {
        const { json } = await session.call({ path: '/v1/keys', method: 'GET' });
        return Array.isArray(json.keys) ? json.keys.map((key) => at(key, 'name')) : [];
      };
      assert.deepEqual(await keyNames(acme), ['shared']);
      assert.deepEqual([await keyNames(ada), await keyNames(bob)], [[], []]);
      const listed = await bobAtAcme.call({ path: '/v1/organizations', method: 'GET' });
      assert.deepEqual(
        (Array.isArray(listed.json.organizations) ? listed.json.organizations : []).map((one) => {
          const { name, personal, role, current } = fieldsOf(one);
          return [name, personal, role, current];
        }),
        [
          ['bob@example.com', true, 'owner', false],
          ['Acme', false, 'developer', true],
        ],
      );
      const me = await bobAtAcme.call({ path: '/v1/users/me', method: 'GET' });
      assert.deepEqual([me.json.id, me.json.email], [bob.id, 'bob@example.com']);
      const current = await bobAtAcme.call({ path: '/v1/organization', method: 'GET' });
      assert.ok(Array.isArray(current.json.rights) && current.json.rights.includes('keys:write'));
      assert.ok(!current.json.rights.includes('members:write'));
    });

    test('a change of a role, and a removal, are in force at once on all replicas', async (t) => {
      const [url, other] = await start(t, {});
      const acme = await createOrganization(await Person.signUp(url));
      const bob = await addMember(acme, 'developer', await Person.signUp(other));
      const makeKey = () => bob.call({ path: '/v1/keys', body: {} });
      assert.equal((await makeKey()).status, 201);
      const path = `/v1/organization/members/${bob.person.id}`;
      const change = (role: string) => acme.call({ method: 'PATCH', path, body: { role } });
      assert.equal((await change('viewer')).status, 204);
      assertRefused(await makeKey(), 403, 'forbidden');
      assert.equal((await change('developer')).status, 204);
      const { json } = await makeKey();
      assert.equal((await acme.call({ method: 'DELETE', path })).status, 204);
      assertRefused(await makeKey(), 401, 'authentication_required');
      // The key belongs to the organization.
      const usage = await call(other, {
        method: 'GET',
        path: '/v1/usage',
        headers: bearer(String(json.key)),
      });
      assert.equal(usage.status, 200);
    });

    test('nobody sees or changes anything of an organization that they are not in', async (t) => {
      const [url] = await start(t, {});
      const acme = await createOrganization(await Person.signUp(url));
      const eve = await createOrganization(await Person.signUp(url), 'Evil');
      const open = await acme.call({ path: '/v1/organization/invitations', body: { role: 'viewer' } });
      const unknown = '11111111-1111-4111-8111-111111111111';
      const answers = async (id: string, member: string, invitation: string) => [
        await eve.call({ path: `/v1/organizations/${id}/session`, body: {} }),
        await eve.call({
          method: 'PATCH',
          path: `/v1/organization/members/${member}`,
          body: { role: 'viewer' },
        }),
        await eve.call({ method: 'DELETE', path: `/v1/organization/members/${member}` }),
        await eve.call({ method: 'DELETE', path: `/v1/organization/invitations/${invitation}` }),
      ];
      const told = (all: Awaited<ReturnType<typeof answers>>) =>
        all.map(({ status, json }) => [status, fieldsOf(json.error).code, fieldsOf(json.error).message]);
      const real = told(await answers(acme.organizationId, acme.person.id, String(open.json.id)));
      assert.deepEqual(real, told(await answers(unknown, unknown, unknown)), 'as if there were none');
      assert.deepEqual([...new Set(real.map(([status]) => status))], [404]);
      assert.deepEqual([...(await membersOf(eve)).keys()], [eve.person.email]);
    });
  });

describe('invitations', () => {
  test('a mailed one is for its address, works once, and is shown before it is accepted', async (t) => {
    const mail = await MailServer.start();
    t.after(() => mail.close());
    const { url } = await startCloud(t, mail.settings);
    const ada = await Person.signUp(url, 'ada@example.com');
    const unverifiedSession = await createOrganization(ada);
    const unverified = await unverifiedSession.call({
      path: '/v1/organization/invitations',
      body: { email: 'bob@example.com', role: 'viewer' },
    });
    assertRefused(unverified, 403, 'email_unverified');
    const verification = { token: tokenIn(await mail.next(ada.email, 'Confirm')) };
    assert.equal((await ada.call({ path: '/v1/users/verify', body: verification })).status, 204);
    // The first verification ends other sessions.
    const acme = await sessionIn(ada, unverifiedSession.organizationId);
    const made = await acme.call({
      path: '/v1/organization/invitations',
      body: { email: ' Bob@example.com ', role: 'viewer', days: 2 },
    });
    assert.deepEqual([made.status, made.json.email, made.json.mailed], [201, 'Bob@example.com', true]);
    const token = tokenOfLink(String(made.json.link));
    assert.equal(tokenIn(await mail.next('Bob@example.com', 'Join Acme on Weir')), token);
    const shown = await call(url, { path: '/v1/invitations/show', body: { token } });
    const { organization, role, email } = shown.json;
    assert.deepEqual([organization, role, email], ['Acme', 'viewer', 'Bob@example.com']);
    const accept = (person: Person) => person.call({ path: '/v1/invitations/accept', body: { token } });
    assertRefused(await accept(await Person.signUp(url)), 403, 'forbidden');
    const bob = await Person.signUp(url, 'bob@example.com');
    assert.equal((await accept(bob)).status, 200);
    assertRefused(await accept(bob), 400, 'invalid_token');
    assertRefused(await call(url, { path: '/v1/invitations/show', body: { token } }), 400, 'invalid_token');
  });

  test('a mailed one into the account of a person names that person, whoever invites', async (t) => {
    const mail = await MailServer.start();
    t.after(() => mail.close());
    const { url } = await startCloud(t, mail.settings);
    const ada = await Person.signUp(url, 'ada@example.com');
    const bob = await Person.signUp(url, 'bob@example.com');
    const verification = { token: tokenIn(await mail.next(bob.email, 'Confirm')) };
    assert.equal((await bob.call({ path: '/v1/users/verify', body: verification })).status, 204);
    const bobAtAda = await addMember(await sessionIn(ada, ada.id), 'admin', bob);
    const body = { email: 'eve@example.com', role: 'viewer' };
    const made = await bobAtAda.call({ path: '/v1/organization/invitations', body });
    assert.equal(made.status, 201);
    await mail.next('eve@example.com', 'Join ada@example.com on Weir');
  });

  test('a revoked one and a made-up one do not work, and are not told apart', async (t) => {
    const { url } = await startCloud(t);
    const acme = await createOrganization(await Person.signUp(url));
    const token = await invite(acme, { role: 'admin' });
    const listed = await acme.call({ path: '/v1/organization/invitations', method: 'GET' });
    const id = String(at(listed.json, 'invitations', 0, 'id'));
    assert.ok(!listed.text.includes(token));
    assert.equal(
      (await acme.call({ method: 'DELETE', path: `/v1/organization/invitations/${id}` })).status,
      204,
    );
    const bob = await Person.signUp(url);
    const refusals = await Promise.all(
      [token, 'made-up'].map((sent) => bob.call({ path: '/v1/invitations/accept', body: { token: sent } })),
    );
    for (const refusal of refusals) assertRefused(refusal, 400, 'invalid_token');
    assert.equal(at(refusals[0]?.json, 'error', 'message'), at(refusals[1]?.json, 'error', 'message'));
  });
});

describe('roles', () => {
  test('only owners make owners, or take the role from one, and an organization keeps one', async (t) => {
    const { url } = await startCloud(t);
    const owner = await createOrganization(await Person.signUp(url));
    const admin = await addMember(owner, 'admin');
    const viewer = await addMember(owner, 'viewer');
    const change = (by: MemberSession, whose: MemberSession, role: string) =>
      by.call({ method: 'PATCH', path: `/v1/organization/members/${whose.person.id}`, body: { role } });
    const remove = (by: MemberSession, whose: MemberSession) =>
      by.call({ method: 'DELETE', path: `/v1/organization/members/${whose.person.id}` });
    assertRefused(await change(admin, viewer, 'owner'), 403, 'forbidden');
    assertRefused(await change(admin, owner, 'viewer'), 403, 'forbidden');
    assertRefused(await remove(admin, owner), 403, 'forbidden');
    const asOwner = { path: '/v1/organization/invitations', body: { role: 'owner' } };
    assertRefused(await admin.call(asOwner), 403, 'forbidden');
    assertRefused(await change(owner, owner, 'viewer'), 409, 'last_owner');
    assertRefused(await owner.call({ path: '/v1/organization/leave', body: {} }), 409, 'last_owner');
    assert.equal((await change(owner, admin, 'owner')).status, 204);
    assert.equal((await owner.call({ path: '/v1/organization/leave', body: {} })).status, 204);
    assertRefused(
      await owner.call({ path: '/v1/organization', method: 'GET' }),
      401,
      'authentication_required',
    );
    assert.deepEqual([...(await membersOf(admin)).values()].map(({ role }) => role).toSorted(), [
      'owner',
      'viewer',
    ]);
  });

  test('a browser that switches gets another cookie, and its earlier session ends', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const { organizationId } = await createOrganization(ada);
    const page = ['sec-fetch-site', 'same-origin', 'x-weir-session', 'cookie'];
    const login = await call(url, {
      path: '/v1/users/login',
      headers: page,
      body: { email: ada.email, password },
    });
    const cookieOf = ({ headers }: typeof login) => String(headers['set-cookie']?.[0]?.split(';')[0]);
    const before = cookieOf(login);
    const switched = await call(url, {
      path: `/v1/organizations/${organizationId}/session`,
      headers: [...page, 'cookie', before],
      body: {},
    });
    assert.equal(switched.status, 201);
    const get = (cookie: string) =>
      call(url, { method: 'GET', path: '/v1/organization', headers: [...page, 'cookie', cookie] });
    assert.equal((await get(cookieOf(switched))).json.id, organizationId);
    assert.equal((await get(before)).status, 401);
  });
});

describe('deletion', () => {
  test('an organization can be restored for a week; a person with organizations can not be deleted', async (t) => {
    const { url } = await startCloud(t);
    const ada = await Person.signUp(url);
    const acme = await createOrganization(ada);
    const remove = (body: object) => acme.call({ method: 'DELETE', path: '/v1/organization', body });
    assertRefused(await remove({ password: 'wrong password' }), 401, 'wrong_password');
    const scheduled = await remove({ password });
    assert.equal(scheduled.status, 200);
    const days = (Date.parse(String(scheduled.json.deletes_at)) - Date.now()) / 86_400_000;
    assert.ok(days > 6.99 && days <= 7, String(days));
    assert.equal(
      (await acme.call({ path: '/v1/keys', body: {} })).status,
      201,
      'everything works until then',
    );
    const restored = await acme.call({ path: '/v1/organization/restore', body: {} });
    assert.equal(restored.json.deletes_at, null);
    const own = await sessionIn(ada, ada.id);
    assertRefused(
      await own.call({ method: 'DELETE', path: '/v1/organization', body: { password } }),
      403,
      'forbidden',
    );
    const deleteMe = (session: Pick<Person, 'call'>) =>
      session.call({ method: 'DELETE', path: '/v1/users/me', body: { password } });
    assertRefused(await deleteMe(acme), 403, 'forbidden');
    assertRefused(await deleteMe(ada), 409, 'last_owner');
    const bob = await addMember(acme, 'owner');
    assert.equal((await deleteMe(ada)).status, 204);
    assert.deepEqual([...(await membersOf(bob)).keys()], [bob.person.email]);
  });

  test('an organization is deleted when its time has come, and charges to it end before', async (t) => {
    const fixture = await AccountFixture.open(t);
    const { database, clock, shared } = fixture;
    const ownerId = await fixture.account();
    const owner = await database.members.owner(ownerId);
    assert.ok(owner);
    await database.organizations.add({ id: 'org', name: 'Acme', createdAtMs: 1 }, owner.identity.id, 9);
    const atMs = clock.now() + limits.organizationGraceMs;
    await database.organizations.scheduleDeletion('org', atMs);
    const deleted: string[] = [];
    const charged: string[] = [];
    const failures: unknown[] = [];
    let isProcessorAway = true;
    const run = () =>
      deleteDueOrganizations({
        accounts: database.accounts,
        organizations: database.organizations,
        members: database.members,
        versions: shared.versions,
        clock,
        async beforeDelete(accountId) {
          if (isProcessorAway) throw new Error('away');
          charged.push(accountId);
        },
        async audited(accountId, erase) {
          if (await erase()) deleted.push(accountId);
          return true;
        },
        onFailure: (accountId) => failures.push(accountId),
      });
    await run();
    assert.deepEqual([charged, deleted, failures], [[], [], []]);
    clock.move(limits.organizationGraceMs);
    await run();
    assert.deepEqual([deleted, failures], [[], ['org']]);
    isProcessorAway = false;
    await Promise.all([run(), run()]);
    assert.deepEqual(deleted, ['org']);
    assert.equal(await database.accounts.byId('org'), undefined);
    assert.ok(await database.accounts.byId(ownerId));
    assert.deepEqual(
      (await database.erasures.deletions()).map(({ accountId }) => accountId),
      ['org'],
    );
  });
});

function assertRefused(answer: RawAnswer, status: number, code: string): void {
  assert.deepEqual([answer.status, at(answer.json, 'error', 'code')], [status, code], answer.text);
}
