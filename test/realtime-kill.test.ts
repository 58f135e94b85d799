import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { RealtimeClient } from './support/realtime-client.ts';
import { RealtimeProvider, realtimeUsage, responseEvents } from './support/realtime-provider.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const kills = Number(process.env.KILLS ?? 2);
const responsesBetween = 3;
/** A kill costs what was held: at most 0.7 dollars for the response that it breaks off, and as much for the next one. */
const ceilingUsd = 1.5 * kills + 2;
/** 10,000 tokens of text at 4 dollars a million, and 100 of sound at 64. */
const usage = realtimeUsage({ text: 10_000, audioOut: 100 });
const responseUsd = 0.0464;

test('no ceiling is passed, and no response is lost, however often a gateway is killed in a session', async (t) => {
  const fake = await FakeUpstream.start();
  t.after(() => fake.close());
  let begun = 0;
  let isHeld = false;
  const provider = RealtimeProvider.at(fake);
  provider.script(
    (session) =>
      session.send({ type: 'session.created', event_id: 'event_0', session: { type: 'realtime' } }),
    (event, session) => {
      if (event.type !== 'response.create') return;
      begun++;
      for (const sent of responseEvents('hi', usage).slice(0, isHeld ? 2 : 3)) session.send(sent);
    },
  );
  const environment = {
    OPENAI_API_KEY: 'sk-tests',
    WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
    WEIR_DATA_DIR: emptyFolder(t),
    WEIR_PIPELINE: `cost-guard?day=${ceilingUsd}`,
  };
  let answered = 0;
  for (let kill = 0; kill < kills; kill++) {
    isHeld = false;
    const { gateway, url, client } = await startSession(t, environment);
    for (let asked = 0; asked < responsesBetween; asked++) await client.respond();
    answered += responsesBetween;
    await answeredCalls(url, answered);
    isHeld = true;
    client.sdk.send({ type: 'response.create' });
    await client.event('response.output_audio.delta', responsesBetween + 1);
    gateway.signal('SIGKILL');
    await gateway.exited;
  }
  isHeld = false;
  const { url, client } = await startSession(t, environment);
  assert.equal((await answeredCalls(url, answered)).length, answered);
  while (client.closed === undefined) {
    client.sdk.send({ type: 'response.create' });
    const before = begun;
    await eventually(() => (begun > before || client.closed !== undefined ? true : undefined));
  }
  assert.match(JSON.stringify(client.events.at(-1)), /"insufficient_quota".*USD is left/);
  const spentUsd = begun * responseUsd;
  t.diagnostic(`${kills} kills: ${begun} responses, ${spentUsd.toFixed(4)} USD of ${ceilingUsd}`);
  assert.ok(spentUsd <= ceilingUsd, `${spentUsd} USD of ${ceilingUsd}`);
  assert.ok(begun > kills * (responsesBetween + 1), 'nothing is left after the kills');
  // Whatever was answered, and nothing twice. What a kill broke off is no answer.
  const answeredInAll = begun - kills;
  const calls = await answeredCalls(url, Math.min(answeredInAll, 100));
  assert.ok(calls.length <= answeredInAll, `${calls.length} calls of ${answeredInAll}`);
  for (const one of calls) assert.equal(one.cost_usd, String(responseUsd));
});

async function startSession(t: TestContext, environment: Readonly<Record<string, string>>) {
  const gateway = new WeirProcess(t, { environment });
  const url = await gateway.listening;
  const client = new RealtimeClient(url);
  client.sdk.socket.on('error', () => undefined);
  await once(client.sdk.socket, 'open');
  await client.event('session.created');
  return { gateway, url, client };
}

/** The rows of complete responses, once there are as many. */
function answeredCalls(url: string, count: number) {
  return eventually(async () => {
    const { json } = await call(url, { path: '/v1/requests?limit=100' });
    const complete = objectsOf(json.requests).filter(
      (one) => at(one, 'status') === 200 && at(one, 'error_code') == null,
    );
    return complete.length >= count ? complete : undefined;
  });
}
