import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { freePort } from '../scripts/test-servers/server-process.ts';
import { limits as providersLimits } from '../src/providers/limits.ts';
import { limits as serverLimits } from '../src/server/limits.ts';
import type { Script } from '../src/testing/fake-upstream.ts';
import { at } from './support/at.ts';
import { brokenCall, call, openCall, readAnswer, StreamReader, startCall } from './support/call.ts';
import { collectGarbage } from './support/collect-garbage.ts';
import { lowerQuartile } from './support/cpu-time.ts';
import { eventually } from './support/eventually.ts';
import {
  errorCodeIn,
  formatAt,
  formats,
  framings,
  messages,
  requestIn,
  requestSentIn,
  streamIn,
  type TestedFormat,
} from './support/formats.ts';
import {
  shareGatewaysWithHandler,
  shareScriptedGateways,
  startGatewayFor,
} from './support/scripted-gateway.ts';
import { startServer } from './support/server.ts';

const enter = shareScriptedGateways();
const play = shareGatewaysWithHandler();
const mebibyte = 1024 * 1024;
/** More than all sockets on the way can hold. */
const floodBytes = 40 * mebibyte;
const eventStream = { 'content-type': 'text/event-stream; charset=utf-8' };
const jsonType = { 'content-type': 'application/json' };
const encodings = {
  gzip: gzipSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: zstdCompressSync,
};
const streamedEncodings = {
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliCompress(),
  zstd: () => createZstdCompress(),
};

for (const { format, streamed, manner } of framings) {
  for (const moment of momentsOf(streamed))
    test(`a client that leaves ${moment} ends the provider's call within 100 ms (${manner})`, async () => {
      const upstream = unfinished({ format, streamed, moment });
      const weir = await play(upstream.serve);
      const waits: number[] = [];
      for (let round = 0; round < 5; round++) {
        const { request, response } = openCall(weir.url, requestSentIn(format, streamed));
        const { closed } = await upstream.nextCall();
        if (streamed && moment === 'in the middle') await once(await response, 'data');
        const leftAt = performance.now();
        request.destroy();
        waits.push((await closed) - leftAt);
      }
      assert.equal(waits.length, 5);
      // A busy machine holds up some of them; whatever waits in the gateway would hold up all.
      assert.ok(lowerQuartile(waits) < 100, `${waits.map(Math.round)} ms`);
      await eventually(async () => ((await openCalls(weir.url)) === 0 ? true : undefined));
    });

  // Floods take their time; what isn't streamed is read by the same code in all formats.
  if (streamed || format === messages)
    test(`a client that does not read stops the provider, and gets everything when it reads (${manner})`, async () => {
      const upstream = flood(format, streamed);
      const weir = await play(upstream.serve);
      const memory = new MemoryUse();
      const { response } = openCall(weir.url, requestSentIn(format, streamed));
      const answer = await response;
      await eventually(() => (upstream.stalled() ? true : undefined));
      // What the kernel's own buffers take on two connections, and no more.
      assert.ok(upstream.sentBytes() < 32 * mebibyte, `${upstream.sentBytes()} bytes were taken`);
      await memory.assertBelow(8 * mebibyte);
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const chunk of answer) {
        hash.update(chunk);
        bytes += chunk.length;
      }
      assert.equal(bytes, upstream.sentBytes());
      assert.equal(hash.digest('hex'), upstream.sha256());
      assert.ok(bytes > floodBytes);
    });

  test(`a client that leaves while it does not read ends the provider's call (${manner})`, async () => {
    const upstream = flood(format, streamed);
    const weir = await play(upstream.serve);
    const { request, response } = openCall(weir.url, requestSentIn(format, streamed));
    await response;
    await eventually(() => (upstream.stalled() ? true : undefined));
    request.destroy();
    await upstream.closed;
    await eventually(async () => ((await openCalls(weir.url)) === 0 ? true : undefined));
  });

  test(`an answer that says gzip and is none is a provider's fault (${manner})`, async () => {
    const { fake, weir } = await enter();
    const type = streamed ? 'text/event-stream' : 'application/json';
    const headers = { 'content-type': type, 'content-encoding': 'gzip' };
    const compressed = gzipSync(JSON.stringify(format.whole('Hello')));
    for (const body of ['not gzip at all', compressed.subarray(0, 30)]) {
      fake.answerWith({ headers, body });
      const answer = await call(weir.url, requestSentIn(format, streamed));
      assert.equal(answer.status, 502);
      assert.equal(errorCodeIn(answer.json), 'upstream_broken');
      assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[502]);
    }
  });
}

