import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { call } from '../../test/support/call.ts';
import { cleanUp } from '../../test/support/clean-up.ts';
import { eventually } from '../../test/support/eventually.ts';
import { patient, startHttp } from '../../test/support/http-server.ts';
import { rawConnection } from '../../test/support/raw-connection.ts';
import type { HttpRequest } from './request.ts';
import { parseHead } from './request-head.ts';
import type { HttpResponse } from './response.ts';
import { HttpServer } from './server.ts';

const text = ['content-type', 'text/plain'];

/** Answers with what was asked for. */
async function echo(req: HttpRequest, res: HttpResponse): Promise<void> {
  const body = await bodyOf(req);
  const answer = Buffer.from(`${req.method} ${req.target} ${body}`);
  res.writeHead(200, [...text, 'content-length', String(answer.byteLength)]).end(answer);
}

function bodyOf({ body }: HttpRequest): Promise<string> {
  const pieces: Buffer[] = [];
  return new Promise((resolve, reject) =>
    body.read({
      onChunk: (bytes) => pieces.push(bytes),
      onEnd: () => resolve(Buffer.concat(pieces).toString('latin1')),
      onAbort: () => reject(new Error('the client has left')),
    }),
  );
}

const chunked = 'HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n';
const statuses = (whole: string) => answers(whole).map((answer) => answer.slice(0, 3));
const answers = (whole: string) => whole.split('HTTP/1.1 ').slice(1);

