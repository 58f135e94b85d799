import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import OpenAI, { toFile } from 'openai';
import type { RelayRoute } from '../src/kernel/relay.ts';
import { openaiCompatible } from '../src/providers/openai-compatible.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { openaiChat } from '../src/wire/index.ts';
import { at } from './support/at.ts';
import { call, type OpenCall, openCall, type RawRequest, readAnswer, startCall } from './support/call.ts';
import { collectGarbage } from './support/collect-garbage.ts';
import { eventually } from './support/eventually.ts';
import { startListener } from './support/server.ts';

const mebibyte = 1024 * 1024;

/** One endpoint of each kind. */
const routes: readonly RelayRoute[] = [
  {
    purpose: 'relay',
    endpoint: 'transcriptions',
    method: 'POST',
    path: '/v1/rivers/audio/transcriptions',
    summary: 'A form with a file, without a bound of its cost',
    body: 'form',
    usageOf: ({ usage }) => (typeof usage === 'object' && usage !== null ? { ...usage } : undefined),
    price: 'tokens',
  },
  {
    purpose: 'relay',
    endpoint: 'images',
    method: 'POST',
    path: '/v1/rivers/images/generations',
    summary: 'Priced by the piece',
    body: 'json',
    price: ({ fields }) => Number(fields.get('n') ?? 1) * 40_000_000,
    bound: ({ fields }) => ({ nanoUsd: Number(fields.get('n') ?? 1) * 40_000_000 }),
  },
  ...(['GET', 'DELETE'] as const).map(
    (method): RelayRoute => ({
      purpose: 'relay',
      endpoint: 'shelves',
      method,
      path: '/v1/shelves/*',
      summary: 'Ids in the path, no model',
      body: 'none',
      defaultProvider: 'river',
      price: 'free',
    }),
  ),
  {
    purpose: 'relay',
    endpoint: 'uploads',
    method: 'POST',
    path: '/v1/uploads/*',
    summary: 'Bytes that nobody reads, for a model in the path',
    body: 'bytes',
    modelIn: (path) => path.split('/').at(-1),
    price: 'tokens',
  },
];

/** The provider, as each test plays it. */
let serve: RequestListener = (_, res) => void res.end();
const { url: providerUrl, close } = await startListener((req, res) => serve(req, res));
const river = openaiCompatible({
  name: 'river',
  title: 'River',
  baseUrl: `${providerUrl}/v1`,
  keyless: true,
  modelPrefixes: ['river-'],
  endpoints: {
    transcriptions: '/audio/transcriptions',
    images: '/images',
    shelves: '/shelves',
    uploads: '/up',
  },
});
const folder = mkdtempSync(join(tmpdir(), 'weir-prices-'));
const prices = join(folder, 'prices.json');
writeFileSync(prices, JSON.stringify({ models: { 'river/river-1': { prices: { input: 1, output: 1 } } } }));
const weir = await startTestGateway(
  { WEIR_PRICES: prices },
  { providers: [river], formats: [{ ...openaiChat, name: 'river-chat', routes }] },
);
after(async () => {
  await weir.close();
  close();
  rmSync(folder, { recursive: true });
});

async function bytesOf(req: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(req));
}

function json(res: ServerResponse, body: object): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function logged(): Promise<Record<string, unknown>> {
  const { json } = await call(weir.url, { path: '/v1/requests?limit=1' });
  const [newest] = Array.isArray(json.requests) ? json.requests : [];
  return { ...newest };
}