for (const [encoding, compress] of Object.entries(encodings))
  test(`a request body in ${encoding} reaches the provider decoded`, async () => {
    const { fake, weir } = await enter();
    fake.answerWith({ body: messages.whole('Hello') });
    const body = Buffer.from(JSON.stringify({ ...requestIn(messages, false), x_new: 'ü水'.repeat(5000) }));
    const headers = ['content-encoding', encoding];
    const { status } = await call(weir.url, { path: messages.path, headers, body: compress(body) });
    assert.equal(status, 200);
    assert.equal(sha256(fake.last.bytes), sha256(body));
    assert.equal(fake.last.headers['content-length'], String(body.byteLength));
    assert.equal(fake.last.headers['content-encoding'], undefined);
    assert.equal(fake.last.headers['transfer-encoding'], undefined);
  });

test('an unknown request encoding is refused with 415', async () => {
  const { fake, weir } = await enter();
  for (const format of formats)
    for (const encoding of ['compress', 'deflate', 'gzip, br', 'x-new']) {
      const headers = ['content-encoding', encoding];
      const answer = await call(weir.url, { ...requestSentIn(format, false), headers });
      assert.equal(answer.status, 415, encoding);
      assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[415]);
      assert.equal(errorCodeIn(answer.json), 'unsupported_encoding');
    }
  assert.equal(fake.requests.length, 0);
});

for (const streamed of [true, false]) {
  for (const [encoding, compress] of Object.entries(encodings))
    test(`an answer in ${encoding}, which nobody asked for, is decoded (${streamed ? 'streamed' : 'unstreamed'})`, async () => {
      const { fake, weir } = await enter();
      const plain = Buffer.from(
        streamed ? streamIn(messages, 'ü水', 'you') : JSON.stringify(messages.whole('ü水')),
      );
      const type = streamed ? 'text/event-stream' : 'application/json';
      fake.answerWith({
        headers: { 'content-type': type, 'content-encoding': encoding },
        body: compress(plain),
      });
      const headers = ['accept-encoding', 'gzip, br, zstd'];
      const answer = await call(weir.url, { ...requestSentIn(messages, streamed), headers });
      assert.equal(fake.last.headers['accept-encoding'], 'identity');
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.equal(sha256(answer.bytes), sha256(plain));
      assert.equal(answer.headers['content-length'], streamed ? undefined : String(plain.byteLength));
    });

  test(`an error in gzip is decoded and otherwise passed through (${streamed ? 'streamed' : 'unstreamed'})`, async () => {
    const { fake, weir } = await enter();
    const plain = Buffer.from('{"error" : {"message":"no"}}');
    const headers = { 'content-encoding': 'gzip', 'retry-after': '3' };
    fake.answerWith({ status: 429, headers, body: gzipSync(plain) });
    const answer = await call(weir.url, requestSentIn(messages, streamed));
    assert.equal(answer.status, 429);
    assert.equal(answer.text, plain.toString());
    assert.equal(answer.headers['retry-after'], '3');
    assert.equal(answer.headers['content-encoding'], undefined);
  });

  test(`a provider that can be reached at the second try is not lost (${streamed ? 'streamed' : 'unstreamed'})`, async (t) => {
    const port = await freePort();
    const weir = await startGatewayFor(t, `http://127.0.0.1:${port}`);
    const server = createServer((_, res) => {
      if (streamed) res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(streamed ? streamIn(messages, 'Back') : JSON.stringify(messages.whole('Back')));
    });
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const onError = () => {
      unsubscribe('undici:client:connectError', onError);
      server.listen(port, '127.0.0.1');
    };
    subscribe('undici:client:connectError', onError);
    const answer = await call(weir.url, requestSentIn(messages, streamed));
    assert.equal(answer.status, 200);
    assert.match(answer.text, /Back/);
  });
}

