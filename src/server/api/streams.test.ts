import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { call, openCall, startCall } from '../../../test/support/call.ts';
import { collectGarbage } from '../../../test/support/collect-garbage.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { httpImplementations, startHttp } from '../../../test/support/http-server.ts';
import { serveRoutes } from '../../../test/support/own-routes.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { streamBody } from '../body-stream.ts';
import { SlowBodyMonitor } from '../slow-body-monitor.ts';
import { bySessionOrKey, defineRoute } from './define-route.ts';
import { noBody, streamedBody } from './json-body.ts';
import type { ApiResponse, ApiRoute } from './route.ts';

const mebibyte = 1024 * 1024;
const largeBytes = 100 * mebibyte;
/** What 100 MB may add: the buffers of both sockets. */
const addedBytesMax = 16 * mebibyte;
/** Memory is measured after each of these: a collection takes half a second where other tests have left much behind. */
const stepBytes = 50 * mebibyte;

function download(answer: () => ApiResponse): ApiRoute {
  return defineRoute({
    method: 'GET',
    path: '/download',
    summary: 'Streams',
    tag: 'Test',
    access: bySessionOrKey('calls'),
    body: noBody,
    responses: { 200: { description: 'Bytes', contentType: 'application/octet-stream' } },
    handle: answer,
  });
}

function upload(
  bytesMax: number,
  read: (body: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<object>,
): ApiRoute {
  return defineRoute({
    method: 'POST',
    audit: 'none',
    path: '/upload',
    summary: 'Reads a stream',
    tag: 'Test',
    access: bySessionOrKey('calls'),
    body: streamedBody('application/x-ndjson', bytesMax),
    responses: { 200: { description: 'Read' } },
    handle: async ({ body, signal }) => ({ body: await read(body, signal()) }),
  });
}

async function countBytes(body: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.byteLength;
  return { bytes };
}

/** Bytes that are in use. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A stream that tells how far it was read, and whether it was closed. */
class CountingSource {
  sentBytes = 0;
  isClosed = false;
  readonly #total: number;

  constructor(total: number) {
    this.#total = total;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (; this.sentBytes < this.#total; this.sentBytes += mebibyte) {
        await nextTurn();
        yield Buffer.alloc(mebibyte, 'x');
      }
    } finally {
      this.isClosed = true;
    }
  }
}

