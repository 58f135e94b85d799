// Whether times of answers tell what other organizations have: the same request about something of another organization and
// about something that exists nowhere, in turns and in random order: npm run bench:timing
// The figure is how often the one takes longer than the other, which is half of the time if nothing can be told. It counts
// ranks alone, so pauses of a busy machine don't move it.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { at } from '../../test/support/at.ts';
import { call } from '../../test/support/call.ts';
import { bearer, Person } from '../../test/support/cloud.ts';
import { createOrganization } from '../../test/support/organizations.ts';
import { makeProject } from '../../test/support/projects.ts';
import { ScimClient } from '../../test/support/scim.ts';
import { numberOption } from './number-option.ts';
import { quantile } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';

const { values: set } = parseArgs({
  options: { pairs: { type: 'string', default: '1000' }, only: { type: 'string' } },
});
const pairs = numberOption('pairs', set.pairs);
/** How many things of each kind the other organization has, so that no single one is at hand. */
const things = 20;
/** Of a normal distribution: one of a thousand runs shows a difference where there is none, in any of the lines. */
const surelyDifferent = 4;
const adminToken = 'the-token-of-an-operator-who-measures';

interface Lookup {
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path(id: string): string;
  readonly token: string | ((id: string) => string);
  body?(id: string): object;
  /** What the other organization has. */
  readonly existing: readonly string[];
  /** Something of the same form that nobody has. */
  missing(): string;
}