// Together, because time is all that they take. Once a streamed answer has begun its client is told in the stream, which is
// another test.
test('a provider that falls silent is given up, in good words, whenever it does', async () => {
  const { fake, weir } = await enter({ WEIR_UPSTREAM_TIMEOUT: '300ms' });
  const silences = framings.flatMap(({ format, streamed, manner }) =>
    momentsOf(streamed)
      .filter((moment) => !streamed || moment !== 'in the middle')
      .map((moment) => ({ format, streamed, moment, what: `${moment} (${manner})` })),
  );
  fake.answerWith(({ headers }) => fallSilent(silences[Number(headers['x-silence'])]));
  await Promise.all(
    silences.map(async ({ format, streamed, what }, number) => {
      const headers = ['x-silence', String(number)];
      const answer = await call(weir.url, { ...requestSentIn(format, streamed), headers });
      assert.equal(answer.status, 504, what);
      assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
      assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[504]);
      assert.equal(errorCodeIn(answer.json), 'upstream_timeout');
    }),
  );
  // On a busy machine the time may be over before a call has arrived; none of them is made again.
  const arrived = fake.requests.map(({ headers }) => headers['x-silence']);
  assert.equal(new Set(arrived).size, arrived.length);
  for (const { over } of fake.requests) assert.equal(await over, false);
});

test("a provider that can't be reached is tried a few times, then it is a 502", async (t) => {
  const port = await freePort();
  const weir = await startGatewayFor(t, `http://127.0.0.1:${port}`);
  const attempts = countConnects(t, port);
  await Promise.all(
    framings.map(async ({ format, streamed, manner }) => {
      const answer = await call(weir.url, requestSentIn(format, streamed));
      assert.equal(answer.status, 502, manner);
      assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[502]);
      assert.equal(errorCodeIn(answer.json), 'upstream_unreachable');
    }),
  );
  assert.equal(attempts(), framings.length * providersLimits.connectAttemptsMax);
});

test('connections to a provider are used again', async (t) => {
  const connections = new Set<unknown>();
  let requests = 0;
  const url = await startServer(t, async (req, res) => {
    connections.add(req.socket);
    requests++;
    const format = formatAt(req.url);
    const { stream } = JSON.parse(await text(req));
    const streams = stream === true || req.url === format.streamPath;
    if (requests % 3 === 0) res.writeHead(400).end('{}');
    else if (streams) res.writeHead(200, eventStream).end(streamIn(format, 'Hello'));
    else res.end(JSON.stringify(format.whole('Hello')));
  });
  const weir = await startGatewayFor(t, url);
  for (const { format, streamed, manner } of framings) {
    connections.clear();
    for (let round = 0; round < 12; round++) await call(weir.url, requestSentIn(format, streamed));
    assert.equal(connections.size, 1, manner);
  }
  assert.equal(requests, 12 * framings.length);
});

