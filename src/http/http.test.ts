import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { call } from '../../test/support/call.ts';
import { cleanUp } from '../../test/support/clean-up.ts';
import { eventually } from '../../test/support/eventually.ts';
import { httpImplementations, patient, startHttp } from '../../test/support/http-server.ts';
import { rawConnection } from '../../test/support/raw-connection.ts';
import type { HttpRequest } from './request.ts';
import { parseHead } from './request-head.ts';
import type { HttpResponse } from './response.ts';
import { type HttpImplementation, HttpServer, type ServerOptions } from './server.ts';

const plainText = ['content-type', 'text/plain'];
const chunked = 'HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n';
const responsesIn = (text: string) => text.split('HTTP/1.1 ').slice(1);
const statusesIn = (text: string) => responsesIn(text).map((response) => response.slice(0, 3));

/** Responds with the method, target and body of the request. */
async function echo(req: HttpRequest, res: HttpResponse): Promise<void> {
  const body = await bodyOf(req);
  const content = Buffer.from(`${req.method} ${req.target} ${body}`);
  res.writeHead(200, [...plainText, 'content-length', String(content.byteLength)]).end(content);
}

function respondEmpty(res: HttpResponse): void {
  res.writeHead(200, ['content-length', '0']).end();
}

async function writeForever(res: HttpResponse): Promise<void> {
  while (!res.isClosed) if (!res.write(' '.repeat(16 * 1024))) await res.waitForDrain();
}

function bodyOf({ body }: HttpRequest): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) =>
    body.read({
      onChunk: (bytes) => chunks.push(bytes),
      onEnd: () => resolve(Buffer.concat(chunks).toString('latin1')),
      onAbort: () => reject(new Error('the client has left')),
    }),
  );
}

function discardBody({ body }: HttpRequest, onEnd: () => void = () => undefined): void {
  body.read({ onChunk: () => undefined, onEnd, onAbort: () => undefined });
}

for (const implementation of httpImplementations)
  describe(`HTTP (${implementation})`, () => httpTests(implementation));