for (const implementation of httpImplementations) {
  test(`${implementation}: a stream of 100 MB takes little memory, also for a client that reads slowly`, async (t) => {
    const source = new CountingSource(largeBytes);
    const { url } = await serveRoutes(t, [download(() => ({ stream: source.chunks() }))], implementation);
    const before = usedBytes();
    const response = await openCall(url, { path: '/download' }).response;
    assert.equal(response.headers['content-type'], 'application/octet-stream');
    let bytes = 0;
    let most = 0;
    for await (const chunk of response) {
      const piece: Buffer = chunk;
      const isNewStep = Math.floor(bytes / stepBytes) < Math.floor((bytes + piece.byteLength) / stepBytes);
      bytes += piece.byteLength;
      if (!isNewStep) continue;
      most = Math.max(most, usedBytes() - before);
      // Buffers of the sockets fill meanwhile; the source waits.
      for (let turn = 0; turn < 50; turn++) await nextTurn();
      assert.ok(source.sentBytes - bytes < addedBytesMax, `${source.sentBytes - bytes} bytes ahead`);
    }
    assert.equal(bytes, largeBytes);
    assert.ok(most < addedBytesMax, `${most} bytes in memory`);
    assert.ok(source.isClosed);
  });

  test(`${implementation}: a stream is closed when its client leaves`, async (t) => {
    const source = new CountingSource(Number.POSITIVE_INFINITY);
    const { url, logLines } = await serveRoutes(
      t,
      [download(() => ({ stream: source.chunks() }))],
      implementation,
    );
    const response = await openCall(url, { path: '/download' }).response;
    await once(response, 'readable');
    response.destroy();
    await eventually(() => source.isClosed || undefined);
    assert.deepEqual(logLines, []);
  });

  test(`${implementation}: an error before the first chunk has a status, a later one breaks the connection`, async (t) => {
    let failAt = 0;
    async function* failing() {
      for (let at = 0; ; at++) {
        if (at === failAt) throw new GatewayError('busy', 'not now');
        yield Buffer.from('piece');
      }
    }
    const { url, logLines } = await serveRoutes(t, [download(() => ({ stream: failing() }))], implementation);
    const { status, json } = await call(url, { path: '/download' });
    assert.deepEqual([status, json.type], [503, 'error']);
    failAt = 3;
    await assert.rejects(call(url, { path: '/download' }), { code: 'ECONNRESET' });
    assert.match(logLines.join(''), /a streamed response failed midway/);
  });

  test(`${implementation}: HEAD gets the head of a stream that is closed unread`, async (t) => {
    const source = new CountingSource(largeBytes);
    const answer = () => ({ stream: source.chunks(), contentType: 'application/gzip' });
    const { url } = await serveRoutes(t, [download(answer)], implementation);
    const { status, headers, bytes } = await call(url, { method: 'HEAD', path: '/download' });
    assert.deepEqual([status, headers['content-type'], bytes.byteLength], [200, 'application/gzip', 0]);
    assert.equal(source.sentBytes, 0);
  });

  test(`${implementation}: a body of 100 MB is read with little memory, as fast as the route reads`, async (t) => {
    let most = 0;
    let before = 0;
    let sentBytes = 0;
    const route = upload(largeBytes, async (body) => {
      let bytes = 0;
      let step = 0;
      for await (const chunk of body) {
        bytes += chunk.byteLength;
        if (bytes < step * stepBytes) continue;
        step++;
        most = Math.max(most, usedBytes() - before);
        for (let turn = 0; turn < 50; turn++) await nextTurn();
        assert.ok(sentBytes - bytes < addedBytesMax, `${sentBytes - bytes} bytes ahead`);
      }
      return { bytes };
    });
    const { url } = await serveRoutes(t, [route], implementation);
    before = usedBytes();
    const { request, response } = startCall(url, { method: 'POST', path: '/upload' });
    const piece = Buffer.alloc(mebibyte, 'x');
    for (; sentBytes < largeBytes; sentBytes += piece.byteLength)
      if (!request.write(piece)) await once(request, 'drain');
    request.end();
    const answer = await response;
    assert.equal(answer.statusCode, 200);
    assert.deepEqual(JSON.parse(Buffer.concat(await Array.fromAsync(answer)).toString()), {
      bytes: largeBytes,
    });
    assert.ok(most < addedBytesMax, `${most} bytes in memory`);
  });

  test(`${implementation}: a body over its bound is rejected, with a length and without`, async (t) => {
    const { url } = await serveRoutes(t, [upload(mebibyte, countBytes)], implementation);
    const body = Buffer.alloc(mebibyte, 'x');
    assert.deepEqual((await call(url, { path: '/upload', body })).json, { bytes: mebibyte });
    const longer = Buffer.alloc(mebibyte + 1, 'x');
    const declared = await call(url, { path: '/upload', body: longer });
    const chunked = await call(url, {
      path: '/upload',
      body: longer,
      headers: ['transfer-encoding', 'chunked'],
    });
    for (const { status, text } of [declared, chunked]) {
      assert.equal(status, 413);
      assert.match(text, /the request body exceeds 1048576 bytes/);
    }
  });

  test(`${implementation}: a route learns that the client left in the middle of the body`, async (t) => {
    const { promise: failed, resolve } = Promise.withResolvers<unknown>();
    const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const route = upload(largeBytes, async (body, signal) => {
      signal.addEventListener('abort', () => abort());
      try {
        for await (const _ of body) begin();
      } catch (thrown) {
        resolve(thrown);
      }
      return {};
    });
    const { url } = await serveRoutes(t, [route], implementation);
    const { request } = startCall(url, {
      method: 'POST',
      path: '/upload',
      headers: ['content-length', '1000'],
    });
    request.on('error', () => undefined).write('x');
    await begun;
    request.destroy();
    const thrown = await failed;
    assert.ok(GatewayError.is(thrown));
    assert.equal(thrown.code, 'client_gone');
    await aborted;
  });

  test(`${implementation}: 100 Continue is sent once`, async (t) => {
    const { url } = await serveRoutes(t, [upload(mebibyte, countBytes)], implementation);
    const headers = ['expect', '100-continue', 'content-length', String(mebibyte)];
    const { request, response } = startCall(url, { method: 'POST', path: '/upload', headers });
    let continues = 0;
    request.on('continue', () => {
      continues++;
      request.end(Buffer.alloc(mebibyte, 'x'));
    });
    request.flushHeaders();
    assert.equal((await response).statusCode, 200);
    assert.equal(continues, 1);
  });

  test(`${implementation}: a compressed body is rejected`, async (t) => {
    const { url } = await serveRoutes(t, [upload(mebibyte, countBytes)], implementation);
    const answer = await call(url, { path: '/upload', body: 'x', headers: ['content-encoding', 'gzip'] });
    assert.equal(answer.status, 415);
  });

  test(`${implementation}: a client that stalls is cut off, but not while the route is busy`, async (t) => {
    const slowBodies = new SlowBodyMonitor(20);
    const stalled = Promise.withResolvers<unknown>();
    const read = Promise.withResolvers<number>();
    const url = await startHttp(
      t,
      async (req) => {
        let bytes = 0;
        try {
          for await (const chunk of streamBody(req, { bytesMax: mebibyte, slowBodies })) {
            bytes += chunk.byteLength;
            if (req.target === '/busy') await stalled.promise;
          }
          read.resolve(bytes);
        } catch (thrown) {
          stalled.resolve(thrown);
        }
      },
      { implementation },
    );
    const begin = (path: string) => {
      const { request } = startCall(url, { method: 'POST', path, headers: ['content-length', '9'] });
      t.after(() => request.on('error', () => undefined).destroy());
      request.write('x');
      return request;
    };
    const busy = begin('/busy');
    begin('/stalled');
    const thrown = await stalled.promise;
    assert.ok(GatewayError.is(thrown) && thrown.code === 'body_too_slow');
    busy.end('23456789');
    assert.equal(await read.promise, 9);
  });
}