for (const format of formats) {
  test(`silence is broken by keep-alives, and never inside of a frame that was cut (${format.name})`, async () => {
    const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>();
    const sent = streamIn(format, 'one', 'two');
    const cut = sent.indexOf('two') + 1;
    const weir = await play(
      async (_, res) => {
        res.writeHead(200, eventStream);
        res.write(sent.slice(0, cut));
        await goOn;
        res.end(sent.slice(cut));
      },
      { WEIR_KEEP_ALIVE: '50ms' },
    );
    const { response } = openCall(weir.url, requestSentIn(format, true));
    const reader = new StreamReader(await response);
    const pings = () => reader.text.split(format.keepAlive).length - 1;
    const ownPings = sent.split(format.keepAlive).length - 1;
    await eventually(() => (pings() - ownPings >= 3 ? true : undefined));
    assert.equal(sent.slice(0, cut).includes(without(reader.text, format.keepAlive)), true);
    assert.match(without(reader.text, format.keepAlive), /\n\r?\n$/);
    assert.match(reader.text, /one/);
    letGoOn();
    await eventually(() => (reader.ended ? true : undefined));
    assert.equal(without(reader.text, format.keepAlive), without(sent, format.keepAlive));
  });

  test(`a stream that speaks often enough carries no keep-alive of ours (${format.name})`, async () => {
    const { fake, weir } = await enter({ WEIR_KEEP_ALIVE: '60s' });
    const sent = streamIn(format, ...Array.from({ length: 50 }, (_, n) => `piece ${n}`));
    fake.answerWith({ chunks: sent.split(/(?<=\n\r?\n)/) });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.equal(answer.text, sent);
  });

  test(`events go out at once, with headers that keep proxies from holding them back (${format.name})`, async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const weir = await play(async (_, res) => {
      res.writeHead(200, { ...eventStream, 'cache-control': 'max-age=60', 'x-accel-buffering': 'yes' });
      res.write(format.start.join('') + format.content('first'));
      await over;
      res.end(format.end.join(''));
    });
    const headers = ['accept-encoding', 'gzip, deflate, br, zstd'];
    const { response } = openCall(weir.url, { ...requestSentIn(format, true), headers });
    const answer = await response;
    const reader = new StreamReader(answer);
    await eventually(() => (reader.text.includes('first') ? true : undefined));
    assert.match(answer.headers['content-type'] ?? '', /^text\/event-stream/);
    assert.equal(answer.headers['cache-control'], 'no-cache');
    assert.equal(answer.headers['x-accel-buffering'], 'no');
    assert.equal(answer.headers['content-encoding'], undefined);
    assert.equal(answer.headers['content-length'], undefined);
    end();
    await eventually(() => (reader.ended ? true : undefined));
  });

  test(`a thousand tiny deltas in one chunk all arrive (${format.name})`, async () => {
    const { fake, weir } = await enter();
    const sent = streamIn(format, ...Array.from({ length: 1000 }, (_, n) => `${n};`));
    fake.answerWith({ chunks: [sent] });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.equal(sha256(answer.bytes), sha256(Buffer.from(sent)));
  });

  test(`a thousand chunks of one byte each all arrive (${format.name})`, async () => {
    const { fake, weir } = await enter();
    const sent = Buffer.from(streamIn(format, 'ü水😀', 'two'));
    fake.answerWith({ chunks: Array.from(sent, (byte) => Uint8Array.of(byte)) });
    const answer = await call(weir.url, requestSentIn(format, true));
    assert.equal(sha256(answer.bytes), sha256(sent));
  });

  for (const ending of ['cut', 'end'] as const)
    test(`a stream that breaks in the middle (${ending}) breaks for the client, after whole frames (${format.name})`, async () => {
      const { fake, weir } = await enter();
      const whole = format.start.join('') + format.content('one');
      fake.answerWith({ chunks: [whole, format.content('two').slice(0, -20)], ending });
      const answer = await brokenCall(weir.url, requestSentIn(format, true));
      assert.equal(answer.status, 200);
      assert.equal(answer.text.startsWith(whole), true);
      assert.equal(fake.requests.length, 1);
      const rest = answer.text.slice(whole.length);
      if (format.name !== 'Gemini') {
        assert.match(rest, /^$|\n\r?\n$/);
        assert.equal(rest.includes(format.errorFrameStart), false);
        return;
      }
      const error: unknown = JSON.parse(rest);
      assert.equal(at(error, 'error', 'type'), format.errorTypes[502]);
      assert.equal(at(error, 'request_id'), answer.headers['x-request-id']);
    });

  test(`an unstreamed answer that breaks in the middle is a 502 (${format.name})`, async () => {
    const { fake, weir } = await enter();
    const body = JSON.stringify(format.whole('Hello'));
    for (const headers of [jsonType, { ...jsonType, 'content-length': String(body.length) }]) {
      fake.answerWith({ headers, chunks: [body.slice(0, 40)], ending: 'cut' });
      const answer = await call(weir.url, requestSentIn(format, false));
      assert.equal(answer.status, 502);
      assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[502]);
    }
  });

  test(`a huge unstreamed answer that breaks does not look whole to the client (${format.name})`, async () => {
    const { fake, weir } = await enter();
    const body = JSON.stringify(format.whole('x'.repeat(8 * mebibyte)));
    fake.answerWith({ headers: jsonType, chunks: [body.slice(0, -100_000)], ending: 'cut' });
    await assert.rejects(call(weir.url, requestSentIn(format, false)), {
      code: 'ECONNRESET',
    });
  });

  if (format === messages || format.streamPath !== undefined)
    test(`a huge unstreamed answer is not kept while it passes (${format.name})`, async () => {
      const upstream = flood(format, false, 64 * mebibyte);
      const weir = await play(upstream.serve);
      const memory = new MemoryUse();
      const { request, response } = openCall(weir.url, requestSentIn(format, false));
      const answer = await response;
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
        // What is left must be more than all sockets on the way can hold.
        if (bytes > 24 * mebibyte) answer.pause();
      });
      await eventually(() => (upstream.stalled() ? true : undefined));
      await memory.assertBelow(16 * mebibyte);
      request.destroy();
      await upstream.closed;
    });

  test(`the trace at a stream's end stands on a line of its own, however the stream ended (${format.name})`, async () => {
    const { fake, weir } = await enter();
    const sent = streamIn(format, 'Hello').trimEnd();
    fake.answerWith({ chunks: [sent] });
    const headers = ['x-weir-trace', 'on'];
    const answer = await call(weir.url, { ...requestSentIn(format, true), headers });
    assert.equal(answer.text.startsWith(sent), true);
    assert.match(answer.text.slice(sent.length), /^\n+: weir \{.*\}\n\n$/);
  });
}

