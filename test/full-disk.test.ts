import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { mountSmallDisk } from './support/small-disk.ts';

const demo = { model: 'demo-1', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };

test('while the data disk is full calls go on, what they leave behind waits, and the gateway says so', async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip('nothing can be mounted here');
  const { url, logLines, close } = await startTestGateway({ WEIR_DATA_DIR: disk.folder });
  cleanUp(t, close);
  const ask = () => call(url, { path: '/v1/messages', body: demo });
  const ready = () => call(url, { path: '/ready' });
  assert.equal((await ask()).status, 200);
  assert.deepEqual((await ready()).json, { status: 'ready', stores: { database: 'up' } });
  await eventually(async () => ((await figure(url, 'weir_log_rows_waiting')) === 0 ? true : undefined));
  disk.fill();
  for (let calls = 0; calls < 90; calls++) assert.equal((await ask()).status, 200);
  const degraded = await eventually(async () => {
    const answer = await ready();
    return answer.json.status === 'ready' ? undefined : answer;
  });
  assert.equal(degraded.status, 200, 'calls go on');
  assert.deepEqual(degraded.json, { status: 'degraded', stores: { database: 'unwritable' } });
  // A batch that the database refuses is given up after three tries.
  const tries = () => logLines.filter((line) => line.includes('could not write to the request log')).length;
  await eventually(() => (tries() > 3 ? true : undefined));
  assert.equal(await figure(url, 'weir_log_rows_waiting'), 90);
  assert.equal((await ready()).json.status, 'degraded');
  disk.empty();
  await eventually(async () => ((await ready()).json.status === 'ready' ? true : undefined));
  const { json } = await call(url, { path: '/v1/requests?limit=100' });
  assert.equal(at(json, 'requests', 'length'), 91);
  assert.equal(await figure(url, 'weir_log_rows_dropped_total'), 0);
  assert.equal(at((await call(url, { path: '/v1/usage' })).json, 'total', 'requests'), 91);
  const journalFaults = logLines.filter((line) => line.includes('could not write the usage journal'));
  assert.equal(journalFaults.length, 1);
});

test('what can not be stored on a full disk is told to come back', async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip('nothing can be mounted here');
  const { url } = await startCloud(t, { WEIR_DATA_DIR: disk.folder });
  await Person.signUp(url, 'ada@example.com');
  disk.fill();
  const signUp = () => call(url, { path: '/v1/users/signup', body: { email: 'eve@example.com', password } });
  const refused = await signUp();
  assert.deepEqual([refused.status, at(refused.json, 'error', 'code')], [503, 'storage_unavailable']);
  disk.empty();
  assert.equal((await signUp()).status, 201);
});

function smallDisk(t: TestContext) {
  const disk = mountSmallDisk(4);
  if (disk !== undefined) cleanUp(t, () => disk.unmount());
  return disk;
}

async function figure(url: string, name: string): Promise<number> {
  const { text } = await call(url, { path: '/metrics' });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}
