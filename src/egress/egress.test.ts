import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type LookupFunction } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FakeUpstream } from '../testing/fake-upstream.ts';
import { Destinations } from './destinations.ts';
import { Egress, type Reach, type Refusal } from './egress.ts';
import { publicLookup } from './public-lookup.ts';

/** A DNS server's answer for every name. */
function lookupTo(address: string): LookupFunction {
  return (_, options, callback) =>
    options.all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
}

interface SetUp {
  readonly isPublicOnly?: boolean;
  readonly lookup?: LookupFunction;
  reachOf?(origin: string): Reach | undefined;
}

async function setUp(t: TestContext, { isPublicOnly = true, lookup, reachOf = () => 'public' }: SetUp = {}) {
  const upstream = await FakeUpstream.start({ body: { ok: true } });
  const refusals: Refusal[] = [];
  const egress = new Egress({
    isPublicOnly,
    onRefusal: (refusal) => void refusals.push(refusal),
    ...(lookup && { lookup }),
  });
  t.after(async () => {
    await egress.close();
    await upstream.close();
  });
  const fetch = egress.openFetch({ purpose: 'module:test', reachOf, headers: { 'user-agent': 'weir/test' } });
  const port = Number(new URL(upstream.url).port);
  return { upstream, egress, refusals, fetch, port };
}

const anywhere = { isPublicOnly: false };

describe('addresses', () => {
  test('a name that resolves to a private address is refused, counted, and reported once', async (t) => {
    const { upstream, egress, refusals, fetch, port } = await setUp(t, { lookup: lookupTo('127.0.0.1') });
    const address = `http://rebound.example:${port}/`;
    for (let at = 0; at < 3; at++)
      await assert.rejects(fetch(address), { code: 'EGRESS_PRIVATE_ADDRESS', message: /rebound\.example/ });
    assert.equal(upstream.requests.length, 0);
    assert.deepEqual(egress.destinations(), [
      {
        purpose: 'module:test',
        host: 'rebound.example',
        port,
        counts: { requests: 3, connections: 0, failures: 0, refused: 3 },
      },
    ]);
    assert.deepEqual(
      refusals.map(({ purpose, host, error }) => [purpose, host, error.code]),
      [['module:test', 'rebound.example', 'EGRESS_PRIVATE_ADDRESS']],
    );
  });

  test('the address of a later lookup is checked, too', async (t) => {
    let address = '127.0.0.1';
    const lookup: LookupFunction = (name, options, callback) => lookupTo(address)(name, options, callback);
    const reachOf = (origin: string): Reach => (origin.includes('mine') ? 'any' : 'public');
    const { fetch, port } = await setUp(t, { lookup, reachOf });
    assert.equal((await fetch(`http://mine.example:${port}/`)).status, 200);
    await assert.rejects(fetch(`http://theirs.example:${port}/`), { code: 'EGRESS_PRIVATE_ADDRESS' });
    address = '169.254.169.254';
    await assert.rejects(fetch(`http://theirs.example:${port}/`), { code: 'EGRESS_PRIVATE_ADDRESS' });
  });

  test('private addresses as numbers are refused in every notation', async (t) => {
    const { upstream, fetch, port } = await setUp(t);
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]'];
    for (const host of hosts)
      await assert.rejects(fetch(`http://${host}:${port}/`), { code: 'EGRESS_PRIVATE_ADDRESS' }, host);
    assert.equal(upstream.requests.length, 0);
  });

  test('only the public addresses of a name are used', async () => {
    const mixed: LookupFunction = (_, __, callback) =>
      callback(null, [
        { address: '10.0.0.1', family: 4 },
        { address: '1.1.1.1', family: 4 },
        { address: 'fd00::1', family: 6 },
      ]);
    const found = await new Promise((resolve, reject) =>
      publicLookup(mixed)('mixed.example', { all: true }, (error, addresses) =>
        error === null ? resolve(addresses) : reject(error),
      ),
    );
    assert.deepEqual(found, [{ address: '1.1.1.1', family: 4 }]);
  });

  test('an endpoint with a configured address may be private', async (t) => {
    const { upstream, egress } = await setUp(t);
    const open = (reach: Reach) =>
      egress.openEndpoint({ purpose: 'provider', url: `${upstream.url}/v1`, reach, silenceMs: 10_000 });
    assert.equal(await statusOf(open('any')), 200);
    assert.equal(upstream.last.url, '/v1/models');
    await assert.rejects(statusOf(open('public')), { code: 'EGRESS_PRIVATE_ADDRESS' });
  });
});