test('a stream that falls silent for good closes with an error', async () => {
  // Long enough for the beginning to arrive, also on a busy machine.
  const { fake, weir } = await enter({ WEIR_UPSTREAM_TIMEOUT: '3s' });
  const begun = ({ start, content }: TestedFormat) => start.join('') + content('one');
  fake.answerWith(({ url }) => {
    const format = formatAt(url);
    return { chunks: [begun(format), format.content('two').slice(0, -20)], ending: 'hang' };
  });
  await Promise.all(
    formats.map(async (format) => {
      const answer = await call(weir.url, requestSentIn(format, true));
      assert.equal(answer.text.startsWith(begun(format)), true);
      const rest = answer.text.slice(answer.text.lastIndexOf(format.errorFrameStart));
      const error: unknown = JSON.parse(rest.slice(rest.indexOf('{')));
      assert.equal(at(error, 'error', 'type'), format.errorTypes[504]);
      assert.equal(errorCodeIn(error), 'upstream_timeout');
      if (format.name !== 'Gemini') assert.match(answer.text, /\n\r?\n$/);
    }),
  );
});

test('a body that says that it is too large is refused before it is sent', async () => {
  const { weir } = await enter();
  const headers = [
    'content-length',
    String(serverLimits.bodyBytesMax + 1),
    'content-type',
    'application/json',
  ];
  for (const format of formats) {
    const { request, response } = startCall(weir.url, { path: format.path, method: 'POST', headers });
    request.flushHeaders();
    const answer = await readAnswer(await response);
    assertTooLarge(answer, format);
    request.destroy();
  }
});

