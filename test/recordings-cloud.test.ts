import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../src/gateway/parts/stores.ts';
import { type Environment, readSettings } from '../src/gateway/settings.ts';
import { assertError } from './support/assert-error.ts';
import { at, fieldsOf } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { replicaSettings } from './support/replicas.ts';
import { Guest } from './support/sandbox.ts';
import { placesWith, readAllStoredData } from './support/stored-data.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const homes: Readonly<Record<string, (t: TestContext) => Environment | Promise<Environment>>> = {
  'the embedded store': () => ({}),
  'PostgreSQL and Redis': (t) => replicaSettings(t),
};

for (const [home, environmentOf] of Object.entries(homes)) {
  test(`the mode of a key wins over that of the instance, on ${home}`, async (t) => {
    const { url } = await startCloud(t, { ...(await environmentOf(t)), WEIR_RECORD: 'off' });
    const person = await Person.signUp(url);
    const { id, key } = await person.makeKey();
    const path = `/v1/keys/${id}/recording`;
    const isRecorded = async (headers: readonly string[] = []) => {
      const answer = await ask(url, key, 'Hello', headers);
      return (await recordingOf(person, answer)).status === 200;
    };
    const set = (record: unknown) => person.call({ method: 'PUT', path, body: { record } });

    assert.deepEqual((await person.call({ path })).json, { record: null });
    assert.equal(await isRecorded(), false);
    assert.deepEqual((await set('all')).json, { record: 'all' });
    assert.deepEqual((await person.call({ path })).json, { record: 'all' });
    assert.equal(await isRecorded(), true);
    assert.equal(await isRecorded(['x-weir-record', 'off']), false);
    assert.equal((await set('off')).status, 200);
    assert.equal(await isRecorded(['x-weir-record', 'on']), false);
    assert.equal((await set(null)).status, 200);
    assert.equal(await isRecorded(), false);
    assertError(await set('some'), { status: 400, type: 'invalid_request', param: 'record' });
    const stranger = await Person.signUp(url);
    const body = { record: 'all' };
    assertError(await stranger.call({ method: 'PUT', path, body }), { status: 404, type: 'not_found' });
  });

  test(`recordings are sealed, and only for the holder of their account, on ${home}`, async (t) => {
    const environment = {
      WEIR_MODE: 'cloud',
      WEIR_DATA_DIR: emptyFolder(t),
      ...(await environmentOf(t)),
      WEIR_RECORD: 'all',
    };
    const { url, close } = await startCloud(t, environment);
    const [person, stranger] = [await Person.signUp(url), await Person.signUp(url)];
    const { id: keyId, key } = await person.makeKey();
    const canary = `canary${randomUUID()}`;
    const answer = await ask(url, key, canary);
    const path = `/v1/recordings/${answer.headers['x-request-id']}`;
    const recording = await recordingOf(person, answer);
    assert.equal(at(recording.json, 'key_id'), keyId);
    assert.ok(String(at(recording.json, 'request', 'body')).includes(canary));
    assert.ok(!recording.text.includes(key));

    assertError(await stranger.call({ path }), { status: 404, type: 'not_found' });
    const conversation = { path: `${path}/conversation` };
    const search = { path: `/v1/recordings/search?q=${canary}` };
    assert.ok((await person.call(conversation)).text.includes(canary));
    assertError(await stranger.call(conversation), { status: 404, type: 'not_found' });
    assert.equal(at((await person.call(search)).json, 'matches', 0, 'id'), answer.headers['x-request-id']);
    assert.deepEqual((await stranger.call(search)).json.matches, []);
    const settings = { path: '/v1/recordings/settings' };
    assert.equal((await person.call(settings)).json.source, 'environment');
    assert.equal((await person.call({ ...settings, method: 'PUT', body: { record: 'off' } })).status, 409);
    assertError(await stranger.call({ method: 'DELETE', path }), { status: 404, type: 'not_found' });
    assert.equal((await stranger.call({ method: 'DELETE', path: '/v1/recordings' })).status, 204);
    assert.deepEqual((await stranger.call({ path: '/v1/recordings' })).json.recordings, []);
    for (const headers of [[], bearer(key)])
      assertError(await call(url, { path, headers }), { status: 401, type: 'authentication_error' });
    assert.equal((await person.call({ path })).status, 200);

    const exported = { path: '/v1/requests/export?format=jsonl&recordings=1' };
    const [line = ''] = (await person.call(exported)).text.split('\n');
    const { key_id, request } = fieldsOf(at(JSON.parse(line), 'recording'));
    assert.deepEqual([key_id, request], [keyId, at(recording.json, 'request')]);
    assert.equal((await stranger.call(exported)).text, '');
    assert.equal((await call(url, { ...exported, headers: bearer(key) })).status, 401);
    const table = await person.call({ path: '/v1/requests/export?recordings=1' });
    assertError(table, { status: 400, type: 'invalid_request' });

    const guest = await Guest.begin(url);
    const unrecorded = await guest.call({
      path: '/v1/messages',
      body: question('Hello'),
      headers: ['x-weir-record', 'on'],
    });
    assert.deepEqual([unrecorded.status, unrecorded.headers['x-weir-recorded']], [200, undefined]);
    await close();
    const stored = await readAllStoredData(environment);
    assert.deepEqual(placesWith(person.id, stored).includes('recordings'), true);
    assert.deepEqual(placesWith(canary, stored), []);
    const database = await openDatabase(readSettings(environment));
    t.after(() => database.close());
    await database.recordings.forget(person.id);
    assert.equal(await database.recordings.newestBeyond(0), undefined);
  });
}

test('a killed process leaves whole recordings only', async (t) => {
  const environment = { WEIR_DATA_DIR: emptyFolder(t), WEIR_RECORD: 'all' };
  const killed = new WeirProcess(t, { environment });
  const url = await killed.listening;
  const sending = Array.from({ length: 60 }, () => ask(url, 'local', 'x'.repeat(100_000)));
  const settled = Promise.allSettled(sending);
  await Promise.all(sending.slice(0, 30));
  killed.signal('SIGKILL');
  await killed.exited;
  await settled;

  const next = await new WeirProcess(t, { environment }).listening;
  const answer = await ask(next, 'local', 'Hello');
  const { json } = await call(next, { path: '/v1/recordings?limit=200' });
  assert.ok(Array.isArray(json.recordings) && json.recordings.length > 0);
  for (const { id } of json.recordings) {
    const { status, json: recording } = await call(next, { path: `/v1/recordings/${id}` });
    assert.equal(status, 200);
    assert.equal(at(recording, 'response', 'status'), 200);
  }
  assert.equal(at(json, 'recordings', 0, 'id'), answer.headers['x-request-id']);
});

function ask(url: string, token: string, text: string, headers: readonly string[] = []): Promise<RawAnswer> {
  const body = question(text);
  return call(url, { path: '/v1/messages', headers: [...bearer(token), ...headers], body });
}

function question(content: string): object {
  return { model: 'demo-1', max_tokens: 5, messages: [{ role: 'user', content }] };
}

function recordingOf(person: Person, { headers }: RawAnswer): Promise<RawAnswer> {
  return person.call({ path: `/v1/recordings/${headers['x-request-id']}` });
}