test('requests that are sent ahead are answered one after the other, however they are cut', async (t) => {
  let open = 0;
  const url = await startHttp(t, async (req, res) => {
    assert.equal(++open, 1, 'one at a time');
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
    const bodies = answers(await raw.whole).map((answer) => answer.split('\r\n\r\n')[1]);
    assert.deepEqual(bodies, ['POST /1 abc', 'GET /2 ', 'POST /3 abcd0123456789', 'POST /4 ']);
  }
});

test('who sends many requests at once has one of them answered in each turn', async (t) => {
  const count = 200;
  let served = 0;
  let most = 0;
  const url = await startHttp(t, (_, res) => {
    served++;
    res.writeHead(200, ['content-length', '0']).end();
  });
  rawConnection(t, url).send('GET / HTTP/1.1\r\n\r\n'.repeat(count));
  for (let before = 0; served < count; before = served) {
    await nextTurn();
    most = Math.max(most, served - before);
  }
  assert.ok(most <= 2, `${most} in one turn`);
});

test('a connection goes on after each kind of body, taken or read, whatever came with its end', async (t) => {
  const url = await startHttp(t, ({ target, body }, res) => {
    const answer = () => void res.writeHead(200, ['content-length', '0']).end();
    if (target === '/taken' && body.isComplete) {
      body.take();
      answer();
    } else body.read({ onChunk: () => undefined, onEnd: answer, onAbort: () => undefined });
  });
  const kinds = [
    ['content-length: 3\r\n\r\n', 'abc'],
    ['transfer-encoding: chunked\r\n\r\n', '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'],
  ] as const;
  for (const [head, body] of kinds)
    for (const target of ['/taken', '/read']) {
      const raw = rawConnection(t, url);
      const answered = (count: number) => eventually(() => answers(raw.text()).length === count || undefined);
      const begin = `POST ${target} HTTP/1.1\r\n${head}`;
      raw.send(`${begin}${body}`);
      await answered(1);
      raw.send(begin);
      await nextTurn();
      raw.send(`${body}GET / HTTP/1.1\r\n\r\n`);
      await answered(3);
    }
});

test('an answer without a length comes in chunks, to old clients up to the end, and to HEAD not at all', async (t) => {
  const url = await startHttp(t, (_, res) => {
    res.writeHead(200, text);
    res.flushHead();
    res.write('one ');
    res.write(Buffer.alloc(0));
    res.write(Buffer.alloc(40_000, 'x'));
    res.end(Buffer.from(' last'));
  });
  const expected = `one ${'x'.repeat(40_000)} last`;
  const answer = await call(url, { path: '/' });
  assert.equal(answer.text, expected);
  assert.equal(answer.headers['transfer-encoding'], 'chunked');
  const old = rawConnection(t, url);
  old.send('GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
  const [head = '', body] = (await old.whole).split('\r\n\r\n');
  assert.equal(body, expected);
  assert.match(head, /\r\nconnection: close/);
  const headOnly = await call(url, { path: '/', method: 'HEAD' });
  assert.equal(headOnly.status, 200);
  assert.equal(headOnly.text, '');
});

test('a connection is kept unless one side says otherwise', async (t) => {
  const url = await startHttp(t, (req, res) => {
    const own = req.target === '/close' ? ['connection', 'close'] : [];
    res.writeHead(200, ['content-length', '0', ...own]).end();
  });
  for (const [sent, isKept] of [
    ['GET / HTTP/1.1\r\n\r\n', true],
    ['GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n', false],
    ['GET /close HTTP/1.1\r\n\r\n', false],
    ['GET / HTTP/1.0\r\n\r\n', false],
    ['GET / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n', true],
  ] as const) {
    const raw = rawConnection(t, url);
    raw.send(sent);
    await eventually(() => raw.text().endsWith('\r\n\r\n') || undefined);
    if (!isKept) await raw.whole;
    assert.match(raw.text(), isKept ? /\r\nconnection: keep-alive\r\n/ : /\r\nconnection: close\r\n/, sent);
    raw.send('GET / HTTP/1.1\r\n\r\n');
    if (isKept) await eventually(() => answers(raw.text()).length === 2 || undefined);
  }
});

test('no head takes long to read', () => {
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
  // The first one had taken seven seconds.
  assert.ok(process.cpuUsage(before).user < 2e6);
});

test('who waits to be told to go on is told when its body is wanted, and not before', async (t) => {
  const wanted = Promise.withResolvers<void>();
  const url = await startHttp(t, async (req, res) => {
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

test('who is refused is not told to go on', async (t) => {
  const url = await startHttp(t, (req, res) => {
    res.writeHead(413, ['content-length', '0', 'connection', 'close', 'date', 'today']);
    res.flushHead();
    req.body.read({ onChunk: () => undefined, onEnd: () => undefined, onAbort: () => undefined });
    res.end();
  });
  const raw = rawConnection(t, url);
  raw.send('POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n');
  const whole = await raw.whole;
  assert.equal(
    whole,
    'HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\nconnection: close\r\ndate: today\r\n\r\n',
  );
});

test('a client that leaves is noticed, whether it sends, waits or has sent more', async (t) => {
  const events: string[] = [];
  const url = await startHttp(t, (req, res) => {
    events.push(`came ${req.target}`);
    res.onAbort(() => events.push(`left ${req.target}`));
    bodyOf(req).catch(() => events.push(`lost ${req.target}`));
  });
  for (const [sent, expected] of [
    ['POST /1 HTTP/1.1\r\ncontent-length: 9\r\n\r\nabc', ['came /1', 'lost /1', 'left /1']],
    ['GET /2 HTTP/1.1\r\n\r\n', ['came /2', 'left /2']],
    ['GET /3 HTTP/1.1\r\n\r\nGET /4 HTTP/1.1\r\n\r\n', ['came /3', 'left /3']],
  ] as const) {
    const raw = rawConnection(t, url);
    raw.end(sent);
    await eventually(() => events.length === expected.length || undefined);
    assert.deepEqual(events.splice(0).toSorted(), [...expected].toSorted());
    await raw.whole;
  }
});

test('a client that reads no answers can not make more of them', async (t) => {
  let served = 0;
  const answer = Buffer.alloc(64 * 1024, 'x');
  const url = await startHttp(t, (_, res) => {
    served++;
    res.writeHead(200, ['content-length', String(answer.byteLength)]).end(answer);
  });
  const raw = rawConnection(t, url);
  raw.pause();
  const count = 1000;
  raw.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count));
  let before = -1;
  await eventually(async () => {
    const isStill = served === before && served > 0;
    before = served;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return isStill || undefined;
  });
  assert.ok(served < count, `${served} answers are on their way`);
  raw.resume();
  await eventually(() => served === count || undefined);
});

test('an answer that is cut off does not look whole, not to an old client either', async (t) => {
  const cut = Promise.withResolvers<void>();
  const url = await startHttp(t, async (_, res) => {
    res.writeHead(200, text).write('half of it');
    await cut.promise;
    res.destroy();
  });
  for (const version of ['1.0', '1.1']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET / HTTP/${version}\r\n\r\n`);
    const [came] = await once(socket.setEncoding('latin1'), 'data');
    cut.resolve();
    if (version === '1.0') await assert.rejects(once(socket, 'end'), { code: 'ECONNRESET' });
    else assert.ok(!String(came).endsWith('0\r\n\r\n'));
    socket.destroy();
  }
});

test('whose body is none is told so, unless its answer has begun; who sends garbage after an answer is not', async (t) => {
  const url = await startHttp(t, (req, res) => {
    if (req.target === '/begun') {
      res.writeHead(200, ['content-length', '9']).flushHead();
      req.body.read({ onChunk: () => undefined, onEnd: () => undefined, onAbort: () => undefined });
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
    assert.deepEqual(statuses(await raw.whole), expected);
  }
});

test('who takes too long is told so, or ended where nothing was asked; who takes its answer slowly is not idle', async (t) => {
  const answer = Buffer.alloc(16 * 1024 * 1024, 'x');
  const cut = Promise.withResolvers<void>();
  const server = new HttpServer({
    ...patient,
    ...{ headMs: 30, requestMs: 30, idleMs: 30 },
    serve(req, res) {
      if (req.target === '/endless') {
        res.onAbort(cut.resolve);
        res.writeHead(200, text);
        while (res.write(' '.repeat(1024)));
      } else if (req.method === 'POST') bodyOf(req).catch(() => undefined);
      else res.writeHead(200, ['content-length', String(answer.byteLength)]).end(answer);
    },
  });
  const url = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`;
  cleanUp(t, () => {
    const closed = server.close();
    server.closeAllConnections();
    return closed;
  });
  const stuck = rawConnection(t, url);
  stuck.pause();
  stuck.send('GET /endless HTTP/1.1\r\n\r\n');
  const slowly = rawConnection(t, url);
  slowly.send('GET / HTTP/1.1\r\n\r\n');
  await eventually(() => slowly.text() !== '' || undefined);
  slowly.pause();
  const slow = ['GET / HTTP/1.1\r\nhost:', 'POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\nab', ''];
  const answered = slow.map((sent) => {
    const raw = rawConnection(t, url);
    raw.send(sent);
    return raw.whole;
  });
  const late = /^HTTP\/1\.1 400 too_late\r\n/;
  const [head = '', body = '', nothing] = await Promise.all(answered);
  assert.match(head, late);
  assert.match(body, late);
  assert.equal(nothing, '');
  await cut.promise;
  server.closeIdleConnections();
  slowly.resume();
  await eventually(() => slowly.text().split('\r\n\r\n')[1]?.length === answer.byteLength || undefined);
});

test('an answer whose headers would end early is not sent', async (t) => {
  const refused: unknown[] = [];
  const url = await startHttp(t, (_, res) => {
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
  assert.ok(!rawHeaders.some((said) => said.includes('x-')));
});

test('a field that says how a request is to be read is refused after its body', async (t) => {
  const url = await startHttp(t, ({ body }, res) =>
    body.read({
      onChunk: () => undefined,
      onEnd: () => res.writeHead(200, ['content-length', '0']).end(),
      onAbort: () => undefined,
    }),
  );
  const answerTo = (trailer: string) => {
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
    assert.match(await answerTo(`x-sum: 1\r\n${name}: 1`), /^HTTP\/1\.1 400 malformed\r\n/, name);
  assert.equal(answers(await answerTo('x-sum: 1\r\ncontent-length-of-it: 1')).length, 2);
});

test('a body in small chunks is read at little cost, and refused where it has too many', async (t) => {
  let read = 0;
  const url = await startHttp(t, ({ body }, res) =>
    body.read({
      onChunk(bytes) {
        read += bytes.byteLength;
      },
      onEnd: () => res.writeHead(200, ['content-length', '0']).end(),
      onAbort: () => undefined,
    }),
  );
  const answerTo = (chunk: string, count: number) => {
    const raw = rawConnection(t, url);
    raw.send(`POST / ${chunked}${chunk.repeat(count)}0\r\n\r\nGET / HTTP/1.1\r\nconnection: close\r\n\r\n`);
    return raw.whole;
  };
  const begun = process.cpuUsage();
  assert.equal(answers(await answerTo('1\r\nx\r\n', 60_000)).length, 2);
  assert.equal(read, 60_000);
  assert.equal(answers(await answerTo('10\r\n0123456789abcdef\r\n', 200_000)).length, 2);
  assert.match(await answerTo('1\r\nx\r\n', 200_000), /^HTTP\/1\.1 400 tiny_chunks\r\n/);
  assert.match(await answerTo('f;a=b\r\n0123456789abcde\r\n', 200_000), /^HTTP\/1\.1 400 tiny_chunks\r\n/);
  const { user, system } = process.cpuUsage(begun);
  assert.ok(user + system < 2_000_000, `${user + system} µs of the processor`);
});
