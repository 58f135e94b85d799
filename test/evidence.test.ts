import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { JSONWebKeySet } from 'jose';
import { evidenceSections } from '../src/audit/evidence/rows.ts';
import { verifyBundle } from '../src/audit/evidence/verify-bundle.ts';
import { findStatementProblem } from '../src/lib/signed-statement.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { Person, startCloud } from './support/cloud.ts';
import { addMember, createOrganization } from './support/organizations.ts';
import { makeProject } from './support/projects.ts';
import { replicaSettings } from './support/replicas.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

const path = '/v1/organization/evidence';

async function keysOf(url: string): Promise<JSONWebKeySet> {
  return { keys: Object((await call(url, { path: '/.well-known/jwks.json' })).json).keys };
}

async function faultsOf(keys: JSONWebKeySet, ...chunks: readonly Uint8Array[]): Promise<readonly string[]> {
  async function* bytes() {
    yield* chunks;
  }
  const { faults } = await verifyBundle(bytes(), (statement) => findStatementProblem(statement, keys));
  return faults;
}

/** The rows of each section. */
function sectionsIn(text: string): ReadonlyMap<string, readonly Record<string, unknown>[]> {
  const rows = text
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => Object(JSON.parse(line)));
  return Map.groupBy(rows, ({ section }) => String(section));
}

test('owners and admins get a signed bundle of their own organization, without secrets and without others', async (t) => {
  const { url } = await startCloud(t);
  const owner = await createOrganization(await Person.signUp(url), 'Acme');
  const other = await createOrganization(await Person.signUp(url), 'Canary Ltd');
  const admin = await addMember(owner, 'admin');
  const developer = await addMember(owner, 'developer');
  const projectId = await makeProject(owner, 'Search');
  const projectMember = `/v1/organization/projects/${projectId}/members/${developer.person.id}`;
  await owner.call({ method: 'PUT', path: projectMember, body: { role: 'admin' } });
  const { key, id: keyId } = Object(
    (await owner.call({ path: '/v1/keys', body: { name: 'search', projectId } })).json,
  );
  const service = await owner.call({
    path: '/v1/organization/service-accounts',
    body: { name: 'terraform', role: 'viewer' },
  });
  const token = await owner.call({
    path: `/v1/organization/service-accounts/${service.json.id}/tokens`,
    body: {},
  });
  const providerKey = 'sk-ant-of-the-evidence';
  await owner.call({ method: 'PUT', path: '/v1/byok/anthropic', body: { key: providerKey } });
  await owner.call({ method: 'PUT', path: '/v1/organization/retention', body: { requests: 7 } });
  await owner.call({ method: 'PUT', path: '/v1/organization/holds', body: { reason: 'the case of 2026' } });
  await makeProject(other, 'Canary project');
  await other.call({ path: '/v1/keys', body: { name: 'canary key' } });

  assert.equal((await developer.call({ path })).status, 403);
  const { status, text, headers } = await admin.call({ path });
  assert.deepEqual([status, headers['content-type']], [200, 'application/jsonl; charset=utf-8'], text);
  const sections = sectionsIn(text);
  const rows = (name: string) => sections.get(name) ?? [];
  assert.deepEqual(
    [...sections.keys()].filter((name) => !evidenceSections.some((one) => one === name)),
    [],
  );
  assert.deepEqual(
    rows('members').map(({ id, role, passkeys }) => [id, role, passkeys]),
    [
      [owner.person.id, 'owner', 0],
      [admin.person.id, 'admin', 0],
      [developer.person.id, 'developer', 0],
    ],
  );
  assert.deepEqual(
    rows('project_members').map(({ project, id, role }) => [project, id, role]),
    [[projectId, developer.person.id, 'admin']],
  );
  assert.deepEqual(
    rows('api_keys').map(({ id, name, project, last_used_at }) => [id, name, project, last_used_at]),
    [[keyId, 'search', projectId, null]],
  );
  assert.equal(Object(rows('service_accounts')[0]).tokens.length, 1);
  assert.equal(rows('retention').find(({ kind }) => kind === 'requests')?.own_days, 7);
  assert.deepEqual(
    rows('legal_holds').map(({ reason }) => reason),
    ['the case of 2026'],
  );
  assert.deepEqual(
    rows('audit').map(({ chain, verification }) => [chain, Object(verification).is_valid]),
    [[owner.organizationId, true]],
  );
  assert.equal(rows('backups')[0]?.is_recorded, false);
  const jose = rows('dependencies').find(({ name }) => name === 'jose');
  assert.deepEqual([jose?.version, jose?.license], ['6.2.17', 'MIT']);
  assert.deepEqual(
    rows('settings').map(({ kind, provider }) => [kind, provider]),
    [['provider_key', 'anthropic']],
  );
  for (const absent of [key, String(token.json.token), providerKey, other.organizationId, /canary/i])
    assert.doesNotMatch(text, new RegExp(absent));

  const audited = await owner.call({ path: '/v1/audit?event=evidence.exported' });
  assert.equal(Object(audited.json.entries)[0].actor, `user:${admin.person.id}`);
});

