import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { GatewayError } from '../src/kernel/errors.ts';
import { readBody } from '../src/server/body.ts';
import { SlowBodyMonitor } from '../src/server/slow-body-monitor.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call, startCall } from './support/call.ts';
import { collectGarbage } from './support/collect-garbage.ts';
import { eventually } from './support/eventually.ts';
import { startHttp } from './support/http-server.ts';
import { WeirProcess } from './support/weir-process.ts';

const mebibyte = 1024 * 1024;

/** Tells for how long the event loop was held at most, in time that this thread worked: a busy machine holds it, too. */
function watchHolds(t: TestContext): () => number {
  let most = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    most = Math.max(most, (user + system) / 1000);
    before = process.threadCpuUsage();
    return most;
  };
  const looking = setInterval(look, 1);
  t.after(() => clearInterval(looking));
  return look;
}
const gzip = ['content-encoding', 'gzip', 'content-type', 'application/json'];

test('a bomb of values is refused at once, compressed or not, in every format and in strings', async (t) => {
  const weir = await startTestGateway();
  t.after(() => weir.close());
  const objects = `[${'{},'.repeat(10 * mebibyte)}{}]`;
  const numbers = `[${'1,'.repeat(15 * mebibyte)}1]`;
  const inString = JSON.stringify({
    model: 'demo-1',
    messages: Array.from({ length: 20 }, (_, index) => ({
      role: 'assistant',
      tool_calls: [
        {
          id: `call_${index}`,
          type: 'function',
          function: { name: 'look', arguments: `[${'{},'.repeat(mebibyte / 4)}{}]` },
        },
      ],
    })),
  });
  const bombs = [
    ['/v1/messages', `{"model":"demo-1","max_tokens":9,"messages":${objects}}`],
    ['/v1/chat/completions', `{"model":"demo-1","messages":${numbers}}`],
    ['/v1/responses', `{"model":"demo-1","input":${objects}}`],
    ['/v1/chat/completions', inString],
  ] as const;
  const packed = bombs.map(([path, body]) => ({ path, body: gzipSync(body) }));
  const held = watchHolds(t);
  for (const { path, body } of packed) {
    const answer = await call(weir.url, { path, headers: gzip, body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(String(at(answer.json, 'error', 'message')), /more than 250000 values/);
  }
  assert.ok(held() < 1000, `the event loop was held for ${held()} ms of the processor`);
  assert.match(weir.gateway.metrics(), /^weir_held_request_bytes 0$/m);
});

test('bodies that one caller leaves unfinished are bounded, and those of others still get in', async (t) => {
  const weir = new WeirProcess(t, { nodeArgs: ['--max-old-space-size=256'] });
  const url = await weir.listening;
  const piece = Buffer.alloc(mebibyte, 'x');
  const statuses: number[] = [];
  const open = Array.from({ length: 4 }, () => {
    const headers = ['content-length', String(30 * mebibyte)];
    const { request, response } = startCall(url, { method: 'POST', path: '/v1/messages', headers });
    response.then(
      (answer) => void statuses.push(answer.statusCode ?? 0),
      () => undefined,
    );
    for (let pieces = 0; pieces < 28; pieces++) request.write(piece);
    return request;
  });
  t.after(() => {
    for (const request of open) request.destroy();
  });
  await eventually(() => (statuses.length >= 2 ? true : undefined));
  assert.deepEqual(new Set(statuses), new Set([503]));
  const small = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
  assert.equal((await call(url, { path: '/v1/messages', body: small })).status, 200);
  for (const request of open) request.destroy();
  await eventually(async () => {
    const { text } = await call(url, { path: '/metrics' });
    return /^weir_held_request_bytes 0$/m.test(text) || undefined;
  });
});

test('the memory of unfinished bodies is given back when their clients leave', async (t) => {
  const weir = await startTestGateway();
  t.after(() => weir.close());
  // One for all, which is here before and after.
  const sent = Buffer.alloc(20 * mebibyte, 'x');
  // Garbage of earlier tests must not be freed in between.
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const held = () => process.memoryUsage().arrayBuffers - before;
  const open = Array.from({ length: 4 }, () => {
    const headers = ['content-length', String(30 * mebibyte)];
    const { request, response } = startCall(weir.url, { method: 'POST', path: '/v1/messages', headers });
    response.catch(() => undefined);
    request.write(sent);
    return request;
  });
  await eventually(() => {
    const bytes = /^weir_held_request_bytes (\d+)$/m.exec(weir.gateway.metrics())?.[1];
    return Number(bytes) === 80 * mebibyte ? true : undefined;
  });
  assert.ok(held() > 80 * mebibyte);
  for (const request of open) request.destroy();
  await eventually(() => (held() < 40 * mebibyte ? true : undefined));
});

test('a body that only trickles in is cut off', async (t) => {
  const slowBodyMonitor = new SlowBodyMonitor(50);
  const refused = Promise.withResolvers<unknown>();
  const url = await startHttp(t, (req, res) => {
    readBody(req, { bytesMax: mebibyte, slowBodies: slowBodyMonitor }).catch((refusal) => {
      refused.resolve(refusal);
      res.destroy();
    });
  });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  // The last bytes may arrive after the connection has ended, which resets it.
  socket.on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n');
  const trickle = setInterval(() => socket.write('x'), 20);
  const refusal = await refused.promise;
  clearInterval(trickle);
  assert.ok(GatewayError.is(refusal) && refusal.code === 'body_too_slow' && refusal.status === 408);
});

test('a large body is parsed again where somebody still asks for it while its provider works', async (t) => {
  const weir = await startTestGateway();
  t.after(() => weir.close());
  const content = 'x'.repeat(200_000);
  const body = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user', content }], stream: true };
  const answer = await call(weir.url, { path: '/v1/chat/completions', body });
  assert.match(answer.text, /\[DONE\]/);
});
