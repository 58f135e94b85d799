import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { at } from './support/at.ts';
import { Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { RealtimeClient } from './support/realtime-client.ts';
import { RealtimeProvider, realtimeUsage, responseEvents } from './support/realtime-provider.ts';

const usage = realtimeUsage({ text: 10, textOut: 10 });

/** An account with a stored key of a provider that answers each request for a response, or none. */
async function startAccount(t: TestContext, more: Environment = {}) {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  const weir = await startCloud(t, { WEIR_OPENAI_BASE_URL: `${fake.url}/v1`, ...more });
  const person = await Person.signUp(weir.url);
  await person.call({ method: 'PUT', path: '/v1/byok/openai', body: { key: 'sk-proj-stored' } });
  const provider = RealtimeProvider.at(fake);
  provider.script(
    () => undefined,
    (event, one) => {
      if (event.type === 'response.create') for (const sent of responseEvents('hi', usage)) one.send(sent);
    },
  );
  return { weir, person, provider };
}

test('a revoked key ends its session at the next response, with an error and 1008', async (t) => {
  const { weir, person, provider } = await startAccount(t);
  const { id, key } = await person.makeKey();
  const client = await RealtimeClient.open(t, weir.url, { apiKey: key });
  assert.equal(provider.last.request.headers.authorization, 'Bearer sk-proj-stored');
  await client.respond();
  assert.equal((await person.call({ method: 'DELETE', path: `/v1/keys/${id}` })).status, 204);
  client.sdk.send({ type: 'response.create' });
  const { code } = await client.ending();
  assert.equal(code, 1008);
  assert.equal(at(client.events.at(-1), 'error', 'code'), 'invalid_api_key');
  assert.equal(await eventually(() => provider.last.closedWith), 1000);
});

test('a key opens sessions only with what its rules allow, and settings can’t name another model', async (t) => {
  const { weir, person, provider } = await startAccount(t);
  const { id, key } = await person.makeKey();
  const rules = { models: ['gpt-realtime'] };
  assert.equal(
    (await person.call({ method: 'PUT', path: `/v1/keys/${id}/access`, body: rules })).status,
    200,
  );
  const refused = new RealtimeClient(weir.url, { apiKey: key, model: 'gpt-realtime-2' });
  t.after(() => refused.sdk.socket.terminate());
  assert.match((await eventually(() => refused.errors[0])).message, /403/);
  const client = await RealtimeClient.open(t, weir.url, { apiKey: key });
  await client.respond();
  client.sdk.send({
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { transcription: { model: 'whisper-1' } } } },
  });
  const { code, reason } = await client.ending();
  assert.equal(code, 1008);
  assert.match(reason, /whisper-1/);
  assert.equal(provider.last.received.length, 1);
});

test('responses count against the quota, reserved ones that nobody needs do not, and the last ends the session', async (t) => {
  const { weir, person } = await startAccount(t, { WEIR_TIER_FREE_LIMIT: '3' });
  const { key } = await person.makeKey();
  const first = await RealtimeClient.open(t, weir.url, { apiKey: key });
  await first.respond();
  first.sdk.close();
  await first.ending();
  const second = await RealtimeClient.open(t, weir.url, { apiKey: key });
  await second.respond();
  await second.respond();
  const { code } = await second.ending();
  assert.equal(code, 1013);
  assert.equal(at(second.events.at(-1), 'error', 'code'), 'tier_cap_reached');
});

test('a key with one call in flight can talk', async (t) => {
  const { weir, person } = await startAccount(t);
  const { id, key } = await person.makeKey();
  const limits = { concurrent: 1 };
  assert.equal(
    (await person.call({ method: 'PUT', path: `/v1/keys/${id}/limits`, body: limits })).status,
    200,
  );
  const client = await RealtimeClient.open(t, weir.url, { apiKey: key });
  for (let count = 0; count < 3; count++) await client.respond();
  assert.equal(client.closed, undefined);
  assert.deepEqual(client.errors, []);
});