test('every forged byte of a bundle is found, and every line that is missing, moved or added', async (t) => {
  const { url } = await startCloud(t);
  const ada = await Person.signUp(url);
  await ada.makeKey();
  const keys = await keysOf(url);
  const bytes = Buffer.from((await ada.call({ path })).text);
  assert.deepEqual(await faultsOf(keys, bytes), []);
  assert.deepEqual(await faultsOf(keys, bytes.subarray(0, 100), bytes.subarray(100)), []);
  const lines = bytes.toString().trimEnd().split('\n');
  const lineStarts = lines.map((_, at) => Buffer.byteLength(lines.slice(0, at).join('\n')) + Number(at > 0));
  const statementAt = lineStarts.at(-1) ?? 0;
  const signatureEnd = bytes.indexOf('","signed_at"', statementAt) - 1;
  const places = [
    ...lineStarts.filter((_, at) => at % 4 === 0).map((start, at) => start + (at % 40)),
    ...Array.from({ length: bytes.length }, (_, at) => statementAt + at * 37),
    ...[signatureEnd, signatureEnd - 1, bytes.length - 1],
  ].filter((place) => place < bytes.length);
  for (const place of places) {
    const forged = Buffer.from(bytes);
    forged[place] = (forged[place] ?? 0) ^ 1;
    assert.notDeepEqual(await faultsOf(keys, forged), [], `the byte ${place}`);
  }
  for (const [at, line] of lines.entries()) {
    if (at % 8 !== 0 && at < lines.length - 2) continue;
    const next = lines[at + 1];
    const forgeries = [lines.toSpliced(at, 1), lines.toSpliced(at, 0, line)];
    if (next !== undefined) forgeries.push(lines.with(at, next).with(at + 1, line));
    for (const forged of forgeries)
      assert.notDeepEqual(await faultsOf(keys, Buffer.from(`${forged.join('\n')}\n`)), [], line);
  }
  assert.notDeepEqual(await faultsOf(keys, bytes.subarray(0, -1)), [], 'the last end of a line');
  const stranger = await startCloud(t);
  assert.match(String(await faultsOf(await keysOf(stranger.url), bytes)), /not in the given key set/);
});

test('weir evidence writes bundles of the instance and of an account, and says what is wrong with an audit log', async (t) => {
  const folder = emptyFolder(t);
  const environment = {
    ...{ WEIR_MODE: 'cloud', WEIR_DATA_DIR: folder },
    WEIR_ADMIN_TOKEN: 'the-token-of-the-operator-of-this-test',
  };
  const { url } = await startCloud(t, environment);
  const [ada, bob] = [await Person.signUp(url), await Person.signUp(url)];
  await ada.makeKey();
  const shared = await createOrganization(ada);
  await addMember(shared, 'owner', bob);
  const database = new DatabaseSync(join(folder, 'weir.db'));
  addMembers(database, shared.organizationId, 450);

  const file = (name: string) => join(folder, name);
  const [keys, whole, own] = [file('jwks.json'), file('whole.jsonl'), file('own.jsonl')];
  writeFileSync(keys, JSON.stringify(await keysOf(url)));
  const weir = (...args: readonly string[]) => runCommand(t, ['evidence', ...args], environment);
  const written = await weir(whole);
  assert.equal(written.code, 0, written.complained);
  const verified = await weir('verify', whole, '--keys', keys);
  assert.deepEqual([verified.code, verified.complained], [0, '']);
  assert.match(verified.said, /^instance: valid: \d+ lines, signed at 20/);
  const text = readFileSync(whole, 'utf8');
  const sections = sectionsIn(text);
  assert.deepEqual(
    sections
      .get('accounts')
      ?.map(({ id }) => id)
      .toSorted(),
    [ada.id, bob.id, shared.organizationId].toSorted(),
  );
  const members = (sections.get('members') ?? []).map(({ account, id }) => `${account} ${id}`);
  assert.deepEqual([members.length, new Set(members).size], [454, 454]);
  const settings = sections.get('settings') ?? [];
  assert.equal(settings.find(({ variable }) => variable === 'WEIR_ADMIN_TOKEN')?.value, '***');
  assert.ok(!text.includes(environment.WEIR_ADMIN_TOKEN));

  assert.equal((await weir(own, ada.email)).code, 0);
  const ofAda = readFileSync(own, 'utf8');
  assert.ok(!ofAda.includes(bob.email) && !ofAda.includes('WEIR_'));
  assert.match((await weir('verify', own, '--keys', keys)).said, new RegExp(`^${ada.id}: valid`));
  assert.equal((await weir(own, ada.email)).code, 1, 'it replaces no file');
  writeFileSync(own, ofAda.replace(ada.email, bob.email));
  const forged = await weir('verify', own, '--keys', keys);
  assert.deepEqual(
    [forged.code, forged.complained],
    [1, `${ada.id}: NOT valid: the section "members" is not the one that was signed\n`],
  );

  database.exec(`delete from audit_entries where number = 1 and chain = '${ada.id}'`);
  database.close();
  const { text: later } = await ada.call({ path });
  const [row] = sectionsIn(later).get('audit') ?? [];
  assert.equal(Object(row?.verification).is_valid, false);
});

