import assert from 'node:assert/strict';
import { createServer, METHODS } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Random } from '../../test/fuzz/random.ts';
import { cleanUp } from '../../test/support/clean-up.ts';
import { httpImplementations, startHttp } from '../../test/support/http-server.ts';
import { listening } from '../../test/support/server.ts';
import type { HttpImplementation } from './server.ts';

/** A request as a server has parsed it. */
interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** If one program sees one request where another sees two, a client can hide the second. */
test("Weir's own parser accepts only requests that node:http parses alike", async (t) => {
  const own = await startServer(t, 'own');
  const node = await startNode(t);
  const seed = Number(process.env.WEIR_HTTP_SEED ?? Date.now() % 1e6);
  const count = Number(process.env.WEIR_HTTP_CASES ?? 400);
  let accepted = 0;
  for (let round = 0; round < count; round++) {
    const random = new Random(seed, round);
    const bytes = oddRequests(random);
    const pieces = inPieces(Buffer.concat([bytes, last]), random);
    const [seen, expected] = await Promise.all([own.read(pieces), node.read(pieces)]);
    // Weir's parser accepts any token as a method; no route has such a method.
    const unknown = seen.findIndex(({ method }) => !METHODS.includes(method));
    const known = unknown < 0 ? seen : seen.slice(0, unknown);
    accepted += known.length;
    // Weir may reject a request that node:http accepts.
    assert.deepEqual(
      known,
      expected.slice(0, known.length),
      `seed ${seed}, round ${round}: ${JSON.stringify(bytes.toString('latin1'))}`,
    );
  }
  assert.ok(accepted > count / 4, `only ${accepted} requests were accepted`);
});

const rejected: readonly string[] = [
  'GET / HTTP/1.1\nhost: x\n\n',
  'GET  / HTTP/1.1\r\n\r\n',
  'GET /\r\n\r\n',
  'GET / HTTP/2.0\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET / HTTP/1.1\r\nhost : x\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\r\n folded\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\0\r\n\r\n',
  'GET / HTTP/1.1\r\nhost: x\ry: z\r\n\r\n',
  'GET / HTTP/1.1\r\n: x\r\n\r\n',
  'POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na',
  'POST / HTTP/1.1\r\ncontent-length: 1, 1\r\n\r\na',
  'POST / HTTP/1.1\r\ncontent-length: +1\r\n\r\na',
  'POST / HTTP/1.1\r\ncontent-length: 0x1\r\n\r\na',
  'POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\nab\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n',
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n10000000000000001\r\na\r\n0\r\n\r\n',
  `POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(1000)}\r\na\r\n0\r\n\r\n`,
  'POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nbad trailer\r\n\r\n',
  'GET / HTTP/1.1\r\nexpect: the-best\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01',
];

/** node:http accepts several spaces, and chunk extensions of up to 16 KB. */
const acceptedByNode = (sent: string) => sent.startsWith('GET  /') || sent.includes('1;xxx');

for (const implementation of httpImplementations)
  test(`ambiguous requests and other protocols are rejected at once (${implementation})`, async (t) => {
    const { read } = await startServer(t, implementation);
    for (const sent of rejected) {
      const isAccepted = implementation === 'node' && acceptedByNode(sent);
      const { length } = await read([Buffer.from(sent, 'latin1'), last]);
      assert.equal(length, isAccepted ? 1 : 0, JSON.stringify(sent));
    }
  });

async function startServer(t: TestContext, implementation: HttpImplementation) {
  const seen: SeenRequest[] = [];
  const serve: Parameters<typeof startHttp>[1] = ({ method, target, headers, body }, res) => {
    const chunks: Buffer[] = [];
    const respond = (content: Buffer) => {
      seen.push({ method, target, headers, body: content.toString('latin1') });
      res.writeHead(200, ['content-length', '0']).end();
    };
    if (body.isComplete && headers.length % 4 === 0) respond(body.take());
    else
      body.read({
        onChunk: (bytes) => chunks.push(bytes),
        onEnd: () => respond(Buffer.concat(chunks)),
        onAbort: () => undefined,
      });
  };
  const url = await startHttp(t, serve, { implementation });
  return { read: (pieces: readonly Buffer[]) => readRequests(url, pieces, seen) };
}