for (const [encoding, compressor] of Object.entries(streamedEncodings))
  test(`a stream in ${encoding} is decoded as it comes, not at its end`, async () => {
    const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>();
    const weir = await play(async (_, res) => {
      res.writeHead(200, { ...eventStream, 'content-encoding': encoding });
      const compress = compressor();
      compress.pipe(res);
      compress.write(messages.start.join('') + messages.content('first'));
      compress.flush();
      await goOn;
      compress.end(messages.end.join(''));
    });
    const { response } = openCall(weir.url, requestSentIn(messages, true));
    const reader = new StreamReader(await response);
    await eventually(() => (reader.text.includes('first') ? true : undefined));
    assert.equal(reader.ended, false);
    letGoOn();
    await eventually(() => (reader.ended ? true : undefined));
    assert.equal(reader.text, streamIn(messages, 'first'));
  });

test(`a client that leaves a compressed stream ends the provider's call`, async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const weir = await play((_, res) => {
    res.writeHead(200, { ...eventStream, 'content-encoding': 'gzip' }).on('close', close);
    const compress = createGzip();
    compress.pipe(res);
    compress.write(messages.start.join('') + messages.content('first'));
    compress.flush();
  });
  const { request, response } = openCall(weir.url, requestSentIn(messages, true));
  await once(await response, 'data');
  request.destroy();
  await closed;
  await eventually(async () => ((await openCalls(weir.url)) === 0 ? true : undefined));
  assert.deepEqual(
    weir.logLines.filter((line) => line.includes('"bug"')),
    [],
  );
});

test(`a slow client is not a silent provider`, async () => {
  const upstream = flood(messages, true);
  // From a second on it is counted in turns of a clock, of which a process that is stuck misses all but one.
  const weir = await play(upstream.serve, { WEIR_UPSTREAM_TIMEOUT: '1100ms' });
  const { response } = openCall(weir.url, requestSentIn(messages, true));
  const answer = await response;
  // Twice as long as a provider may be silent.
  await eventually(() => (upstream.stalled(2500) ? true : undefined));
  const { bytes } = await readAnswer(answer);
  assert.equal(bytes.byteLength, upstream.sentBytes());
  assert.ok(bytes.byteLength > floodBytes);
});

for (const length of ['content-length', 'chunked'] as const)
  test(`a client that reads only after it has sent too large a body still learns why it was refused (${length})`, async (t) => {
    const { fake, weir } = await enter();
    const body = Buffer.alloc(serverLimits.bodyBytesMax + mebibyte, 'x');
    const socket = connect(Number(new URL(weir.url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    const framed =
      length === 'chunked'
        ? ['transfer-encoding: chunked', `${body.byteLength.toString(16)}\r\n`, '\r\n0\r\n\r\n']
        : [`content-length: ${body.byteLength}`, '', ''];
    const [header = '', before = '', after = ''] = framed;
    socket.write(`POST ${messages.path} HTTP/1.1\r\nhost: localhost\r\n${header}\r\n\r\n${before}`);
    for (let at = 0; at < body.byteLength; at += mebibyte)
      await sent(socket, body.subarray(at, at + mebibyte));
    await sent(socket, Buffer.from(after));
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /\r\nconnection: close\r\n/);
    assert.match(answer, /"code":"body_too_large"/);
    assert.equal(fake.requests.length, 0);
  });

test(`a body without end is refused, and the client is cut off`, async () => {
  const { weir } = await enter();
  const headers = ['transfer-encoding', 'chunked', 'content-type', 'application/json'];
  const { request, response } = startCall(weir.url, { path: messages.path, method: 'POST', headers });
  const memory = new MemoryUse();
  const bytesMax = 2 * serverLimits.bodyBytesMax;
  const chunk = Buffer.alloc(8 * mebibyte, 'x');
  let most = 0;
  request.on('error', () => undefined);
  const pour = () => {
    if (memory.bytes >= bytesMax) collectGarbage();
    most = Math.max(most, memory.bytes);
    request.write(chunk, (failure) => failure ?? pour());
  };
  pour();
  assertTooLarge(await readAnswer(await response), messages);
  await eventually(() => (request.destroyed ? true : undefined));
  assert.ok(most < bytesMax, `${most} bytes were held`);
});

for (const [encoding, compress] of Object.entries(encodings))
  test(`a small body in ${encoding} that grows too large is refused`, async () => {
    const { fake, weir } = await enter();
    const body = compress(Buffer.alloc(serverLimits.bodyBytesMax + 1, ' '));
    assert.ok(body.byteLength < mebibyte);
    const headers = ['content-encoding', encoding];
    assertTooLarge(await call(weir.url, { path: messages.path, headers, body }), messages);
    assert.equal(fake.requests.length, 0);
  });

test(`a compressed bomb does not grow in memory`, async (t) => {
  const { weir } = await enter();
  // A gigabyte: a gzip file may be many, one after the other.
  const member = gzipSync(Buffer.alloc(16 * mebibyte, ' '));
  const body = Buffer.concat(Array.from({ length: 64 }, () => member));
  const memory = new MemoryUse();
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, memory.bytes);
  }, 5);
  t.after(() => clearInterval(watching));
  const headers = ['content-encoding', 'gzip'];
  assertTooLarge(await call(weir.url, { path: messages.path, headers, body }), messages);
  assert.ok(most < 2 * serverLimits.bodyBytesMax, `${most} bytes were held`);
});

