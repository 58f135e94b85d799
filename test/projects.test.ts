import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person } from './support/cloud.ts';
import { gatewaysOnStores } from './support/gateways-on-stores.ts';
import { createOrganization, type MemberSession } from './support/organizations.ts';

const path = '/v1/organization/projects';

for (const [stores, start] of Object.entries(gatewaysOnStores))
  describe(`projects on ${stores}`, () => {
    test('are created, listed in pages, renamed and archived, and their names are unique', async (t) => {
      const [url, other] = await start(t, {});
      const acme = await createOrganization(await Person.signUp(url));
      const ids: string[] = [];
      for (const name of ['Search', 'Chat', 'Mail']) ids.push(await makeProject(acme, name));
      const first = await acme.call({ method: 'GET', path: `${path}?limit=2` });
      assert.deepEqual([namesOf(first), first.json.total], [['Search', 'Chat'], 3]);
      const rest = await acme.call({ method: 'GET', path: `${path}?after=${first.json.next_cursor}` });
      assert.deepEqual([namesOf(rest), rest.json.next_cursor], [['Mail'], null]);
      assertRefused(await acme.call({ path, body: { name: 'Chat' } }), 409, 'project_exists');
      const rename = (name: string) =>
        acme.call({ method: 'PATCH', path: `${path}/${ids[0]}`, body: { name } });
      assertRefused(await rename('Mail'), 409, 'project_exists');
      assert.equal((await rename('Find')).json.name, 'Find');
      assertRefused(await rename(' Find'), 400, 'invalid_request');
      const archived = await acme.call({ path: `${path}/${ids[0]}/archive`, body: {} });
      assert.ok(Date.parse(String(archived.json.archived_at)) > 0, archived.text);
      const list = async (query: string) => namesOf(await acme.call({ method: 'GET', path: path + query }));
      assert.deepEqual(await list('?archived=true'), ['Find']);
      assert.deepEqual(await list('?archived=false'), ['Chat', 'Mail']);
      assert.deepEqual(await list('?search=mAI'), ['Mail']);
      const one = await call(other, {
        method: 'GET',
        path: `${path}/${ids[1]}`,
        headers: bearer(acme.token),
      });
      assert.equal(one.json.name, 'Chat');
    });

    test('a key works while its project is open, and moves, at once on all replicas', async (t) => {
      const [url, other] = await start(t, {});
      const acme = await createOrganization(await Person.signUp(url));
      const project = await makeProject(acme, 'Search');
      const made = await acme.call({ path: '/v1/keys', body: { name: 'in', projectId: project } });
      assert.deepEqual([made.status, made.json.projectId], [201, project], made.text);
      const outside = await acme.call({ path: '/v1/keys', body: { name: 'out' } });
      assert.ok(!('projectId' in outside.json));
      const statusOf = async (at: string, { json }: RawAnswer) =>
        (await call(at, { method: 'GET', path: '/v1/usage', headers: bearer(String(json.key)) })).status;
      const statuses = async () => [
        ...[await statusOf(url, made), await statusOf(other, made), await statusOf(other, outside)],
      ];
      assert.deepEqual(await statuses(), [200, 200, 200]);
      await acme.call({ path: `${path}/${project}/archive`, body: {} });
      assert.deepEqual(await statuses(), [401, 401, 200]);
      const create = await acme.call({ path: '/v1/keys', body: { projectId: project } });
      assertRefused(create, 409, 'project_archived');
      const move = (key: RawAnswer, project_id: string | null) =>
        acme.call({ method: 'PUT', path: `/v1/keys/${key.json.id}/project`, body: { project_id } });
      assertRefused(await move(outside, project), 409, 'project_archived');
      await acme.call({ path: `${path}/${project}/restore`, body: {} });
      assert.deepEqual(await statuses(), [200, 200, 200]);
      assert.equal((await move(outside, project)).status, 200);
      assert.equal((await move(made, null)).status, 200);
      await acme.call({ path: `${path}/${project}/archive`, body: {} });
      assert.deepEqual(await statuses(), [200, 200, 401]);
      const listed = await acme.call({ method: 'GET', path: '/v1/keys' });
      const projects = Array.isArray(listed.json.keys)
        ? listed.json.keys.map((key) => [at(key, 'name'), at(key, 'projectId')])
        : [];
      assert.deepEqual(projects, [
        ['out', project],
        ['in', undefined],
      ]);
    });

    test('of another organization are as unknown as those that there are not', async (t) => {
      const [url] = await start(t, {});
      const acme = await createOrganization(await Person.signUp(url));
      const eve = await createOrganization(await Person.signUp(url), 'Evil');
      const project = await makeProject(acme, 'Search');
      const key = await eve.call({ path: '/v1/keys', body: {} });
      const answers = async (id: string) => {
        const all = [
          await eve.call({ method: 'GET', path: `${path}/${id}` }),
          await eve.call({ method: 'PATCH', path: `${path}/${id}`, body: { name: 'x' } }),
          await eve.call({ path: `${path}/${id}/archive`, body: {} }),
          await eve.call({ path: `${path}/${id}/restore`, body: {} }),
          await eve.call({ path: '/v1/keys', body: { projectId: id } }),
          await eve.call({
            method: 'PUT',
            path: `/v1/keys/${key.json.id}/project`,
            body: { project_id: id },
          }),
        ];
        return all.map(({ status, json }) => [status, at(json, 'error', 'message')]);
      };
      const real = await answers(project);
      assert.deepEqual(real, await answers('11111111-1111-4111-8111-111111111111'));
      assert.deepEqual([...new Set(real.map(([status]) => status))], [404]);
      assert.deepEqual(namesOf(await eve.call({ method: 'GET', path })), []);
    });
  });

async function makeProject(session: MemberSession, name: string): Promise<string> {
  const { status, text, json } = await session.call({ path, body: { name } });
  assert.equal(status, 201, text);
  return String(json.id);
}

function namesOf({ json }: RawAnswer): readonly unknown[] {
  assert.ok(Array.isArray(json.projects));
  return json.projects.map((project) => at(project, 'name'));
}

function assertRefused(answer: RawAnswer, status: number, code: string): void {
  assert.deepEqual([answer.status, at(answer.json, 'error', 'code')], [status, code], answer.text);
}
