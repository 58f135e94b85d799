import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { fuzzWebSockets } from '../../test/fuzz/fuzz-web-sockets.ts';
import { cleanUp } from '../../test/support/clean-up.ts';
import { httpImplementations, startHttp } from '../../test/support/http-server.ts';
import type { HttpImplementation } from './server.ts';
import { WebSocketConnection, type WebSocketLimits } from './websocket.ts';

const patientLimits: WebSocketLimits = {
  messageBytesMax: 1024 * 1024,
  unreadMessagesMax: 32,
  fragmentsMax: 100,
  controlFramesMax: 100,
  pingMs: 600_000,
  idleMs: 600_000,
  closeMs: 600_000,
  unsentBytesMax: 64 * 1024,
};

/** Both ends of a WebSocket. */
async function connectPair(
  t: TestContext,
  implementation: HttpImplementation,
  limits: Partial<WebSocketLimits>,
): Promise<{ readonly client: WebSocket; readonly served: WebSocketConnection }> {
  const accepted = Promise.withResolvers<WebSocketConnection>();
  const url = await startHttp(
    t,
    (_, res) => {
      const webSocket = WebSocketConnection.accept(res, {
        headers: [],
        limits: { ...patientLimits, ...limits },
      });
      if (webSocket !== undefined) accepted.resolve(webSocket);
    },
    { implementation, mayUpgrade: () => true },
  );
  const client = new WebSocket(url.replace('http', 'ws'));
  cleanUp(t, () => client.terminate());
  client.on('error', () => undefined);
  await once(client, 'open');
  return { client, served: await accepted.promise };
}

for (const implementation of httpImplementations) {
  test(`${implementation}: a client that answers no ping is disconnected`, async (t) => {
    const { client, served } = await connectPair(t, implementation, { pingMs: 20 });
    await once(client, 'ping');
    client.pause();
    assert.equal(await served.closed, 1006);
  });

  test(`${implementation}: a client that answers pings stays, until it has sent no message for too long`, async (t) => {
    const { client, served } = await connectPair(t, implementation, { pingMs: 50, idleMs: 500 });
    let pings = 0;
    client.on('ping', () => pings++);
    const [code] = await once(client, 'close');
    assert.equal(code, 1001);
    assert.equal(await served.closed, 1001);
    assert.ok(pings >= 2, `${pings} pings`);
  });

  test(`${implementation}: a client that reads nothing of what was sent is disconnected`, async (t) => {
    const { client, served } = await connectPair(t, implementation, { pingMs: 20 });
    client.pause();
    while (!served.isClosed) await served.send(Buffer.alloc(1024 * 1024));
    assert.equal(await served.closed, 1006);
  });

  test(`${implementation}: a client that does not answer a close frame is disconnected`, async (t) => {
    const { client, served } = await connectPair(t, implementation, { closeMs: 20 });
    client.pause();
    served.close(1000);
    assert.equal(await served.closed, 1006);
  });

  test(`${implementation}: hostile frames end their connection and nothing else`, async () => {
    const seed = Math.floor(Date.now() / 86_400_000);
    assert.ok((await fuzzWebSockets(implementation, { seed, ms: 1000 })) > 0, `seed ${seed}`);
  });
}
