import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createGateway } from '../src/index.ts';
import { cleanUp } from './support/clean-up.ts';
import { rawConnection } from './support/raw-connection.ts';
import { WeirProcess } from './support/weir-process.ts';

for (const workers of ['1', '2'])
  test(`node:http reads requests with WEIR_HTTP=node and WEIR_WORKERS=${workers}`, async (t) => {
    const environment = { WEIR_HTTP: 'node', WEIR_WORKERS: workers };
    const url = await new WeirProcess(t, { environment }).listening;
    assert.equal(await statusOfUnknownMethod(t, url), 400);
  });

test('createGateway reads WEIR_HTTP', async (t) => {
  const gateways = ['own', 'node'].map((http) => createGateway({ variables: { WEIR_HTTP: http } }));
  cleanUp(t, () => Promise.all(gateways.map((gateway) => gateway.stop())));
  const urls = await Promise.all(gateways.map((gateway) => gateway.start()));
  assert.deepEqual(await Promise.all(urls.map((url) => statusOfUnknownMethod(t, url))), [404, 400]);
});

/** Weir's own parser accepts any method; `node:http` rejects those that it does not know. */
async function statusOfUnknownMethod(t: TestContext, url: string): Promise<number> {
  const raw = rawConnection(t, url);
  raw.send('BREW /pot HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
  const [head = '', body = ''] = (await raw.whole).split('\r\n\r\n');
  assert.match(body, /^\{"type":"error",/);
  return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
}