function httpTests(implementation: HttpImplementation): void {
  const start = (t: TestContext, serve: ServerOptions['serve']) => startHttp(t, serve, { implementation });

  test('requests sent ahead are answered in order, one at a time, however the bytes are split', async (t) => {
    let open = 0;
    const url = await start(t, async (req, res) => {
      assert.equal(++open, 1);
      await nextTurn();
      open--;
      await echo(req, res);
    });
    const sent = [
      'POST /1 HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc',
      '\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\n\r\n',
      'POST /3 HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: Chunked\r\n\r\n4;why=not\r\nabcd\r\nA\r\n0123456789\r\n0\r\nx-late: 1\r\n\r\n',
      'POST /4 HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
    ].join('');
    for (const size of [1, 2, 7, 40, sent.length]) {
      const raw = rawConnection(t, url);
      for (let at = 0; at < sent.length; at += size) {
        raw.send(sent.slice(at, at + size));
        await nextTurn();
      }
      const bodies = responsesIn(await raw.whole).map((response) => response.split('\r\n\r\n')[1]);
      assert.deepEqual(bodies, ['POST /1 abc', 'GET /2 ', 'POST /3 abcd0123456789', 'POST /4 ']);
    }
  });

  test('each turn of the event loop answers one of many requests sent ahead', async (t) => {
    const count = 100;
    let served = 0;
    let most = 0;
    const url = await start(t, (_, res) => {
      served++;
      respondEmpty(res);
    });
    rawConnection(t, url).send('GET / HTTP/1.1\r\n\r\n'.repeat(count));
    for (let before = 0; served < count; before = served) {
      await nextTurn();
      most = Math.max(most, served - before);
    }
    assert.ok(most <= 2, `${most} in one turn`);
  });

  test('requests before a malformed one are answered', async (t) => {
    const url = await start(t, async (req, res) => {
      await nextTurn();
      await echo(req, res);
    });
    const good = 'GET / HTTP/1.1\r\n\r\n';
    for (const bad of ['no request\r\n\r\n', 'POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n']) {
      const raw = rawConnection(t, url);
      raw.send(good + good + bad + good);
      assert.deepEqual(statusesIn(await raw.whole), ['200', '200']);
    }
  });

  test('a connection stays usable after each kind of body, taken or read', async (t) => {
    const url = await start(t, (req, res) => {
      if (req.target === '/taken' && req.body.isComplete) {
        req.body.take();
        respondEmpty(res);
      } else discardBody(req, () => respondEmpty(res));
    });
    const kinds = [
      ['content-length: 3\r\n\r\n', 'abc'],
      ['transfer-encoding: chunked\r\n\r\n', '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'],
    ] as const;
    for (const [head, body] of kinds)
      for (const target of ['/taken', '/read']) {
        const raw = rawConnection(t, url);
        const answered = (count: number) =>
          eventually(() => responsesIn(raw.text()).length === count || undefined);
        const begin = `POST ${target} HTTP/1.1\r\n${head}`;
        raw.send(`${begin}${body}`);
        await answered(1);
        raw.send(begin);
        await nextTurn();
        raw.send(`${body}GET / HTTP/1.1\r\n\r\n`);
        await answered(3);
      }
  });

  test('a response without a length is chunked for HTTP/1.1, ends the connection for HTTP/1.0, and has no body for HEAD', async (t) => {
    const url = await start(t, (_, res) => {
      res.writeHead(200, plainText);
      res.flushHead();
      res.write('one ');
      res.write(Buffer.alloc(0));
      res.write(Buffer.alloc(40_000, 'x'));
      res.end(Buffer.from(' last'));
    });
    const expected = `one ${'x'.repeat(40_000)} last`;
    const response = await call(url, { path: '/' });
    assert.equal(response.text, expected);
    assert.equal(response.headers['transfer-encoding'], 'chunked');
    const old = rawConnection(t, url);
    old.send('GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
    const [head = '', body] = (await old.whole).split('\r\n\r\n');
    assert.equal(body, expected);
    assert.match(head, /\r\nconnection: close/);
    const headOnly = await call(url, { path: '/', method: 'HEAD' });
    assert.equal(headOnly.status, 200);
    assert.equal(headOnly.text, '');
  });

  test('headers keep their order, spelling and bytes in both directions', async (t) => {
    const received: (readonly string[])[] = [];
    const url = await start(t, (req, res) => {
      received.push(req.headers);
      assert.equal(req.header('x-a'), '1, 3');
      res.writeHead(200, ['X-B', '\xe9', 'x-a', '1', 'X-b', '2', 'content-length', '2']);
      if (req.target === '/flush') res.flushHead();
      res.end('ok');
    });
    for (const path of ['/', '/flush']) {
      const raw = rawConnection(t, url);
      raw.send(
        Buffer.from(
          `GET ${path} HTTP/1.1\r\nX-A: 1\r\nx-b:  \xe9 \r\nx-a: 3\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n`,
          'latin1',
        ),
      );
      await eventually(() => raw.text().endsWith('\r\n\r\nok') || undefined);
      assert.match(
        raw.text(),
        /^HTTP\/1\.1 200 OK\r\nX-B: \xe9\r\nx-a: 1\r\nX-b: 2\r\ncontent-length: 2\r\ndate: .{29}\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\n\r\nok$/,
      );
    }
    const sent = ['X-A', '1', 'x-b', '\xe9', 'x-a', '3', 'Connection', 'upgrade', 'Upgrade', 'h2c'];
    assert.deepEqual(received, [sent, sent]);
  });

  test('a connection stays open unless one side asks to close it', async (t) => {
    const url = await start(t, (req, res) => {
      const own = req.target === '/close' ? ['connection', 'close'] : [];
      res.writeHead(200, ['content-length', '0', ...own]).end();
    });
    for (const [sent, staysOpen] of [
      ['GET / HTTP/1.1\r\n\r\n', true],
      ['GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n', false],
      ['GET /close HTTP/1.1\r\n\r\n', false],
      ['GET / HTTP/1.0\r\n\r\n', false],
      ['GET / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n', true],
    ] as const) {
      const raw = rawConnection(t, url);
      raw.send(sent);
      await eventually(() => raw.text().endsWith('\r\n\r\n') || undefined);
      if (!staysOpen) await raw.whole;
      assert.match(
        raw.text(),
        staysOpen ? /\r\nconnection: keep-alive\r\n/ : /\r\nconnection: close\r\n/,
        sent,
      );
      raw.send('GET / HTTP/1.1\r\n\r\n');
      if (staysOpen) await eventually(() => responsesIn(raw.text()).length === 2 || undefined);
    }
  });

  test('100 Continue is sent when the body is read, and not before', async (t) => {
    const wanted = Promise.withResolvers<void>();
    const url = await start(t, async (req, res) => {
      await wanted.promise;
      await echo(req, res);
    });
    const raw = rawConnection(t, url);
    raw.send('POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-Continue\r\ncontent-length: 2\r\n\r\n');
    await nextTurn();
    assert.equal(raw.text(), '');
    wanted.resolve();
    await eventually(() => raw.text() === 'HTTP/1.1 100 Continue\r\n\r\n' || undefined);
    raw.send('ok');
    await eventually(() => raw.text().endsWith('POST / ok') || undefined);
  });

  test('100 Continue is not sent after the final status', async (t) => {
    const url = await start(t, (req, res) => {
      res.writeHead(413, ['content-length', '0', 'connection', 'close', 'date', 'today']);
      res.flushHead();
      discardBody(req);
      res.end();
    });
    const raw = rawConnection(t, url);
    raw.send('POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n');
    assert.equal(
      await raw.whole,
      'HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\nconnection: close\r\ndate: today\r\n\r\n',
    );
  });

  test('a client that leaves is noticed while it sends, while it waits and with a request sent ahead', async (t) => {
    const events: string[] = [];
    const url = await start(t, (req, res) => {
      events.push(`request ${req.target}`);
      res.onAbort(() => events.push(`response aborted ${req.target}`));
      bodyOf(req).catch(() => events.push(`body aborted ${req.target}`));
    });
    for (const [sent, expected] of [
      [
        'POST /1 HTTP/1.1\r\ncontent-length: 9\r\n\r\nabc',
        ['request /1', 'body aborted /1', 'response aborted /1'],
      ],
      ['GET /2 HTTP/1.1\r\n\r\n', ['request /2', 'response aborted /2']],
      ['GET /3 HTTP/1.1\r\n\r\nGET /4 HTTP/1.1\r\n\r\n', ['request /3', 'response aborted /3']],
    ] as const) {
      const raw = rawConnection(t, url);
      raw.send(sent);
      await eventually(() => events.length > 0 || undefined);
      raw.end();
      await eventually(() => events.length === expected.length || undefined);
      assert.deepEqual(events.splice(0).toSorted(), [...expected].toSorted());
      await raw.whole;
    }
  });

  test('a client that does not read its responses gets no further ones', async (t) => {
    let served = 0;
    const content = Buffer.alloc(640 * 1024, 'x');
    const url = await start(t, (_, res) => {
      served++;
      res.writeHead(200, ['content-length', String(content.byteLength)]).end(content);
    });
    const raw = rawConnection(t, url);
    raw.pause();
    const count = 100;
    raw.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count));
    let before = -1;
    await eventually(async () => {
      const isStill = served === before && served > 0;
      before = served;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return isStill || undefined;
    });
    assert.ok(served < count, `${served} responses were made`);
    raw.resume();
    await eventually(() => served === count || undefined);
  });

  test('a response that is cut off looks incomplete, also in HTTP/1.0', async (t) => {
    const cut = Promise.withResolvers<void>();
    const url = await start(t, async (_, res) => {
      res.writeHead(200, plainText).write('half of it');
      await cut.promise;
      res.destroy();
    });
    for (const version of ['1.0', '1.1']) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`GET / HTTP/${version}\r\n\r\n`);
      const [received] = await once(socket.setEncoding('latin1'), 'data');
      cut.resolve();
      if (version === '1.0') await assert.rejects(once(socket, 'end'), { code: 'ECONNRESET' });
      else assert.ok(!String(received).endsWith('0\r\n\r\n'));
      socket.destroy();
    }
  });

  test('a malformed body gets an error response unless a response has begun; bytes after a response get none', async (t) => {
    const url = await start(t, (req, res) => {
      if (req.target === '/begun') {
        res.writeHead(200, ['content-length', '9']).flushHead();
        discardBody(req);
      } else echo(req, res).catch(() => undefined);
    });
    for (const [first, second, expected] of [
      ['GET / HTTP/1.1\r\n\r\n', 'no request\r\n\r\n', ['200']],
      [`GET / HTTP/1.1\r\n\r\nPOST / ${chunked}`, 'no chunk\r\n', ['200', '400']],
      [`POST / ${chunked.replace('\r\n', '\r\nexpect: 100-continue\r\n')}`, 'no chunk\r\n', ['100', '400']],
      [`POST /begun ${chunked}`, 'no chunk\r\n', ['200']],
    ] as const) {
      const raw = rawConnection(t, url);
      raw.send(first);
      await eventually(() => raw.text() !== '' || undefined);
      await nextTurn();
      raw.send(second);
      assert.deepEqual(statusesIn(await raw.whole), expected);
    }
  });

  test('a request that Weir cannot serve gets the error of its kind', async (t) => {
    const url = await start(t, echo);
    for (const [sent, kind] of [
      ['CONNECT example.com:443 HTTP/1.1\r\n\r\n', 'malformed'],
      ['GET x HTTP/1.1\r\n\r\n', 'malformed'],
      ['GET / HTTP/1.1\r\nexpect: a-miracle\r\n\r\n', 'expectation'],
      [`GET / HTTP/1.1\r\nx: ${'y'.repeat(33_000)}\r\n\r\n`, 'too_large'],
      [`GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(201)}\r\n`, 'too_large'],
      [`POST / ${chunked}1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`, 'too_large'],
    ] as const) {
      const raw = rawConnection(t, url);
      raw.send(sent);
      assert.match(await raw.whole, new RegExp(`^HTTP/1\\.1 400 ${kind}\r\n`), sent.slice(0, 60));
    }
    const raw = rawConnection(t, url);
    raw.send(`GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(199)}connection: close\r\n\r\n`);
    assert.deepEqual(statusesIn(await raw.whole), ['200']);
  });

  test('a response with invalid headers is not sent', async (t) => {
    const refused: unknown[] = [];
    const url = await start(t, (_, res) => {
      const many = Array.from({ length: 200 }, () => 'x-a');
      for (const headers of [
        ['x-a', 'b\r\nx-c: d'],
        [...many, 'x-a', 'b\r\nx-c: d'],
        ['x a', 'b'],
        ['x-a\r\n', 'b'],
        ['x-a', '水'],
      ])
        try {
          res.writeHead(200, headers);
        } catch (thrown) {
          refused.push(thrown);
        }
      res.writeHead(204, []).end();
    });
    const { status, rawHeaders } = await call(url, { path: '/' });
    assert.equal(status, 204);
    assert.equal(refused.length, 5);
    assert.ok(!rawHeaders.some((text) => text.includes('x-')));
  });

  test('a trailer about framing, routing or content is rejected', async (t) => {
    const url = await start(t, (req, res) => discardBody(req, () => respondEmpty(res)));
    const responseTo = (trailer: string) => {
      const raw = rawConnection(t, url);
      const next = 'GET /next HTTP/1.1\r\nconnection: close\r\n\r\n';
      raw.send(`POST / ${chunked}1\r\na\r\n0\r\n${trailer}\r\n\r\n${next}`);
      return raw.whole;
    };
    for (const name of [
      'Content-Length',
      'transfer-encoding',
      'HOST',
      'trailer',
      'connection',
      'content-encoding',
    ])
      assert.match(await responseTo(`x-sum: 1\r\n${name}: 1`), /^HTTP\/1\.1 400 malformed\r\n/, name);
    assert.equal(responsesIn(await responseTo('x-sum: 1\r\ncontent-length-of-it: 1')).length, 2);
  });

  test('a body of small chunks costs little CPU, and is rejected if it has too many', async (t) => {
    let read = 0;
    const url = await start(t, ({ body }, res) =>
      body.read({
        onChunk(bytes) {
          read += bytes.byteLength;
        },
        onEnd: () => respondEmpty(res),
        onAbort: () => undefined,
      }),
    );
    const responseTo = (chunk: string, count: number) => {
      const raw = rawConnection(t, url);
      raw.send(`POST / ${chunked}${chunk.repeat(count)}0\r\n\r\nGET / HTTP/1.1\r\nconnection: close\r\n\r\n`);
      return raw.whole;
    };
    const begun = process.cpuUsage();
    assert.equal(responsesIn(await responseTo('1\r\nx\r\n', 60_000)).length, 2);
    assert.equal(read, 60_000);
    assert.equal(responsesIn(await responseTo('10\r\n0123456789abcdef\r\n', 80_000)).length, 2);
    assert.match(await responseTo('1\r\nx\r\n', 160_000), /^HTTP\/1\.1 400 tiny_chunks\r\n/);
    assert.match(
      await responseTo('f;a=b\r\n0123456789abcde\r\n', 160_000),
      /^HTTP\/1\.1 400 tiny_chunks\r\n/,
    );
    const { user, system } = process.cpuUsage(begun);
    // node:http calls JavaScript for each chunk, and those that arrive before the request is served are not counted.
    const most = implementation === 'own' ? 1_000_000 : 4_000_000;
    assert.ok(user + system < most, `${user + system} µs of CPU`);
  });
}