/** A plain server of node:http. */
async function startNode(t: TestContext) {
  const seen: SeenRequest[] = [];
  // A request whose body is shorter than announced would wait for five minutes.
  const timeouts = { requestTimeout: 10_000, headersTimeout: 10_000, connectionsCheckingInterval: 1000 };
  const server = createServer({ requireHostHeader: false, ...timeouts }, (req, res) => {
    const pieces: Buffer[] = [];
    req.on('data', (bytes: Buffer) => pieces.push(bytes));
    req.on('end', () => {
      const { method = '', url: target = '', rawHeaders: headers } = req;
      seen.push({ method, target, headers, body: Buffer.concat(pieces).toString('latin1') });
      res.setHeader('content-length', 0).end();
    });
  });
  const url = await listening(server);
  cleanUp(t, () => server.close());
  return { read: (pieces: readonly Buffer[]) => readRequests(url, pieces, seen) };
}

/** Sends the pieces, waits until the connection closes, and returns the requests that the server saw. */
async function readRequests(
  url: string,
  pieces: readonly Buffer[],
  seen: SeenRequest[],
): Promise<readonly SeenRequest[]> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined).on('end', () => socket.destroy());
  socket.setNoDelay().resume();
  for (const piece of pieces) {
    if (!socket.destroyed) socket.write(piece);
    if (pieces.length > 1) await nextTurn();
  }
  await closed;
  return seen.splice(0).filter(({ target }) => target !== '/last');
}

/** The last request of a connection; the server closes the connection after it. */
const last = Buffer.from('GET /last HTTP/1.1\r\nconnection: close\r\n\r\n');

const starts = [
  'GET / HTTP/1.1',
  'POST /a?b=c HTTP/1.1',
  'PUT http://x/y HTTP/1.1',
  'POST /\xe9 HTTP/1.0',
  'POST /old HTTP/1.0',
  'OPTIONS * HTTP/1.1',
  'HEAD //x/%zz#f HTTP/1.1',
  'DELETE /{"a":[\\]} HTTP/1.1',
];
const fields = [
  'Host: x',
  'x-blank: \t a b \t',
  'x-empty:',
  'x-high: \xe9\xff',
  "x!#$%&'*+-.^_`|~9: odd",
  'Connection: keep-alive',
  'connection: close',
  'Content-Length: 3',
  'content-length: 0',
  'content-length: 03',
  'transfer-encoding: chunked',
  'Transfer-Encoding:  Chunked ',
  'transfer-encoding: gzip',
  'upgrade: websocket',
  'te: trailers',
  'Connection: Keep-Alive, x',
  'connection:\tx ,CLOSE',
  'expect: 100-continue',
  'Content-Length:10',
  'content-length: 3 ',
  'transfer-encoding:CHUNKED',
  'transfer-encoding: ',
  'transfer_encoding: chunked',
  `x-long: ${'y'.repeat(300)}`,
];
const bodies = [
  '',
  'abc',
  '3\r\nabc\r\n0\r\n\r\n',
  '0\r\n\r\n',
  '1;a=b\r\nx\r\n2\r\nyz\r\n0\r\nt: u\r\n\r\n',
  '00A;q="a;b"\r\n0123\r\n6789\r\n0;last\r\n\r\n',
  'a\r\n',
  '\r\n\r\n\r\nabcd',
];
const noise = ['\r', '\n', '\r\n', ' ', '\t', ':', ';', '\0', '\x7f', '\x80', '0', 'x', ','];

/** One to three requests, some of them with bytes removed or inserted. */
function oddRequests(random: Random): Buffer {
  let text = '';
  for (let left = 1 + random.below(3); left > 0; left--) {
    const lines = [random.pick(starts)];
    for (let more = random.below(5); more > 0; more--) lines.push(random.pick(fields));
    text += `${lines.join('\r\n')}\r\n\r\n${bodyFor(lines, random)}`;
  }
  for (let changes = random.happens(0.5) ? 0 : 1 + random.below(2); changes > 0; changes--) {
    const at = random.below(text.length);
    const lost = random.below(3);
    text = text.slice(0, at) + (random.happens(0.7) ? random.pick(noise) : '') + text.slice(at + lost);
  }
  return Buffer.from(text, 'latin1');
}

/** Returns half of the requests in one piece and splits the others. */
function inPieces(bytes: Buffer, random: Random): readonly Buffer[] {
  if (random.happens(0.5)) return [bytes];
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.byteLength; ) {
    const end = at + 1 + random.below(random.happens(0.3) ? 4 : bytes.byteLength);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

/** A body that matches the head, in most cases. */
function bodyFor(lines: readonly string[], random: Random): string {
  if (random.happens(0.2)) return random.pick(bodies);
  if (lines.some((line) => /^transfer-encoding: +chunked/i.test(line)))
    return random.pick(bodies.slice(2, 6));
  if (lines.some((line) => /^content-length: 0?3 *$/i.test(line))) return 'abc';
  return lines.some((line) => line.endsWith(':10')) ? '\r\n\r\n\r\nabcd' : '';
}
