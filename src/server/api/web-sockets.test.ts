import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { call } from '../../../test/support/call.ts';
import { cleanUp } from '../../../test/support/clean-up.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { httpImplementations } from '../../../test/support/http-server.ts';
import { type ServedRoutes, serveRoutes } from '../../../test/support/own-routes.ts';
import { rawConnection } from '../../../test/support/raw-connection.ts';
import type { HttpImplementation } from '../../http/server.ts';
import type { WebSocketConnection } from '../../http/websocket.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { headerOf } from '../../lib/headers.ts';
import { limits } from '../limits.ts';
import { defineRoute, defineWebSocket } from './define-route.ts';
import { noBody } from './json-body.ts';
import type { Route, WebSocketRoute } from './route.ts';

const mebibyte = 1024 * 1024;
const key = 'dGhlIHNhbXBsZSBub25jZQ==';

/** Callers name themselves; `nobody` is rejected. */
const byName = {
  name: 'key',
  async check({ headers }: { readonly headers: readonly string[] }) {
    const accountId = headerOf(headers, 'x-name') ?? 'somebody';
    if (accountId === 'nobody') throw new GatewayError('authentication_required', 'who is it?');
    return { accountId };
  },
} as const;

function socketRoute(serve: (webSocket: WebSocketConnection) => Promise<void>): WebSocketRoute {
  return defineWebSocket({
    path: '/socket/:id',
    summary: 'A WebSocket',
    tag: 'Test',
    access: byName,
    protocols: ['second', 'first'],
    messageBytesMax: mebibyte,
    serve,
  });
}

async function echo(webSocket: WebSocketConnection): Promise<void> {
  for await (const { data, isBinary } of webSocket) await webSocket.send(isBinary ? data : data.toString());
}

const plain = defineRoute({
  method: 'GET',
  path: '/plain',
  summary: 'Not for WebSockets',
  tag: 'Test',
  access: byName,
  body: noBody,
  responses: { 200: { description: 'Text' } },
  handle: () => ({ body: 'plain' }),
});

function serveSockets(
  t: TestContext,
  implementation: HttpImplementation,
  serve = echo,
  more: readonly Route[] = [],
): Promise<ServedRoutes> {
  return serveRoutes(t, [plain, socketRoute(serve), ...more], implementation);
}

type ClientHeaders = Readonly<Record<string, string>>;

async function open(
  t: TestContext,
  url: string,
  headers: ClientHeaders = {},
  protocols: readonly string[] = [],
): Promise<WebSocket> {
  const client = new WebSocket(`${url.replace('http', 'ws')}/socket/1`, protocols, { headers });
  cleanUp(t, () => client.terminate());
  client.on('error', () => undefined);
  await once(client, 'open');
  return client;
}

async function closeCodeOf(client: WebSocket): Promise<number> {
  const [code] = await once(client, 'close');
  return Number(code);
}