describe('fetch', () => {
  test('an address that is not allowed is refused before anything is looked up', async (t) => {
    const lookup: LookupFunction = () => assert.fail('looked up');
    const reachOf = (origin: string): Reach | undefined =>
      origin === 'https://allowed.example' ? 'public' : undefined;
    const { egress, fetch } = await setUp(t, { lookup, reachOf });
    await assert.rejects(fetch('https://other.example/path'), {
      code: 'EGRESS_NOT_ALLOWED',
      message: /https:\/\/other\.example .*module:test.*WEIR_EGRESS_ALLOW/,
    });
    assert.deepEqual(egress.destinations()[0]?.counts, {
      requests: 0,
      connections: 0,
      failures: 0,
      refused: 1,
    });
  });

  test('other protocols and credentials in the address are errors', async (t) => {
    const { fetch } = await setUp(t, anywhere);
    for (const address of ['file:///etc/passwd', 'data:,x', '/path', 'https://user:pw@example.com/'])
      await assert.rejects(fetch(address), TypeError, address);
  });

  test('a redirect is an error that says so, or the response itself if the caller wants it', async (t) => {
    const { upstream, fetch } = await setUp(t, anywhere);
    upstream.answerWith({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' });
    await assert.rejects(fetch(upstream.url), { code: 'EGRESS_REDIRECT', message: /redirect \(302\)/ });
    const response = await fetch(upstream.url, { redirect: 'manual' });
    assert.equal(response.status, 302);
    assert.equal(response.headers.get('location'), 'http://127.0.0.1:1/');
    assert.equal(upstream.requests.length, 2);
  });

  test('requests of every kind arrive', async (t) => {
    const { upstream, egress, fetch } = await setUp(t, anywhere);
    const form = new FormData();
    form.set('file', new Blob(['content']), 'name.txt');
    await (await fetch(upstream.url, { method: 'POST', body: form })).json();
    assert.match(upstream.last.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
    assert.match(upstream.last.bytes.toString(), /filename="name\.txt"[\s\S]*content/);
    assert.equal(upstream.last.headers['user-agent'], 'weir/test');

    const headers = { 'user-agent': 'mine', 'content-type': 'application/json' };
    const request = new Request(upstream.url, { method: 'PUT', body: '{"a":1}', headers });
    const response = await fetch(request);
    assert.deepEqual(await response.json(), { ok: true });
    assert.ok(response instanceof Response);
    assert.equal(upstream.last.method, 'PUT');
    assert.deepEqual(upstream.last.json, { a: 1 });
    assert.equal(upstream.last.headers['user-agent'], 'mine');
    assert.equal(upstream.last.headers.cookie, undefined);

    upstream.answerWith({ status: 204, body: '' });
    assert.equal((await fetch(upstream.url, { method: 'DELETE' })).body, null);
    const [destination] = egress.destinations();
    assert.equal(destination?.counts?.requests, 3);
  });

  test('a server that does not answer in time is given up', async (t) => {
    const { upstream, fetch } = await setUp(t, anywhere);
    upstream.answerWith(() => new Promise(() => undefined));
    await assert.rejects(fetch(upstream.url, { timeoutMs: 50 }), {
      code: 'EGRESS_TIMEOUT',
      message: /within 50 ms/,
    });
  });

  test('a response that never ends is given up', async (t) => {
    const { upstream, fetch } = await setUp(t, anywhere);
    upstream.answerWith({ chunks: ['some'], ending: 'hang' });
    const response = await fetch(upstream.url, { timeoutMs: 200 });
    await assert.rejects(response.text(), { name: 'TimeoutError' });
    assert.equal(await upstream.last.over, false);
  });

  test('an abort of the caller ends the request with its reason', async (t) => {
    const { upstream, fetch } = await setUp(t, anywhere);
    const abort = new AbortController();
    const reason = new Error('the client has left');
    upstream.answerWith(() => {
      abort.abort(reason);
      return new Promise(() => undefined);
    });
    await assert.rejects(fetch(upstream.url, { signal: abort.signal }), reason);
    assert.equal(await upstream.last.over, false);
  });

  test('a response that is too large fails, whether it says so, streams, or unpacks', async (t) => {
    const { upstream, fetch } = await setUp(t, anywhere);
    const body = 'x'.repeat(2000);
    upstream.answerWith({ headers: { 'content-length': '2000' }, body });
    await assert.rejects(fetch(upstream.url, { maxBytes: 1000 }), {
      code: 'EGRESS_TOO_LARGE',
      message: /more than 1000 bytes/,
    });
    upstream.answerWith({ chunks: [body.slice(0, 900), body.slice(900)], ending: 'hang' });
    const streamed = await fetch(upstream.url, { maxBytes: 1000 });
    await assert.rejects(streamed.text(), { code: 'EGRESS_TOO_LARGE' });
    assert.equal(await upstream.last.over, false);
    upstream.answerWith({ headers: { 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(100_000)) });
    const packed = await fetch(upstream.url, { maxBytes: 1000 });
    await assert.rejects(packed.text(), { code: 'EGRESS_TOO_LARGE' });
    upstream.answerWith({ body });
    assert.equal(await (await fetch(upstream.url, { maxBytes: 2000 })).text(), body);
  });

  test('a server that is not there is a clear error, and counted', async (t) => {
    const { upstream, egress, fetch } = await setUp(t, anywhere);
    const { url } = upstream;
    await upstream.close();
    await assert.rejects(fetch(url), {
      code: 'EGRESS_UNREACHABLE',
      message: `${url} could not be reached (ECONNREFUSED)`,
    });
    assert.deepEqual(egress.destinations()[0]?.counts, {
      requests: 1,
      connections: 0,
      failures: 1,
      refused: 0,
    });
  });
});

test('a TCP connection, by the same rules', async (t) => {
  const server = createServer((socket) => socket.end('220 hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { egress } = await setUp(t, { lookup: lookupTo('127.0.0.1') });
  t.after(() => server.close());
  const to = { purpose: 'mail', host: 'mail.example', port: address.port };
  await assert.rejects(egress.connect({ ...to, reach: 'public' }), { code: 'EGRESS_PRIVATE_ADDRESS' });
  const socket = await egress.connect({ ...to, reach: 'any' });
  assert.equal(String((await once(socket, 'data'))[0]), '220 hello');
  assert.deepEqual(egress.destinations()[0]?.counts, {
    requests: 0,
    connections: 1,
    failures: 0,
    refused: 1,
  });
});

test('destinations have a bound; the rest of each purpose is counted together', () => {
  const destinations = new Destinations(2);
  for (let at = 0; at < 5; at++) destinations.tally('module:test', `host-${at}`, 443).requests++;
  destinations.addStore('database', 'postgres://user:secret@db.example/weir');
  assert.deepEqual(
    destinations.list().map(({ host, port, counts }) => [host, port, counts?.requests]),
    [
      ['db.example', 5432, undefined],
      ['host-0', 443, 1],
      ['host-1', 443, 1],
      ['other', 0, 3],
    ],
  );
});

function statusOf(endpoint: ReturnType<Egress['openEndpoint']>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  endpoint.dispatch(
    { method: 'GET', path: `${endpoint.basePath}/models` },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_, status) => resolve(status),
      onResponseData: () => undefined,
      onResponseEnd: () => undefined,
      onResponseError: (_, cause) => reject(cause),
    },
  );
  return promise;
}