test(`a body that is not what its encoding says is refused`, async () => {
  const { fake, weir } = await enter();
  for (const [encoding, compress] of Object.entries(encodings)) {
    const whole = compress(Buffer.from(JSON.stringify(requestIn(messages, false))));
    for (const body of ['{}', whole.subarray(0, -4)]) {
      const headers = ['content-encoding', encoding];
      const answer = await call(weir.url, { path: messages.path, headers, body });
      assert.equal(answer.status, 400, encoding);
      assert.equal(at(answer.json, 'error', 'type'), messages.errorTypes[400]);
    }
  }
  assert.equal(fake.requests.length, 0);
});

test(`a client that leaves before its body is whole reaches no provider`, async () => {
  const { fake, weir } = await enter();
  const { host, port } = new URL(weir.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`POST ${messages.path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 100\r\n\r\n{"model":`);
  await eventually(async () => ((await openCalls(weir.url)) === 1 ? true : undefined));
  socket.destroy();
  await eventually(async () => ((await openCalls(weir.url)) === 0 ? true : undefined));
  assert.equal(fake.requests.length, 0);
});

type Moment = 'before the headers' | 'after the headers' | 'in the middle';

function momentsOf(streamed: boolean): readonly Moment[] {
  return streamed
    ? ['before the headers', 'after the headers', 'in the middle']
    : ['before the headers', 'in the middle'];
}

interface Unfinished {
  readonly format: TestedFormat;
  readonly streamed: boolean;
  readonly moment: Moment;
}

/** A provider that begins to answer and never ends; tells when each of its calls was given up. */
function unfinished({ format, streamed, moment }: Unfinished) {
  const calls: { readonly closed: Promise<number> }[] = [];
  let taken = 0;
  const serve: RequestListener = (req, res) => {
    req.resume();
    const closed = new Promise<number>((resolve) => req.socket.on('close', () => resolve(performance.now())));
    if (moment !== 'before the headers') {
      res.writeHead(200, streamed ? eventStream : jsonType);
      res.flushHeaders();
    }
    if (moment !== 'in the middle') calls.push({ closed });
    else res.write(beginningOf(format, streamed), () => calls.push({ closed }));
  };
  return {
    serve,
    /** When the next call is there: what tells the time of its end. */
    async nextCall(): Promise<{ closed: Promise<number> }> {
      const call = await eventually(() => calls[taken]);
      taken++;
      return call;
    },
  };
}