/** The status with which an upgrade is rejected. */
function handshake(fields: ClientHeaders, path = '/socket/1', method = 'GET'): string {
  const all = {
    host: 'x',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    ...fields,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A frame of a client, with a mask of zeros. */
function frame(opcode: number, payload: Uint8Array, fin = true): Buffer {
  const head = Buffer.from([(fin ? 0x80 : 0) | opcode, 0x80 | payload.byteLength, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

for (const implementation of httpImplementations) {
  const name = (text: string) => `${implementation}: ${text}`;

  test(name('messages arrive whole and in order, with both clients'), async (t) => {
    const { url } = await serveSockets(t, implementation);
    const client = await open(t, url, {}, ['first', 'second']);
    assert.equal(client.protocol, 'second');
    const large = Buffer.alloc(mebibyte, 7);
    const answers: (readonly [Buffer, boolean])[] = [];
    client.on('message', (data, isBinary) => answers.push([data, isBinary]));
    client.send('one', {});
    client.send(large, { binary: true });
    client.send('tw', { binary: false, fin: false });
    client.send('o', { binary: false, fin: true });
    await eventually(() => (answers.length === 3 ? answers : undefined));
    assert.deepEqual(
      answers.map(([data, isBinary]) => [data.byteLength, isBinary]),
      [
        [3, false],
        [mebibyte, true],
        [3, false],
      ],
    );
    client.close(1000);
    assert.equal(await closeCodeOf(client), 1000);
    const browser = new globalThis.WebSocket(`${url.replace('http', 'ws')}/socket/1`);
    await once(browser, 'open');
    browser.send('from undici');
    const [event] = await once(browser, 'message');
    assert.equal(event.data, 'from undici');
    browser.close();
    await once(browser, 'close');
  });

  test(name('bytes that follow the handshake at once are the first frame'), async (t) => {
    const { url } = await serveSockets(t, implementation);
    const raw = rawConnection(t, url);
    raw.send(Buffer.concat([Buffer.from(handshake({})), frame(1, Buffer.from('early'))]));
    const text = await eventually(() => (raw.text().endsWith('early') ? raw.text() : undefined));
    assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
    assert.match(text, /sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/i);
    assert.match(text, /x-request-id: req_1\r\n/);
    assert.doesNotMatch(text, /sec-websocket-extensions/i);
  });

  test(name('a wrong handshake is an ordinary response'), async (t) => {
    const { url } = await serveSockets(t, implementation);
    const statusOf = async (request: string) => {
      const raw = rawConnection(t, url);
      raw.send(request);
      return (await eventually(() => /^HTTP\/1\.1 (\d+) /.exec(raw.text()) ?? undefined))[1];
    };
    assert.equal(await statusOf(handshake({ 'sec-websocket-version': '8' })), '426');
    assert.equal(await statusOf(handshake({ 'sec-websocket-version': '' })), '426');
    assert.equal(await statusOf(handshake({ 'sec-websocket-key': 'c2hvcnQ=' })), '400');
    assert.equal(await statusOf(handshake({ connection: 'keep-alive' })), '426');
    assert.equal(await statusOf(handshake({ upgrade: 'h2c' })), '426');
    assert.equal(await statusOf(handshake({ 'content-length': '1' })), '426');
    assert.equal(await statusOf(handshake({}, '/socket/1', 'POST')), '405');
    assert.equal(await statusOf(handshake({ 'x-name': 'nobody' })), '401');
    assert.equal(await statusOf(handshake({ origin: 'https://elsewhere.example' })), '403');
    assert.equal(await statusOf(handshake({}, '/nowhere')), '404');
    const plainly = await call(url, { path: '/socket/1' });
    assert.deepEqual([plainly.status, plainly.headers.upgrade], [426, 'websocket']);
    assert.equal((await call(url, { path: '/plain' })).status, 200);
  });

  test(name('an upgrade of an ordinary route is ignored, and the connection stays open'), async (t) => {
    const { url } = await serveSockets(t, implementation);
    const raw = rawConnection(t, url);
    raw.send(handshake({}, '/plain'));
    await eventually(() => (raw.text().endsWith('plain') ? true : undefined));
    raw.send(handshake({ upgrade: 'h2c' }, '/plain'));
    await eventually(() => (raw.text().match(/HTTP\/1\.1 200/g)?.length === 2 ? true : undefined));
    assert.equal(raw.ended(), false);
  });

  test(name('messages and frames over their limits close the connection'), async (t) => {
    const { url, webSockets } = await serveSockets(t, implementation);
    const large = await open(t, url);
    large.send(Buffer.alloc(mebibyte + 1), {});
    assert.equal(await closeCodeOf(large), 1009);
    const split = await open(t, url);
    for (let at = 0; at <= limits.webSocket.fragmentsMax; at++) split.send('x', { fin: false });
    assert.equal(await closeCodeOf(split), 1008);
    const pinging = await open(t, url);
    for (let at = 0; at <= limits.webSocket.controlFramesMax; at++) pinging.ping();
    assert.equal(await closeCodeOf(pinging), 1008);
    await eventually(() => (webSockets.size === 0 ? true : undefined));
  });

  test(name('broken frames end the connection and nothing else'), async (t) => {
    const { url, webSockets } = await serveSockets(t, implementation);
    const broken: readonly Buffer[] = [
      Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
      Buffer.from([0x81, 0x01, 65]),
      frame(3, Buffer.alloc(0)),
      frame(9, Buffer.alloc(0), false),
      frame(1, Buffer.from([0xff, 0xfe])),
      frame(0, Buffer.alloc(0)),
      frame(8, Buffer.from([0x03])),
      Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    ];
    for (const bytes of broken) {
      const raw = rawConnection(t, url);
      raw.send(handshake({}));
      await eventually(() => (raw.text().includes('\r\n\r\n') ? true : undefined));
      raw.send(bytes);
      await raw.whole;
      raw.end();
    }
    await eventually(() => (webSockets.size === 0 ? true : undefined));
    assert.equal((await call(url, { path: '/plain' })).status, 200);
  });

  test(
    name('a client that reads nothing pauses the route, a route that reads nothing pauses the client'),
    async (t) => {
      let sent = 0;
      const { url } = await serveSockets(t, implementation, async (webSocket) => {
        for (; !webSocket.isClosed; sent++) await webSocket.send(Buffer.alloc(mebibyte));
      });
      const client = await open(t, url);
      client.pause();
      let last = -1;
      while (last !== sent) {
        last = sent;
        for (let turn = 0; turn < 200; turn++) await nextTurn();
      }
      assert.ok(sent < 32, `${sent} messages were sent to a client that reads none`);
      client.terminate();
      const silent = await serveSockets(
        t,
        implementation,
        async (webSocket) => void (await webSocket.closed),
      );
      const writer = await open(t, silent.url);
      for (let at = 0; at < 64; at++) writer.send(Buffer.alloc(mebibyte), {});
      for (let turn = 0; turn < 400; turn++) await nextTurn();
      assert.ok(writer.bufferedAmount > 32 * mebibyte, `${writer.bufferedAmount} bytes are left`);
    },
  );

  test(name('a client that leaves ends the messages, and sending to it'), async (t) => {
    const ended = Promise.withResolvers<number>();
    const { url, webSockets, logLines } = await serveSockets(t, implementation, async (webSocket) => {
      await echo(webSocket);
      await webSocket.send('too late');
      ended.resolve(await webSocket.closed);
    });
    const client = await open(t, url);
    client.terminate();
    assert.equal(await ended.promise, 1006);
    assert.equal(webSockets.size, 0);
    assert.deepEqual(logLines, []);
  });

  test(name('a route that ends closes the connection, one that fails says so in the log'), async (t) => {
    const { url } = await serveSockets(t, implementation, async (webSocket) => void (await webSocket.next()));
    const client = await open(t, url);
    client.send('enough', {});
    assert.equal(await closeCodeOf(client), 1000);
    const failing = await serveSockets(t, implementation, async () => assert.fail('a bug'));
    assert.equal(await closeCodeOf(await open(t, failing.url)), 1011);
    assert.match(failing.logLines.join(''), /a WebSocket failed/);
  });

  test(name('the WebSockets of an account are limited'), async (t) => {
    const { url } = await serveSockets(t, implementation);
    const clients = Array.from({ length: limits.webSocketsPerAccountMax }, () =>
      open(t, url, { 'x-name': 'a' }),
    );
    const [first] = await Promise.all(clients);
    const raw = rawConnection(t, url);
    raw.send(handshake({ 'x-name': 'a' }));
    await eventually(() => (raw.text().includes('concurrency_limit') ? true : undefined));
    await open(t, url, { 'x-name': 'b' });
    first?.close();
    await once(first ?? assert.fail(), 'close');
    await open(t, url, { 'x-name': 'a' });
  });

  test(name('a shutdown closes WebSockets, after the work of routes that ask for it'), async (t) => {
    const { url, webSockets } = await serveSockets(t, implementation);
    const client = await open(t, url);
    const closing = closeCodeOf(client);
    webSockets.leave();
    assert.equal(await closing, 1001);
    const working = await serveSockets(t, implementation, async (webSocket) => {
      webSocket.onLeaving(() => void webSocket.send('last words').then(() => webSocket.close(1001)));
      await webSocket.closed;
    });
    const listener = await open(t, working.url);
    working.webSockets.leave();
    const [data] = await once(listener, 'message');
    assert.equal(data.toString(), 'last words');
    assert.equal(await closeCodeOf(listener), 1001);
  });
}