test('weir evidence writes a bundle of an instance with PostgreSQL, that of an account has the same rows as on SQLite', async (t) => {
  const folder = emptyFolder(t);
  const postgres = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: folder, ...(await replicaSettings(t)) };
  const sqlite = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
  const bundles: ReadonlyMap<string, readonly Record<string, unknown>[]>[] = [];
  for (const [at, environment] of [postgres, sqlite].entries()) {
    const { url } = await startCloud(t, environment);
    const owner = await createOrganization(await Person.signUp(url, 'ada@example.com'), 'Acme');
    await addMember(owner, 'viewer');
    await makeProject(owner, 'Search');
    await owner.call({ path: '/v1/keys', body: { name: 'search' } });
    await owner.call({ method: 'PUT', path: '/v1/organization/holds', body: { reason: 'a case' } });
    const [keys, whole] = [join(folder, `jwks${at}.json`), join(folder, `whole${at}.jsonl`)];
    writeFileSync(keys, JSON.stringify(await keysOf(url)));
    const written = await runCommand(t, ['evidence', whole], environment);
    assert.equal(written.code, 0, written.complained);
    const verified = await runCommand(t, ['evidence', 'verify', whole, '--keys', keys], environment);
    assert.deepEqual([verified.code, verified.complained], [0, '']);
    assert.equal(sectionsIn(readFileSync(whole, 'utf8')).get('accounts')?.length, 3);
    bundles.push(sectionsIn((await owner.call({ path })).text));
  }
  const shapes = bundles.map((sections) =>
    [...sections]
      .filter(([name]) => name !== 'settings')
      .map(([name, rows]) => [name, rows.map((row) => Object.keys(row).join(' '))]),
  );
  assert.deepEqual(shapes[0], shapes[1]);
  for (const sections of bundles)
    assert.equal(Object(sections.get('audit')?.[0]?.verification).is_valid, true);
});

test('weir evidence writes a bundle in local mode, where there are no accounts', async (t) => {
  const folder = emptyFolder(t);
  const environment = { WEIR_DATA_DIR: folder };
  const { url, close } = await startTestGateway(environment);
  const keys = await keysOf(url);
  await close();
  const whole = join(folder, 'whole.jsonl');
  const written = await runCommand(t, ['evidence', whole], environment);
  assert.equal(written.code, 0, written.complained);
  const text = readFileSync(whole);
  assert.deepEqual(await faultsOf(keys, text), []);
  const sections = sectionsIn(text.toString());
  assert.ok((sections.get('settings') ?? []).length > 0);
  assert.ok((sections.get('dependencies') ?? []).length > 0);
  for (const name of ['accounts', 'members', 'api_keys']) assert.equal(sections.get(name), undefined, name);
});

function addMembers(database: DatabaseSync, account: string, count: number): void {
  const person = database.prepare(
    'insert into identities (id, email, email_folded, created_at_ms) values (?, ?, ?, 1)',
  );
  const membership = database.prepare(
    "insert into memberships (identity_id, account_id, role, created_at_ms) values (?, ?, 'viewer', 1)",
  );
  database.exec('begin');
  for (let at = 0; at < count; at++) {
    const [id, email] = [`00000000-0000-4000-8000-${String(at).padStart(12, '0')}`, `many${at}@example.com`];
    person.run(id, email, email);
    membership.run(id, account);
  }
  database.exec('commit');
}