function form(fields: readonly (readonly [string, string])[]): RawRequest {
  const parts = fields.map(
    ([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    path: '/v1/rivers/audio/transcriptions',
    headers: ['content-type', 'multipart/form-data; boundary=b'],
    body: `${parts.join('')}--b--\r\n`,
  };
}

/** Starts a form whose bytes follow. */
function startForm(): OpenCall {
  const headers = ['content-type', 'multipart/form-data; boundary=b'];
  return startCall(weir.url, { method: 'POST', path: '/v1/rivers/audio/transcriptions', headers });
}

test("the file of OpenAI's SDK arrives with the provider's name of the model", async () => {
  const client = new OpenAI({ baseURL: `${weir.url}/v1/rivers`, apiKey: 'none', maxRetries: 0 });
  let sent = '';
  serve = async (req, res) => {
    sent = (await bytesOf(req)).toString('latin1');
    json(res, { text: 'Splash.', usage: { input_tokens: 30, output_tokens: 2 } });
  };
  const file = await toFile(Buffer.from('sound'), 'river.mp3');
  const said = await client.audio.transcriptions.create({ file, model: 'river/river-1' });
  assert.equal(said.text, 'Splash.');
  assert.match(sent, /name="model"\r\n\r\nriver-1\r\n/);
  assert.match(sent, /filename="river\.mp3"\r\n(?:.+\r\n)*\r\nsound\r\n/);
  const { model_used: model, wire_format: format, input_tokens: tokens, cost_usd: cost } = await logged();
  assert.deepEqual([model, format, tokens, cost], ['river-1', 'transcriptions', 30, '0.000032']);
});

test('a form of 50 MB is streamed with little memory, no faster than the provider reads', async () => {
  const started = Promise.withResolvers<IncomingMessage>();
  serve = (req, res) => {
    started.resolve(req.pause());
    req.on('end', () => json(res, { text: 'long' }));
  };
  const total = 50 * mebibyte;
  const { request, response } = startForm();
  request.write('--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nriver-1\r\n');
  request.write('--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n');
  const received = await started.promise;
  const before = usedBytes();
  const piece = Buffer.alloc(mebibyte, 'x');
  let sentBytes = 0;
  const sending = (async () => {
    for (; sentBytes < total; sentBytes += mebibyte) if (!request.write(piece)) await once(request, 'drain');
    request.end('\r\n--b--\r\n');
  })();
  // The buffers of four sockets fill, and then nothing moves.
  for (let last = -1; last !== sentBytes; await turns()) last = sentBytes;
  assert.ok(sentBytes < 32 * mebibyte, `${sentBytes} bytes were taken`);
  let bytes = 0;
  let most = 0;
  for await (const chunk of received) {
    const step = Math.floor(bytes / (10 * mebibyte));
    bytes += chunk.byteLength;
    if (Math.floor(bytes / (10 * mebibyte)) > step) most = Math.max(most, usedBytes() - before);
  }
  await sending;
  assert.equal((await response).statusCode, 200);
  assert.ok(bytes > total);
  assert.ok(most < 16 * mebibyte, `${most} bytes in memory`);
});

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await nextTurn();
}

test('a form is found valid wherever its bytes are cut', async () => {
  const { body } = form([
    ['file', '\r\n--\r\n--a\r\n--'],
    ['model', 'river/river-1'],
    ['empty', ''],
  ]);
  const bytes = Buffer.from(String(body));
  let sent = '';
  serve = async (req, res) => {
    sent = (await bytesOf(req)).toString();
    json(res, {});
  };
  for (let cut = 1; cut < bytes.byteLength; cut += 7) {
    const { request, response } = startForm();
    request.write(bytes.subarray(0, cut));
    await nextTurn();
    request.end(bytes.subarray(cut));
    assert.equal((await response).statusCode, 200);
    assert.equal(sent, String(body).replace('river/river-1', 'river-1'));
  }
});

test('a model behind a large file is found, and the form arrives whole', async () => {
  const contents = Buffer.concat(
    Array.from({ length: 3 * 16 }, (_, index) => Buffer.alloc(mebibyte / 16, index + 1)),
  ).toString('latin1');
  let sent: Buffer = Buffer.alloc(0);
  serve = async (req, res) => {
    sent = await bytesOf(req);
    json(res, { text: 'late', usage: { input_tokens: 3, output_tokens: 1 } });
  };
  const late = form([
    ['file', contents],
    ['model', 'river/river-1'],
    ['language', 'en'],
  ]);
  const { status } = await call(weir.url, { ...late, body: Buffer.from(String(late.body), 'latin1') });
  assert.equal(status, 200);
  const expected = Buffer.from(String(late.body).replace('river/river-1', 'river-1'), 'latin1');
  assert.ok(sent.equals(expected));
  assert.match(weir.gateway.metrics(), /^weir_form_disk_bytes 0$/m);
});

test("the file of OpenAI's SDK may stand before the model", async () => {
  let bytes = 0;
  serve = async (req, res) => {
    bytes = (await bytesOf(req)).byteLength;
    json(res, { text: 'Splash.' });
  };
  const client = new OpenAI({ baseURL: `${weir.url}/v1/rivers`, apiKey: 'none', maxRetries: 0 });
  const file = await toFile(Buffer.alloc(3 * mebibyte, 'x'), 'river.mp3');
  assert.equal((await client.audio.transcriptions.create({ file, model: 'river-1' })).text, 'Splash.');
  assert.ok(bytes > 3 * mebibyte);
});

test('a client that leaves before its model arrives leaves nothing on disk', async () => {
  const { request } = startForm();
  request.on('error', () => undefined);
  request.write('--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n');
  for (let sent = 0; sent < 3; sent++) request.write(Buffer.alloc(mebibyte, 'x'));
  await eventually(() => /^weir_form_disk_bytes [1-9]/m.exec(weir.gateway.metrics()) ?? undefined);
  request.destroy();
  await eventually(() => /^weir_form_disk_bytes 0$/m.exec(weir.gateway.metrics()) ?? undefined);
});

test('a form without a model, with two or that is none is rejected', async () => {
  let isAborted = false;
  serve = (req) => void req.on('close', () => (isAborted = !req.complete)).resume();
  const missing = await call(weir.url, form([['file', 'x']]));
  assert.deepEqual([missing.status, at(missing.json, 'error', 'param')], [400, 'model']);
  const file = ['file', 'x'.repeat(2 * mebibyte)] as const;
  const twice = await call(weir.url, form([['model', 'river-1'], file, ['model', 'river-2']]));
  assert.equal(twice.status, 400, twice.text);
  assert.match(twice.text, /two fields \\"model\\"/);
  const other = await call(weir.url, { path: '/v1/rivers/audio/transcriptions', body: '{}' });
  assert.equal(other.status, 415);
  const broken = await call(weir.url, { ...form([]), body: '--b!' });
  assert.equal(broken.status, 400);
  await eventually(() => isAborted || undefined);
});

test('a client that leaves in the middle of its upload aborts the request to the provider', async () => {
  const gone = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  serve = (req) => {
    started.resolve();
    req
      .on('error', () => undefined)
      .on('close', () => gone.resolve())
      .resume();
  };
  const { request } = startForm();
  request.on('error', () => undefined);
  request.write(String(form([['model', 'river-1']]).body).replace('--b--', '--b'));
  await started.promise;
  request.destroy();
  await gone.promise;
  assert.equal(await eventually(async () => (await logged()).error_code ?? undefined), 'client_gone');
});

test('an endpoint without a model has a default provider, and ids in its path', async () => {
  const seen: string[] = [];
  serve = (req, res) => {
    seen.push(`${req.method} ${req.url}`);
    json(res, { id: 'file-1' });
  };
  const got = await call(weir.url, { path: '/v1/shelves/file-1/content?a=b' });
  assert.deepEqual([got.status, got.json, got.headers['x-weir-cost-usd']], [200, { id: 'file-1' }, '0']);
  await call(weir.url, { method: 'DELETE', path: '/v1/shelves/file-1' });
  assert.deepEqual(seen, ['GET /v1/shelves/file-1/content?a=b', 'DELETE /v1/shelves/file-1']);
  for (const path of [
    '/v1/shelves/../chat',
    '/v1/shelves/%2e%2e/chat',
    '/v1/shelves/a%2fb',
    '/v1/shelves/a//b',
  ])
    assert.equal((await call(weir.url, { path })).status, 400, path);
  const asked = (provider: string) =>
    call(weir.url, { path: '/v1/shelves/x', headers: ['x-weir-provider', provider] });
  assert.equal((await asked('nobody')).status, 404);
  assert.match((await asked('openai')).text, /providers that have it: river/);
  const post = await call(weir.url, { path: '/v1/shelves/x', body: {} });
  assert.equal(post.status, 405);
  assert.equal(seen.length, 2);
});

test('a route may have a price of its own', async () => {
  serve = (_, res) => json(res, { data: [] });
  const draw = (n: number, pipeline = 'none') =>
    call(weir.url, {
      path: '/v1/rivers/images/generations',
      body: { model: 'river-draw', n },
      headers: ['x-weir-pipeline', pipeline],
    });
  assert.equal((await draw(3)).headers['x-weir-cost-usd'], '0.12');
  assert.equal((await draw(3, 'cost-guard?request=0.1')).status, 400);
  assert.equal((await draw(2, 'cost-guard?request=0.1')).status, 200);
});

test('without a bound a flat amount is held, and spent if the cost is unknown', async () => {
  serve = (req, res) => {
    req.resume();
    res.writeHead(200, { 'content-type': 'text/plain' }).end('Splash.');
  };
  const say = (pipeline: string) => {
    const sent = form([['model', 'river-1']]);
    return call(weir.url, { ...sent, headers: [...(sent.headers ?? []), 'x-weir-pipeline', pipeline] });
  };
  const first = await say('cost-guard?day=1.5');
  assert.deepEqual([first.status, first.text, first.headers['content-type']], [200, 'Splash.', 'text/plain']);
  const second = await say('cost-guard?day=1.5');
  assert.equal(second.status, 402, second.text);
  assert.match(second.text, /could cost 1 USD, an assumption that cost-guard\?assume_relay=… overrides/);
  assert.equal((await say('cost-guard?day=1.5&assume_relay=0.2')).status, 200);
  assert.match(weir.gateway.metrics(), /^weir_open_holds 0$/m);
});

test('frames and bytes of an answer are passed on as they arrive', async () => {
  let answer: ServerResponse | undefined;
  const answerWith = (type: string) => {
    serve = (req, res) => {
      req.resume();
      answer = res.writeHead(200, { 'content-type': type });
      res.flushHeaders();
    };
  };
  for (const [type, first, last] of [
    ['audio/mpeg', 'ID3', '\0\xff'],
    [
      'text/event-stream',
      'data: {"delta":"Spl"}\n\n',
      'data: {"usage":{"input_tokens":9,"output_tokens":1}}\n\n',
    ],
  ] as const) {
    answerWith(type);
    const opened = openCall(weir.url, form([['model', 'river-1']]));
    const response = await opened.response;
    assert.match(String(response.headers['content-type']), new RegExp(type));
    answer?.write(Buffer.from(first, 'latin1'));
    const [chunk] = await once(response, 'data');
    assert.equal(chunk.toString('latin1'), first);
    answer?.end(Buffer.from(last, 'latin1'));
    const { bytes } = await readAnswer(response);
    assert.equal(bytes.toString('latin1'), last);
  }
  assert.equal((await logged()).input_tokens, 9);
});

test('an answer that breaks off is an incomplete response', async () => {
  serve = (req, res) => {
    req.resume();
    res.writeHead(200, { 'content-type': 'audio/mpeg' }).write('ID3', () => res.destroy());
  };
  await assert.rejects(call(weir.url, form([['model', 'river-1']])), { code: 'ECONNRESET' });
  const { ending, error_code: code } = await logged();
  assert.deepEqual([ending, code], ['failed', 'upstream_broken']);
});

test('bytes for a model in the path are sent unread', async () => {
  let sent = '';
  serve = async (req, res) => {
    sent = `${req.url} ${req.headers['content-length']} ${await bytesOf(req)}`;
    res.writeHead(204).end();
  };
  const { status, bytes } = await call(weir.url, { path: '/v1/uploads/river-1', body: 'abc' });
  assert.deepEqual([status, bytes.byteLength, sent], [204, 0, '/v1/up/river-1 3 abc']);
});
