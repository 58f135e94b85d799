import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineVerifier } from '../src/audit/verify-lines.ts';
import { findStatementProblem } from '../src/lib/signed-statement.ts';
import { assertError } from './support/assert-error.ts';
import { openChains, readChain } from './support/audit-chains.ts';
import { call } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { addMember, createOrganization } from './support/organizations.ts';
import { placesWith, readAllStoredData } from './support/stored-data.ts';
import { emptyFolder } from './support/weir-process.ts';

const adminToken = 'an-operator-token-of-some-length';

test('data has a retention for each kind within the bounds of the instance, in the audit log with before and after', async (t) => {
  const environment = { WEIR_DATA_DIR: emptyFolder(t), WEIR_AUDIT_DAYS: '200', WEIR_LOG_DAYS: '40' };
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  const path = '/v1/organization/retention';
  const set = (body: object) => ada.call({ path, method: 'PUT', body });
  const first = await ada.call({ path });
  const kinds = (json: unknown) =>
    new Map<string, Record<string, unknown>>(
      Object(json).kinds.map(({ kind, ...rest }: { kind: string }) => [kind, rest]),
    );
  assert.deepEqual([...kinds(first.json).keys()], ['requests', 'recordings', 'archive', 'patterns', 'audit']);
  const audit = kinds(first.json).get('audit');
  assert.deepEqual([audit?.days, audit?.own_days, audit?.min_days, audit?.max_days], [200, null, 90, 200]);
  assert.ok(Number(audit?.items) >= 1);
  assertError(await set({ audit: 89 }), { status: 400, type: 'invalid_request' });
  assert.match((await set({ requests: 41 })).text, /requests: must be from 1 to 40/);
  const changed = await set({ audit: 100, patterns: 30, requests: 7 });
  const now = kinds(changed.json);
  assert.deepEqual(
    ['audit', 'patterns', 'requests', 'archive'].map((kind) => now.get(kind)?.own_days),
    [100, 30, 7, null],
  );
  const entries = await readChain(await openChains(t, { WEIR_MODE: 'cloud', ...environment }), ada.id);
  const { before, after, event } = entries.at(-1)?.fields ?? {};
  assert.deepEqual(
    [event, before, after],
    [
      'retention.changed',
      { audit: null, patterns: null, requests: null },
      { audit: 100, patterns: 30, requests: 7 },
    ],
  );
  const back = await set({ audit: null, patterns: null, requests: null });
  assert.equal(kinds(back.json).get('audit')?.days, 200);
});

test('under a legal hold nothing is deleted by members, and each side releases its own', async (t) => {
  const { url } = await startCloud(t, { WEIR_ADMIN_TOKEN: adminToken });
  const ada = await Person.signUp(url);
  const path = '/v1/organization/holds';
  const operatorPath = `/v1/operator/holds/${ada.id}`;
  const asOperator = (sent: Parameters<typeof call>[1]) =>
    call(url, { ...sent, headers: bearer(adminToken) });
  const deletions = [
    { path: '/v1/recordings', method: 'DELETE' },
    { path: '/v1/archive', method: 'DELETE' },
    { path: '/v1/users/me', method: 'DELETE', body: { password } },
    { path: '/v1/organization', method: 'DELETE', body: { password } },
  ];
  assert.equal((await ada.call({ path, method: 'PUT', body: { reason: 'the case of 2026' } })).status, 200);
  const placed = await asOperator({ path: operatorPath, method: 'PUT', body: { reason: 'a court' } });
  assert.equal(placed.status, 200, placed.text);
  assert.deepEqual(
    Object((await asOperator({ path: '/v1/operator/holds' })).json).holds.map(
      ({ account, side, reason }: Record<string, unknown>) => [account, side, reason],
    ),
    [
      [ada.id, 'operator', 'a court'],
      [ada.id, 'owner', 'the case of 2026'],
    ],
  );
  const refused = { status: 409, type: 'invalid_request', code: 'legal_hold' };
  for (const deletion of deletions) assertError(await ada.call(deletion), refused);
  assert.equal((await ada.call({ path, method: 'DELETE' })).status, 200);
  assert.equal((await ada.call({ path, method: 'DELETE' })).status, 404);
  const [first] = deletions;
  if (first !== undefined) assertError(await ada.call(first), refused);
  assert.equal((await asOperator({ path: operatorPath, method: 'DELETE' })).status, 200);
  assert.equal((await ada.call({ path: '/v1/recordings', method: 'DELETE' })).status < 300, true);
  const { json } = await ada.call({ path: '/v1/audit?event=legal_hold.placed,legal_hold.released' });
  const listed = Object(json).entries.map(({ event, side }: Record<string, unknown>) => `${side} ${event}`);
  assert.deepEqual(listed, [
    'operator legal_hold.released',
    'owner legal_hold.released',
    'operator legal_hold.placed',
    'owner legal_hold.placed',
  ]);
});

test('when a person goes, no table and no file has their address, and every chain verifies, also offline', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  const email = 'bob.of.the.canary@example.com';
  const bob = await Person.signUp(url, email);
  const owner = await createOrganization(ada);
  const { organizationId: organization, token } = owner;
  const member = await addMember(owner, 'developer', bob);
  const key = await member.call({
    path: '/v1/keys',
    headers: ['user-agent', 'browser-of-the-canary'],
    body: { name: 'shared' },
  });
  assert.equal(key.status, 201, key.text);
  await bob.call({ path: '/v1/users/me', method: 'DELETE', body: { password } });

  const stored = async () => {
    const data = await readAllStoredData(environment);
    return ['canary@example', 'browser-of-the-canary'].flatMap((text) => placesWith(text, data));
  };
  await eventually(async () => ((await stored()).length === 0 ? true : undefined));
  const entries = await readChain(await openChains(t, environment), organization);
  assert.ok(entries.some(({ fields }) => fields.actor === `user:${bob.id}`));
  const keys = Object((await call(url, { path: '/.well-known/jwks.json' })).json);
  const verifier = new LineVerifier((statement) => findStatementProblem(statement, keys));
  const exported = await call(url, { path: '/v1/audit/export', headers: bearer(token) });
  for (const line of exported.text.trimEnd().split('\n')) await verifier.add(line);
  verifier.endFile();
  assert.deepEqual(
    verifier.results().map(({ chain, faults }) => [chain, faults]),
    [[organization, []]],
  );
  assert.ok(!exported.text.includes('canary'));
});
