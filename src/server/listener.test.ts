import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { call } from '../../test/support/call.ts';
import { cleanUp } from '../../test/support/clean-up.ts';
import { eventually } from '../../test/support/eventually.ts';
import { patient } from '../../test/support/http-server.ts';
import { HttpServer } from '../http/server.ts';
import { Listener } from './listener.ts';

async function setUp(t: TestContext) {
  const server = new HttpServer({
    ...patient,
    serve: (_, res) => res.writeHead(200, ['content-length', '4']).end(Buffer.from('here')),
  });
  const listener = await Listener.open(server, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  cleanUp(t, () => listener.close(0, () => undefined));
  cleanUp(t, () => agent.destroy());
  return { listener, url: listener.url, agent, server };
}

test('a listener that hands over serves what it has for one more request, and then closes it', async (t) => {
  const { listener, url, agent } = await setUp(t);
  const first = await call(url, { path: '/', agent });
  assert.equal(first.headers.connection, 'keep-alive');
  const over = listener.handOver(60_000);
  const last = await call(url, { path: '/', agent });
  assert.equal(last.text, 'here');
  assert.equal(last.headers.connection, 'close');
  await over;
  await assert.rejects(call(url, { path: '/', agent }), { code: 'ECONNREFUSED' });
});

test('a connection that was only opened is not closed under the request that may be on its way', async (t) => {
  const { listener, url, server } = await setUp(t);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await eventually(() => (server.connections === 1 ? true : undefined));
  const over = listener.handOver(60_000);
  socket.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  const [answer] = await once(socket.setEncoding('utf8'), 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n/);
  await over;
});

test('handing over waits no longer than its timeout', async (t) => {
  const { listener, url, agent } = await setUp(t);
  await call(url, { path: '/', agent });
  await listener.handOver(20);
});
