import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { Person } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { RealtimeClient } from './support/realtime-client.ts';
import { RealtimeProvider, realtimeUsage, responseEvents } from './support/realtime-provider.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

// What happens around a session while it goes on: other settings, a client that reads slowly, an expired key, a lost worker.

const fake = await FakeUpstream.start();
const provider = RealtimeProvider.at(fake);
const settings = {
  ...{ PORT: '0', WEIR_DATA_DIR: ':memory:', WEIR_MODE: 'cloud', WEIR_DASHBOARD: 'off' },
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
};
const cloud = await startTestGateway(settings);
const reload = (changes: Environment) => cloud.gateway.reload(readSettings({ ...settings, ...changes }));
after(async () => {
  await cloud.close();
  await fake.close();
});
const usage = realtimeUsage({ text: 10, textOut: 10 });
beforeEach(() => {
  provider.script(
    () => undefined,
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('hi', usage)) one.send(sent);
    },
  );
});

async function signUp() {
  const person = await Person.signUp(cloud.url);
  await person.call({ method: 'PUT', path: '/v1/byok/openai', body: { key: 'sk-proj-stored' } });
  return { person, ...(await person.makeKey()) };
}

/** The calls of an account in the log, once there are as many. */
function callsOf(person: Person, count: number) {
  return eventually(async () => {
    const calls = objectsOf((await person.call({ path: '/v1/requests?limit=50' })).json.requests);
    return calls.length >= count ? calls : undefined;
  });
}

const isIdle = () =>
  /^weir_open_calls 0$/m.test(cloud.gateway.metrics()) && /^weir_open_holds 0$/m.test(cloud.gateway.metrics())
    ? true
    : undefined;

test('a session keeps its settings when others are loaded, and later ones have the new', async (t) => {
  const { person, key } = await signUp();
  const client = await RealtimeClient.open(t, cloud.url, { apiKey: key });
  await client.respond();
  await reload({ WEIR_PIPELINE: 'guardrails?pii=redact' });
  await client.respond();
  const refused = new RealtimeClient(cloud.url, { apiKey: key });
  t.after(() => refused.sdk.socket.terminate());
  assert.match((await eventually(() => refused.errors[0])).message, /400/);
  await reload({});
  const later = await RealtimeClient.open(t, cloud.url, { apiKey: key });
  await later.respond();
  assert.equal((await callsOf(person, 3)).filter(({ status }) => status === 200).length, 3);
  // As long as anybody uses them, the gateway keeps eight former settings, and asks sessions of older ones to end.
  const sessions = [later];
  while (sessions.length < 9) {
    await reload({});
    sessions.push(await RealtimeClient.open(t, cloud.url, { apiKey: key }));
  }
  const { code } = await client.ending();
  assert.equal(code, 1012);
  assert.equal(at(client.events.at(-1), 'error', 'code'), 'draining');
  for (const session of sessions) session.sdk.close();
  await eventually(isIdle);
});

test('a session whose key expires or is revoked ends within a minute, though nobody speaks', async (t) => {
  const [expiring, revoked, lasting] = [await signUp(), await signUp(), await signUp()];
  const path = `/v1/keys/${expiring.id}/access`;
  const body = { expires_at: new Date(Date.now() + 50_000).toISOString() };
  assert.equal((await expiring.person.call({ method: 'PUT', path, body })).status, 200);
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
  const open = ({ key }: { readonly key: string }) => RealtimeClient.open(t, cloud.url, { apiKey: key });
  const clients = [await open(expiring), await open(revoked)];
  const other = await open(lasting);
  await revoked.person.call({ method: 'DELETE', path: `/v1/keys/${revoked.id}` });
  t.mock.timers.tick(60_000);
  for (const client of clients) {
    assert.equal((await client.ending()).code, 1008);
    assert.equal(at(client.events.at(-1), 'error', 'code'), 'invalid_api_key');
  }
  await other.respond();
  other.sdk.close();
  await eventually(isIdle);
});

test('a provider waits for a client that reads slowly, and a client that stops reading is disconnected', async (t) => {
  const { person, key } = await signUp();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const [begin = {}] = responseEvents('hi', usage);
  const type = 'response.output_audio.delta';
  const sound = 'A'.repeat(256 * 1024);
  const count = 200;
  provider.script(
    () => undefined,
    (event, one) => {
      if (event.type !== 'response.create') return;
      one.send(begin);
      for (let index = 0; index < count; index++) one.send({ type, index, delta: sound });
    },
  );
  const client = await RealtimeClient.open(t, cloud.url, { apiKey: key });
  const { webSocket } = provider.last;
  client.sdk.send({ type: 'response.create' });
  await client.event('response.created');
  client.sdk.socket.pause();
  // Others go on, and give the gateway time enough to read what it may.
  const other = await RealtimeClient.open(t, cloud.url, { apiKey: key });
  provider.script(
    () => undefined,
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('hi', usage)) one.send(sent);
    },
  );
  other.sdk.close();
  for (let index = 0; index < 20; index++) {
    const talking = await RealtimeClient.open(t, cloud.url, { apiKey: key });
    await talking.respond();
    talking.sdk.close();
  }
  // Beside the buffers of four sockets, all of it is still at the provider.
  const unsent = webSocket.bufferedAmount;
  assert.ok(unsent > (count * sound.length) / 2, String(unsent));
  client.sdk.socket.resume();
  await eventually(() => client.events.filter((event) => event.type === type).length > 20 || undefined);
  client.sdk.socket.pause();
  // It is checked twice a minute, after what the system has room for was sent.
  await eventually(() => {
    t.mock.timers.tick(30_000);
    return isIdle();
  });
  client.sdk.socket.resume();
  assert.equal((await client.ending()).code, 1006);
  const deltas = client.events.filter((event) => event.type === type);
  assert.deepEqual(
    deltas.map(({ index }) => index),
    deltas.map((_, index) => index),
  );
  const [broken] = (await callsOf(person, 21)).filter(({ ending }) => ending !== 'complete');
  assert.ok(broken !== undefined);
  assert.equal(broken.cost_estimated, true);
});

test('sessions of several workers are logged together, and outlive the kill of another worker', async (t) => {
  const weir = new WeirProcess(t, {
    environment: {
      ...{ WEIR_WORKERS: '2', WEIR_DASHBOARD: 'off', OPENAI_API_KEY: 'sk-tests' },
      WEIR_DATA_DIR: emptyFolder(t),
      WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
    },
  });
  const url = await weir.listening;
  const clients: RealtimeClient[] = [];
  for (let count = 0; count < 6; count++) {
    const client = await RealtimeClient.open(t, url);
    await client.respond();
    clients.push(client);
  }
  const logged = (least: number) =>
    eventually(async () => {
      const { json } = await call(url, { path: '/v1/requests?limit=50' });
      return objectsOf(json.requests).length >= least || undefined;
    });
  await logged(6);
  const [worker] = await weir.workers();
  assert.ok(worker !== undefined);
  process.kill(worker, 'SIGKILL');
  const ended = await eventually(() => {
    const broken = clients.filter(({ closed }) => closed !== undefined);
    return broken.length > 0 ? broken : undefined;
  });
  assert.ok(ended.every(({ closed }) => closed?.code === 1006));
  const left = clients.filter((client) => !ended.includes(client));
  assert.ok(left.length > 0);
  for (const client of left) await client.respond();
  const next = await RealtimeClient.open(t, url);
  await next.respond();
  await logged(7 + left.length);
  weir.signal('SIGTERM');
  for (const client of [...left, next]) assert.equal((await client.ending()).code, 1012);
  assert.equal((await weir.exited).code, 0);
});