const weir = await startTestGateway({
  ...{ WEIR_MODE: 'cloud', WEIR_DATA_DIR: temporaryFolder('weir-bench-'), WEIR_ADMIN_TOKEN: adminToken },
});
const pool = new Pool(weir.url, { connections: 1 });
try {
  console.log(
    '| request about something of another organization | status | median, µs | of nothing | slower | z |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const lookup of await lookups())
    if (set.only === undefined || lookup.title.includes(set.only)) await compare(lookup);
} finally {
  await pool.close();
  await weir.close();
}

async function lookups(): Promise<readonly Lookup[]> {
  const mine = await createOrganization(await Person.signUp(weir.url), 'Mine');
  const other = await createOrganization(await Person.signUp(weir.url), 'Other');
  const directories = { mine: await ScimClient.open(mine), other: await ScimClient.open(other) };
  await confirmDomain('other.example', other.organizationId);
  const create = async (path: string, body: (at: number) => object) => {
    const ids: string[] = [];
    for (let at = 0; at < things; at++) ids.push(await created(other.token, path, body(at)));
    return ids;
  };
  const projects: string[] = [];
  const users: string[] = [];
  for (let at = 0; at < things; at++) {
    projects.push(await makeProject(other, `Project ${at}`));
    users.push(await directories.other.user({ userName: `user${at}@other.example` }));
  }
  const keys = await create('/v1/keys', (at) => ({ name: `key ${at}` }));
  const services = await create('/v1/organization/service-accounts', (at) => ({
    ...{ name: `service ${at}`, role: 'viewer' },
  }));
  const { json: listed } = await other.call({ path: '/v1/keys' });
  const prefixes = keys.map((_, index) => String(at(listed, 'keys', index, 'prefix')));
  const groups = await Promise.all(users.map((user, at) => directories.other.group(`Group ${at}`, [user])));
  const shared = { token: mine.token, missing: randomUUID };
  const scim = (path: string) => `/scim/v2/${mine.organizationId}${path}`;
  const byScim = { token: directories.mine.token, missing: randomUUID };
  const filter = (attribute: string, value: string) => encodeURIComponent(`${attribute} eq "${value}"`);
  return [
    {
      ...{ title: 'session in an organization', method: 'POST', ...shared, body: () => ({}) },
      ...{ path: (id) => `/v1/organizations/${id}/session`, existing: [other.organizationId] },
    },
    {
      ...{ title: 'members of a project', method: 'GET', ...shared, existing: projects },
      path: (id) => `/v1/organization/projects/${id}/members`,
    },
    {
      ...{ title: 'keys of a project', method: 'GET', ...shared, existing: projects },
      path: (id) => `/v1/keys?project=${id}`,
    },
    {
      ...{ title: 'usage of a project', method: 'GET', ...shared, existing: projects },
      path: (id) => `/v1/usage?project=${id}`,
    },
    {
      ...{ title: 'change of a project', method: 'PATCH', ...shared, existing: projects },
      ...{ path: (id) => `/v1/organization/projects/${id}`, body: () => ({ name: 'x' }) },
    },
    {
      ...{ title: 'change of a key', method: 'PATCH', ...shared, existing: keys },
      ...{ path: (id) => `/v1/keys/${id}`, body: () => ({ name: 'x' }) },
    },
    {
      ...{ title: 'deletion of a key', method: 'DELETE', ...shared, existing: keys },
      path: (id) => `/v1/keys/${id}`,
    },
    {
      ...{ title: 'change of a service account', method: 'PATCH', ...shared, existing: services },
      ...{ path: (id) => `/v1/organization/service-accounts/${id}`, body: () => ({ name: 'x' }) },
    },
    {
      ...{ title: 'change of a member', method: 'PATCH', ...shared, existing: [other.person.id] },
      ...{ path: (id) => `/v1/organization/members/${id}`, body: () => ({ role: 'viewer' }) },
    },
    {
      ...{ title: 'SCIM user', method: 'GET', ...byScim, existing: users },
      path: (id) => scim(`/Users/${id}`),
    },
    {
      ...{ title: 'SCIM group', method: 'GET', ...byScim, existing: groups },
      path: (id) => scim(`/Groups/${id}`),
    },
    {
      ...{ title: 'SCIM users by name', method: 'GET', token: directories.mine.token },
      existing: users.map((_, at) => `user${at}@other.example`),
      ...{
        missing: () => `${randomUUID()}@other.example`,
        path: (name) => scim(`/Users?filter=${filter('userName', name)}`),
      },
    },
    {
      ...{ title: 'SCIM users by id', method: 'GET', ...byScim, existing: users },
      path: (id) => scim(`/Users?filter=${filter('id', id)}`),
    },
    {
      ...{ title: 'new SCIM group with a member', method: 'POST', ...byScim, existing: users },
      path: () => scim('/Groups'),
      body: (value) => ({
        ...{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'x' },
        members: [{ value }],
      }),
    },
    {
      ...{ title: 'API key by its first characters', method: 'GET', path: () => '/v1/usage' },
      existing: prefixes,
      ...{
        token: (prefix) => `${prefix}${tokenTail()}`,
        missing: () => `gw_live_${tokenTail().slice(0, 4)}`,
      },
    },
    {
      ...{ title: 'SCIM with a token', method: 'GET', path: () => scim('/Users?count=1') },
      ...{
        existing: [directories.other.token],
        token: (token) => token,
        missing: () => changed(directories.other.token),
      },
    },
  ];
}

async function compare({ title, method, path, token, body, existing, missing }: Lookup): Promise<void> {
  const absent = existing.map(() => missing());
  const statuses = new Set<number>();
  const timeOf = async (ids: readonly string[]) => {
    const id = ids[randomInt(ids.length)] ?? '';
    const authorization = `Bearer ${typeof token === 'string' ? token : token(id)}`;
    const beganAt = performance.now();
    const answer = await pool.request({
      ...{ method, path: path(id), headers: { authorization, 'content-type': 'application/json' } },
      body: body === undefined ? null : JSON.stringify(body(id)),
    });
    await answer.body.dump();
    const tookUs = (performance.now() - beganAt) * 1000;
    statuses.add(answer.statusCode);
    return tookUs;
  };
  const [found, nothing]: [number[], number[]] = [[], []];
  for (let pair = -50; pair < pairs; pair++) {
    const existingFirst = randomInt(2) === 0;
    const first = await timeOf(existingFirst ? existing : absent);
    const second = await timeOf(existingFirst ? absent : existing);
    if (pair < 0) continue;
    found.push(existingFirst ? first : second);
    nothing.push(existingFirst ? second : first);
  }
  const { share, z } = rankTest(found, nothing);
  const medians = [found, nothing].map((times) => quantile(times, 0.5).toFixed(0));
  const mark = Math.abs(z) > surelyDifferent || statuses.size > 1 ? '! ' : '';
  console.log(
    `| ${mark}${title} | ${[...statuses].join(', ')} | ${medians.join(' | ')} | ${(share * 100).toFixed(1)} % | ${z.toFixed(1)} |`,
  );
  if (mark !== '') process.exitCode = 1;
}

/** How often one of the first takes longer than one of the others (Mann and Whitney), in deviations from a half. */
function rankTest(some: readonly number[], others: readonly number[]) {
  const sorted = others.toSorted((one, other) => one - other);
  const lowerThan = (value: number) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const lower = some.reduce((sum, value) => sum + lowerThan(value), 0);
  const all = some.length * others.length;
  const deviation = Math.sqrt((all * (some.length + others.length + 1)) / 12) / all;
  const share = lower / all;
  return { share, z: (share - 0.5) / deviation };
}

async function created(token: string, path: string, body: object): Promise<string> {
  const { status, text, json } = await call(weir.url, { path, body, headers: bearer(token) });
  if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
  return String(at(json, 'id'));
}

async function confirmDomain(domain: string, organization: string): Promise<void> {
  const { status, text } = await call(weir.url, {
    ...{ method: 'PUT', path: `/v1/operator/domains/${domain}`, headers: bearer(adminToken) },
    body: { organization_id: organization },
  });
  if (status !== 200) throw new Error(text);
}

/** The rest of an API key after its first characters. */
function tokenTail(): string {
  return randomBytes(32).toString('base64url').slice(4);
}

/** Another one of the same form. */
function changed(token: string): string {
  return token.slice(0, -8) + randomUUID().slice(0, 8);
}
