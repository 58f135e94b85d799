import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startConnectProxy } from '../../test/support/connect-proxy.ts';
import { readSettings } from '../gateway/settings.ts';
import { FakeUpstream } from '../testing/fake-upstream.ts';
import { Egress, type EgressParts } from './egress.ts';
import { Proxies } from './proxies.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'tls');
const cert = readFileSync(join(fixtures, 'certificate.pem'), 'utf8');
const key = readFileSync(join(fixtures, 'key.pem'), 'utf8');

function portAt(server: { address(): unknown }): number {
  return (server.address() as AddressInfo).port;
}

function openEgress(t: TestContext, parts: EgressParts) {
  const egress = new Egress(parts);
  t.after(() => egress.close());
  return { egress, fetch: egress.openFetch({ purpose: 'module:test', reachOf: () => 'public' }) };
}

const direct = { https: undefined, http: undefined, noProxy: [], byProvider: new Map() };

test('http requests go through the proxy, which gets the name, user and password', async (t) => {
  const upstream = await FakeUpstream.start({ body: { ok: true } });
  t.after(() => upstream.close());
  const proxy = await startConnectProxy(t);
  const proxies = new Proxies({ ...direct, http: proxy.url });
  const { egress, fetch } = openEgress(t, { isPublicOnly: true, proxies });
  const { port } = new URL(upstream.url);
  assert.equal((await fetch(`http://models.example:${port}/v1`)).status, 200);
  assert.deepEqual(proxy.asked, [`models.example:${port}`]);
  assert.deepEqual(proxy.users, [`Basic ${Buffer.from('weir:se@cret').toString('base64')}`]);
  assert.equal(upstream.requests[0]?.headers.host, `models.example:${port}`);
  assert.equal(upstream.requests[0]?.headers['proxy-authorization'], undefined);
  // The guard still refuses what is private in every network.
  for (const host of ['127.0.0.1', '10.0.0.1', '[::1]', 'localhost'])
    await assert.rejects(fetch(`http://${host}:${port}/`), { code: 'EGRESS_PRIVATE_ADDRESS' }, host);
  await assert.rejects(fetch(`http://forbidden.example:${port}/`), {
    code: 'EGRESS_UNREACHABLE',
    message: /EPROXY/,
  });
  assert.equal(upstream.requests.length, 1);
  const counts = egress.destinations().find(({ purpose }) => purpose === 'proxy')?.counts;
  assert.deepEqual([counts?.connections, counts?.failures], [1, 1]);
});

test('a provider may have a proxy, an authority and a client certificate of its own', async (t) => {
  const server = createTlsServer(
    { cert, key, ca: cert, requestCert: true, rejectUnauthorized: true },
    (req, res) => res.end(JSON.stringify({ host: req.headers.host })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const proxy = await startConnectProxy(t);
  const proxies = new Proxies({ ...direct, byProvider: new Map([['mine', proxy.url]]) });
  const certificates = new Map([['mine', { ca: cert, cert, key }]]);
  const { egress } = openEgress(t, { isPublicOnly: true, proxies, certificates });
  const url = `https://models.example:${portAt(server)}`;
  const open = (provider: string) =>
    egress.openEndpoint({ purpose: 'provider', url, reach: 'public', silenceMs: 10_000, provider });
  const status = (provider: string) =>
    new Promise<number>((resolve, reject) =>
      open(provider).dispatch(
        { path: '/', method: 'GET' },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_, code) => resolve(code),
          onResponseData: () => undefined,
          onResponseEnd: () => undefined,
          onResponseError: (_, error) => reject(error),
        },
      ),
    );
  assert.equal(await status('mine'), 200);
  assert.deepEqual(proxy.asked, [`models.example:${portAt(server)}`]);
  await assert.rejects(status('other'), { code: 'ENOTFOUND' });
});

test('the usual variables say what goes through a proxy', () => {
  const { proxies } = readSettings({
    HTTPS_PROXY: 'http://upper.example:3128',
    https_proxy: 'lower.example:3128',
    HTTP_PROXY: 'https://plain.example',
    no_proxy: 'corp.example, .inner.example,*.star.example,10.0.0.1,port.example:8443',
    WEIR_PROXY_OPENAI: 'off',
    WEIR_PROXY_GROQ: 'http://groq.example:1',
  });
  assert.ok(proxies);
  const of = (url: string, provider?: string) => {
    const { protocol, hostname, port } = new URL(url);
    const target = {
      provider,
      protocol,
      host: hostname,
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    };
    return new Proxies(proxies).proxyFor(target)?.host;
  };
  assert.equal(of('https://api.example'), 'lower.example:3128');
  assert.equal(of('http://api.example'), 'plain.example');
  for (const host of [
    'corp.example',
    'a.CORP.example',
    'a.inner.example',
    'b.star.example',
    '10.0.0.1',
    'port.example:8443',
    'localhost:11434',
    '127.0.0.1:8000',
    '[::1]:8000',
  ])
    assert.equal(of(`https://${host}`), undefined, host);
  for (const host of ['notcorp.example', '10.0.0.11', 'port.example'])
    assert.equal(of(`https://${host}`), 'lower.example:3128', host);
  assert.equal(of('https://api.example', 'openai'), undefined);
  assert.equal(of('https://api.example', 'groq'), 'groq.example:1');
  assert.throws(
    () => readSettings({ HTTPS_PROXY: 'socks5://user:hunter2@p' }),
    (error: Error) => {
      assert.match(error.message, /^HTTPS_PROXY: must be an address/);
      return !error.message.includes('hunter2');
    },
  );
});