/** The same as a script. */
function fallSilent(silence: Unfinished | undefined): Script | Promise<Script> {
  if (silence === undefined) return { status: 418 };
  const { format, streamed, moment } = silence;
  if (moment === 'before the headers') return Promise.withResolvers<Script>().promise;
  const chunks = moment === 'in the middle' ? [beginningOf(format, streamed)] : [];
  return { headers: streamed ? eventStream : jsonType, chunks, ending: 'hang' };
}

function beginningOf({ start, content, whole }: TestedFormat, streamed: boolean): string {
  return streamed ? start.join('') + content('one') : JSON.stringify(whole('Hello')).slice(0, 30);
}

/** A provider that says more than 64 MiB as fast as it is taken. */
function flood(format: TestedFormat, streamed: boolean, bytes = floodBytes) {
  const hash = createHash('sha256');
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let sent = 0;
  let waitingSince: number | undefined;
  const write = async (res: ServerResponse, piece: Buffer) => {
    hash.update(piece);
    sent += piece.byteLength;
    if (res.write(piece)) return;
    waitingSince = performance.now();
    // After a cut it never drains, and nothing more is to be said.
    await new Promise((resolve) => res.once('drain', resolve));
    waitingSince = undefined;
  };
  const serve: RequestListener = async (_, res) => {
    res.on('close', close);
    res.writeHead(200, streamed ? eventStream : jsonType);
    const text = 'ü'.repeat(32 * 1024);
    const [opening = '', closing = ''] = streamed
      ? [format.start.join(''), format.end.join('')]
      : JSON.stringify(format.whole('@@')).split('@@');
    await write(res, Buffer.from(opening));
    const piece = Buffer.from(streamed ? format.content(text) : text);
    while (sent <= bytes) await write(res, piece);
    await write(res, Buffer.from(closing));
    res.end();
  };
  return {
    serve,
    closed,
    sentBytes: () => sent,
    sha256: () => hash.digest('hex'),
    /** Whether nothing was taken for a while. */
    stalled: (ms = 500) => waitingSince !== undefined && performance.now() - waitingSince > ms,
  };
}

/** Growth of the memory outside of the JavaScript heap, where bodies and answers are kept. */
class MemoryUse {
  readonly #before: number;

  constructor() {
    collectGarbage();
    this.#before = process.memoryUsage().external;
  }

  get bytes(): number {
    return process.memoryUsage().external - this.#before;
  }

  /** Collects garbage only if it has to: a collection takes a tenth of a second. Memory is freed a little after that. */
  async assertBelow(bytesMax: number): Promise<void> {
    for (let round = 0; round < 3 && this.bytes >= bytesMax; round++) {
      collectGarbage();
      await new Promise(setImmediate);
    }
    assert.ok(this.bytes < bytesMax, `${this.bytes} bytes more are held`);
  }
}

async function openCalls(url: string): Promise<number> {
  const { text } = await call(url, { path: '/metrics' });
  return Number(/^weir_open_calls (\d+)$/m.exec(text)?.[1]);
}

/** Counts how often somebody tried to connect to this port. */
function countConnects(t: TestContext, port: number): () => number {
  let attempts = 0;
  const count = (message: unknown) => {
    if (String(at(message, 'connectParams', 'port')) === String(port)) attempts++;
  };
  subscribe('undici:client:beforeConnect', count);
  t.after(() => unsubscribe('undici:client:beforeConnect', count));
  return () => attempts;
}

/** Resolves when the bytes have left, and fails when the other side has gone. */
function sent(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.write(bytes, (failure) => (failure ? reject(failure) : resolve()));
  });
}

function assertTooLarge(answer: { status: number; json: unknown }, format: TestedFormat): void {
  assert.equal(answer.status, 413);
  assert.equal(at(answer.json, 'error', 'type'), format.errorTypes[413]);
  assert.equal(errorCodeIn(answer.json), 'body_too_large');
}

function without(text: string, part: string): string {
  return text.replaceAll(part, '');
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
