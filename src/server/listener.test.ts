import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { call } from '../../test/support/call.ts';
import { cleanUp } from '../../test/support/clean-up.ts';
import { eventually } from '../../test/support/eventually.ts';
import { httpImplementations, patient } from '../../test/support/http-server.ts';
import { type HttpImplementation, HttpServer } from '../http/server.ts';
import { WebSocketConnection } from '../http/websocket.ts';
import { limits } from './limits.ts';
import { Listener } from './listener.ts';
import { WebSockets } from './web-sockets.ts';

async function setUp(t: TestContext, implementation: HttpImplementation) {
  const server = new HttpServer({
    ...patient,
    implementation,
    serve: (_, res) => res.writeHead(200, ['content-length', '4']).end(Buffer.from('here')),
  });
  const listener = await Listener.open(server, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  cleanUp(t, () => listener.close(0, () => undefined));
  cleanUp(t, () => agent.destroy());
  return { listener, url: listener.url, agent, server };
}

for (const implementation of httpImplementations) {
  test(`after handOver, each connection serves one more request and closes (${implementation})`, async (t) => {
    const { listener, url, agent } = await setUp(t, implementation);
    const first = await call(url, { path: '/', agent });
    assert.equal(first.headers.connection, 'keep-alive');
    const handedOver = listener.handOver(60_000);
    const last = await call(url, { path: '/', agent });
    assert.equal(last.text, 'here');
    assert.equal(last.headers.connection, 'close');
    await handedOver;
    await assert.rejects(call(url, { path: '/', agent }), { code: 'ECONNREFUSED' });
  });

  test(`handOver keeps a connection that has sent nothing yet (${implementation})`, async (t) => {
    const { listener, url, server } = await setUp(t, implementation);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await eventually(() => (server.connections === 1 ? true : undefined));
    const handedOver = listener.handOver(60_000);
    socket.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
    const [response] = await once(socket.setEncoding('utf8'), 'data');
    assert.match(String(response), /^HTTP\/1\.1 200 OK\r\n/);
    await handedOver;
  });

  test(`handOver ends at its timeout (${implementation})`, async (t) => {
    const { listener, url, agent } = await setUp(t, implementation);
    await call(url, { path: '/', agent });
    await listener.handOver(20);
  });

  test(`close ends idle connections at once (${implementation})`, async (t) => {
    const { listener, url, agent } = await setUp(t, implementation);
    await call(url, { path: '/', agent });
    await listener.close(60_000, () => assert.fail('the timeout was reached'));
  });

  test(`close closes WebSockets and waits for them (${implementation})`, async (t) => {
    const webSockets = new WebSockets();
    const server = new HttpServer({
      ...patient,
      implementation,
      mayUpgrade: () => true,
      serve(_, res) {
        const accepted = WebSocketConnection.accept(res, { headers: [], limits: limits.webSocket });
        if (accepted !== undefined) webSockets.add(accepted, 'account');
      },
    });
    const address = { host: '127.0.0.1', port: 0 };
    const listener = await Listener.open(server, address, () => webSockets.leave());
    const client = new WebSocket(listener.url.replace('http', 'ws'));
    cleanUp(t, () => client.terminate());
    await once(client, 'open');
    const closed = once(client, 'close');
    await listener.close(60_000, () => assert.fail('the timeout was reached'));
    assert.equal((await closed)[0], 1001);
    assert.equal(webSockets.size, 0);
  });
}