test('parsing a head takes linear time', () => {
  const long = 30_000;
  const before = process.cpuUsage();
  for (const lines of [
    `connection: a${' '.repeat(long)}b\r\n`,
    `connection: ${','.repeat(long)}\r\n`,
    `transfer-encoding: ${' '.repeat(long)}chunked\r\n`,
    `x:${'\t '.repeat(long / 2)}\r\n`,
    `a:${' '.repeat(100)}\r\n`.repeat(200),
  ])
    parseHead(`POST /${'%'.repeat(1000)} HTTP/1.1\r\n${lines}`);
  assert.throws(() => parseHead(`POST / HTTP/1.1\r\n${'a:\r\n'.repeat(long / 4)}`), { kind: 'too_large' });
  // The first one once took seven seconds.
  assert.ok(process.cpuUsage(before).user < 2e6);
});

test('a slow request gets an error response, an idle connection closes, and a slow reader gets everything', async (t) => {
  await Promise.all(httpImplementations.map((implementation) => checkTimeouts(t, implementation)));
});

async function checkTimeouts(t: TestContext, implementation: HttpImplementation): Promise<void> {
  const content = Buffer.alloc(16 * 1024 * 1024, 'x');
  const cut = Promise.withResolvers<void>();
  const served = new Map(['/endless', '/'].map((target) => [target, Promise.withResolvers<boolean>()]));
  const server = new HttpServer({
    ...patient,
    implementation,
    ...{ headMs: 30, requestMs: 30, idleMs: 30 },
    serve(req, res) {
      served.get(req.target)?.resolve(true);
      if (req.target === '/endless') {
        res.onAbort(cut.resolve);
        res.writeHead(200, plainText);
        void writeForever(res);
      } else if (req.method === 'POST') bodyOf(req).catch(() => undefined);
      else res.writeHead(200, ['content-length', String(content.byteLength)]).end(content);
    },
  });
  const url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
  cleanUp(t, () => {
    const closed = server.close();
    server.closeAllConnections();
    return closed;
  });
  // On a busy machine a request can be too late itself, and is then made again.
  const connectionServed = async (target: string) => {
    for (;;) {
      const connection = rawConnection(t, url);
      connection.send(`GET ${target} HTTP/1.1\r\n\r\n`);
      const isServed = await Promise.race([served.get(target)?.promise, connection.whole.then(() => false)]);
      if (isServed) return connection;
    }
  };
  const stuck = await connectionServed('/endless');
  stuck.pause();
  const slowReader = await connectionServed('/');
  slowReader.pause();
  const slowRequests = ['GET / HTTP/1.1\r\nhost:', 'POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab', ''];
  const responses = slowRequests.map((sent) => {
    const raw = rawConnection(t, url);
    raw.send(sent);
    return raw.whole;
  });
  const tooLate = /^HTTP\/1\.1 400 too_late\r\n/;
  const [head = '', body = '', nothing] = await Promise.all(responses);
  assert.match(head, tooLate);
  assert.match(body, tooLate);
  assert.equal(nothing, '');
  await cut.promise;
  server.closeIdleConnections();
  slowReader.resume();
  await eventually(() => slowReader.text().split('\r\n\r\n')[1]?.length === content.byteLength || undefined);
}

test('node:http closes a connection after 100 requests sent ahead', async (t) => {
  const url = await startHttp(t, (_, res) => respondEmpty(res), { implementation: 'node' });
  const raw = rawConnection(t, url);
  raw.send('GET / HTTP/1.1\r\n\r\n'.repeat(1000));
  const responses = responsesIn(await raw.whole);
  assert.equal(responses.length, 100);
  assert.deepEqual(
    responses.map((response) => response.includes('\r\nconnection: close\r\n')),
    responses.map((_, at) => at === 99),
  );
});
