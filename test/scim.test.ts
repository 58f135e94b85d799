import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { bearer, Person, password } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { addMember, createOrganization, type MemberSession, membersOf } from './support/organizations.ts';
import { makeProject } from './support/projects.ts';
import { assertScimError, resourcesIn, ScimClient } from './support/scim.ts';
import { SignOnStage } from './support/sign-on.ts';

const roles = {
  groups_claim: 'groups',
  group_roles: [
    { group: 'Engineers', role: 'developer' },
    { group: 'object-id-of-leads', role: 'admin' },
  ],
  default_role: 'viewer',
};

for (const [stores, start] of Object.entries(gatewaysOnStores))
  describe(`people that an identity provider manages, on ${stores}`, () => {
    test('become members with the role of their groups, and lose it with them', async (t) => {
      const stage = await SignOnStage.open(t, start, roles);
      const directory = await ScimClient.open(stage.owner, stage.urls[1]);
      const roleOf = async (email: string) => (await membersOf(stage.owner)).get(email)?.role;
      const ann = await directory.user({ userName: 'ann@acme.example', externalId: 'a1', active: true });
      assert.equal(await roleOf('ann@acme.example'), 'viewer');
      const engineers = await directory.group('Engineers', [ann]);
      assert.equal(await roleOf('ann@acme.example'), 'developer');
      const leads = await directory.group('Leads', [], { externalId: 'object-id-of-leads' });
      await directory.patch(`/Groups/${leads}`, { op: 'add', path: 'members', value: [{ value: ann }] });
      assert.equal(await roleOf('ann@acme.example'), 'admin', 'of several, the one with most rights');
      const path = `members[value eq "${ann}"]`;
      assert.equal((await directory.patch(`/Groups/${leads}`, { op: 'remove', path })).status, 204);
      assert.equal(await roleOf('ann@acme.example'), 'developer');
      await directory.patch(`/Groups/${engineers}`, { op: 'replace', value: { displayName: 'Others' } });
      assert.equal(await roleOf('ann@acme.example'), 'viewer', 'a group with another name has no role');
      await stage.configure({ ...roles, group_roles: [{ group: 'Others', role: 'billing' }] });
      assert.equal(await roleOf('ann@acme.example'), 'billing', 'settings count for those who are there');
      assert.equal((await directory.call({ method: 'DELETE', path: `/Groups/${engineers}` })).status, 204);
      assert.equal(await roleOf('ann@acme.example'), 'viewer');
    });

    test('who is deactivated is out on all replicas at once, and back with all roles', async (t) => {
      const stage = await SignOnStage.open(t, start, { ...roles, group_roles: [] });
      const directory = await ScimClient.open(stage.owner);
      const id = await directory.user({ userName: 'ann@acme.example' });
      const token = await stage.session();
      const member = (await membersOf(stage.owner)).get('ann@acme.example');
      assert.equal(member?.role, 'viewer');
      await stage.owner.call({
        ...{ method: 'PATCH', path: `/v1/organization/members/${member.id}`, body: { role: 'developer' } },
      });
      const projectId = await makeProject(stage.owner, 'Search');
      const projectPath = `/v1/organization/projects/${projectId}/members/${member.id}`;
      await stage.owner.call({ method: 'PUT', path: projectPath, body: { role: 'admin' } });
      assert.equal((await stage.organization(token)).status, 200);
      const off = await directory.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
      assert.deepEqual([off.status, off.json.active], [200, false], off.text);
      assert.equal((await stage.organization(token)).status, 401);
      const refused = await stage.signOn();
      assert.deepEqual([refused.status, at(refused.json, 'error', 'detail')], [401, 'deactivated']);
      assert.ok(!(await membersOf(stage.owner)).has('ann@acme.example'));
      const on = await directory.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
      assert.deepEqual([on.status, on.json.active], [200, true], on.text);
      const back = (await membersOf(stage.owner)).get('ann@acme.example');
      assert.deepEqual(back, { id: member.id, role: 'developer' });
      const inProject = await stage.owner.call({
        path: `/v1/organization/projects/${projectId}/members`,
      });
      assert.ok(inProject.text.includes(member.id), inProject.text);
      assert.equal((await stage.organization(token)).status, 401, 'an ended session stays ended');
      assert.equal((await stage.organization(await stage.session())).json.role, 'developer');
      assert.equal((await directory.call({ method: 'DELETE', path: `/Users/${id}` })).status, 204);
      assert.ok(!(await membersOf(stage.owner)).has('ann@acme.example'));
      assertScimError(await directory.call({ path: `/Users/${id}` }), 404);
    });

    test('the last owner and the owner for emergencies stay, and the answer says so', async (t) => {
      const stage = await SignOnStage.open(t, start, roles);
      await stage.confirmDomain('example.com');
      const directory = await ScimClient.open(stage.owner);
      const { email } = stage.owner.person;
      const id = await directory.user({ userName: email });
      const token = await stage.session({ sub: 'owner', email, groups: [] });
      const asOwner: MemberSession['call'] = (sent) =>
        call(stage.urls[0], { ...sent, headers: bearer(token) });
      const owner = { ...stage.owner, token, call: asOwner };
      assert.equal((await membersOf(owner)).get(email)?.role, 'owner', 'groups take no last owner');
      const off = { op: 'replace', path: 'active', value: false };
      for (const refused of [
        await directory.patch(`/Users/${id}`, off),
        await directory.call({ method: 'DELETE', path: `/Users/${id}` }),
      ]) {
        assertScimError(refused, 409);
        assert.match(String(refused.json.detail), /last owner/);
      }
      assert.equal((await directory.call({ path: `/Users/${id}` })).json.active, true);
      const other = await addMember(owner, 'owner');
      const body = { issuer: stage.issuer.url, client_id: 'weir', break_glass: other.person.id };
      const path = '/v1/organization/sign-on';
      assert.equal((await owner.call({ method: 'PUT', path, body })).status, 200);
      const emergency = await directory.user({ userName: other.person.email });
      assertScimError(await directory.patch(`/Users/${emergency}`, off), 409);
      assert.equal((await directory.patch(`/Users/${id}`, off)).status, 200, 'not the last one any more');
    });

    test('a token is for one organization, and tells nothing of people who are elsewhere', async (t) => {
      const stage = await SignOnStage.open(t, start, roles);
      const [url, other] = stage.urls;
      const directory = await ScimClient.open(stage.owner);
      const evil = await createOrganization(await Person.signUp(url), 'Evil');
      const thief = await ScimClient.open(evil);
      const id = await directory.user({ userName: 'ann@acme.example' });
      const foreign = { ...thief, organizationId: directory.organizationId, token: thief.token };
      const wrong = await call(other, {
        path: `/scim/v2/${foreign.organizationId}/Users`,
        headers: bearer(foreign.token),
      });
      assertScimError(wrong, 401);
      const made = await call(other, { path: '/scim/v2/none/Users', headers: bearer(thief.token) });
      assert.equal(made.text, wrong.text, 'an organization that does not exist looks the same');
      assertScimError(await thief.call({ path: `/Users/${id}` }), 404);
      assert.deepEqual(resourcesIn(await thief.find('Users', 'userName eq "ann@acme.example"')), []);
      const body = { userName: 'ann@acme.example' };
      assertScimError(await thief.call({ path: '/Users', body }), 400, 'invalidValue');
      // Whoever has an account of their own looks like somebody new.
      await Person.signUp(url, 'bob@acme.example');
      const known = await directory.call({ path: '/Users', body: { userName: 'bob@acme.example' } });
      const unknown = await directory.call({ path: '/Users', body: { userName: 'eve@acme.example' } });
      const shape = ({ json }: typeof known) =>
        JSON.stringify(json).replaceAll(/bob|eve|[0-9a-f-]{36}|\d/g, '');
      assert.deepEqual([known.status, shape(known)], [unknown.status, shape(unknown)]);
      const sessions = await stage.owner.call({ path: '/v1/organization/scim' });
      assert.deepEqual([sessions.json.users, sessions.json.active_users], [3, 3]);
      const path = `/v1/organization/scim/tokens/${directory.tokenId}`;
      assert.equal((await evil.call({ method: 'DELETE', path })).status, 404);
      assert.equal((await stage.owner.call({ method: 'DELETE', path })).status, 204);
      const revoked = await call(other, {
        path: `/scim/v2/${directory.organizationId}/Users`,
        headers: bearer(directory.token),
      });
      assertScimError(revoked, 401);
    });

    test('who signs on is the person of the directory, also under a new address, and what a stranger made with it is revoked', async (t) => {
      const stage = await SignOnStage.open(t, start, roles);
      const [url] = stage.urls;
      const squatter = await Person.signUp(url, 'ann@acme.example');
      const directory = await ScimClient.open(stage.owner);
      const id = await directory.user({ userName: 'ann@acme.example' });
      assert.equal((await squatter.call({ path: '/v1/users/me' })).status, 401);
      const login = { email: squatter.email, password };
      assert.equal((await call(url, { path: '/v1/users/login', body: login })).status, 401);
      await directory.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'ann.b@acme.example' });
      const token = await stage.session({ email: 'ann.b@acme.example', groups: ['Engineers'] });
      const members = await membersOf(stage.owner);
      assert.deepEqual(
        [...members.keys()].toSorted(),
        ['ann@acme.example', stage.owner.person.email].toSorted(),
      );
      assert.equal((await stage.organization(token)).json.role, 'viewer', 'the directory says the groups');
    });
  });
