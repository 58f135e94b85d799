import assert from 'node:assert/strict';
import { isIP, type LookupFunction } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { startConnectProxy } from '../../test/support/connect-proxy.ts';
import type { Provider } from '../kernel/provider.ts';
import { FakeUpstream } from '../testing/fake-upstream.ts';
import { AllowList, parseAllowedAddress } from './allow-list.ts';
import { Egress, type EgressParts } from './egress.ts';
import { ProviderEgress } from './provider-egress.ts';
import { Proxies } from './proxies.ts';

const provider: Provider = {
  name: 'cloud',
  title: 'Cloud',
  baseUrl: 'https://{resource}.cloud.example',
  sites: /^http:\/\/[a-z]+\.cloud\.example:1$/,
  wires: [],
  keyPrefixes: [],
  keyless: false,
  modelPrefixes: [],
  authorize: () => [],
};

test('a site of a provider must have a public address, unless the operator allows another', async (t) => {
  const lookup: LookupFunction = (_, options, callback) =>
    options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  const egress = new Egress({ isPublicOnly: true, lookup });
  t.after(() => egress.close());
  const allowList = new AllowList([{ name: 'cloud', origin: 'http://mine.cloud.example:1' }]);
  const providerEgress = new ProviderEgress({
    egress,
    addresses: [],
    siteReach: (name, baseUrl) => allowList.reachOf(name, new URL(baseUrl).origin) ?? 'public',
    silenceMs: 1000,
  });
  const codeAt = (baseUrl: string) => errorCodeOf(providerEgress.endpointFor(provider, baseUrl));
  assert.equal(await codeAt('http://theirs.cloud.example:1'), 'EGRESS_PRIVATE_ADDRESS');
  assert.equal(await codeAt('http://mine.cloud.example:1'), 'ECONNREFUSED');
  assert.throws(() => providerEgress.endpointFor(provider, 'http://elsewhere.example'), {
    code: 'EGRESS_NOT_ALLOWED',
  });
  assert.deepEqual(
    egress.destinations().map(({ host, counts }) => [host, counts?.failures, counts?.refused]),
    [
      ['theirs.cloud.example', 0, 1],
      ['mine.cloud.example', 1, 0],
      ['elsewhere.example', 0, 1],
    ],
  );
});

describe('a provider that an account has defined', () => {
  const own: Provider = { ...provider, name: 'acme', baseUrl: 'http://acme.example:1', ownId: 'ann/acme/1' };

  /** Each look-up gets the next of these addresses. */
  function openOwn(
    t: TestContext,
    addresses: readonly (string | undefined)[],
    more: Partial<EgressParts> = {},
  ) {
    let asked = 0;
    const lookup: LookupFunction = (_, options, callback) => {
      const address = addresses[Math.min(asked++, addresses.length - 1)];
      if (address === undefined) callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
      else if (options.all) callback(null, [{ address, family: isIP(address) }]);
      else callback(null, address, isIP(address));
    };
    const egress = new Egress({ isPublicOnly: true, lookup, ...more });
    t.after(() => egress.close());
    const allowList = new AllowList([{ name: undefined, origin: 'http://10.0.0.7:1' }]);
    const providerEgress = new ProviderEgress({
      egress,
      // The operator's own provider of the same name and address.
      addresses: [{ baseUrl: own.baseUrl, reach: 'any', provider: { name: 'acme' } }],
      siteReach: (name, baseUrl) =>
        allowList.allowsByName(name, new URL(baseUrl).origin) ? 'any' : 'public',
      silenceMs: 1000,
    });
    return {
      egress,
      providerEgress,
      codeAt: (baseUrl = own.baseUrl) =>
        errorCodeOf(providerEgress.endpointFor({ ...own, baseUrl }, baseUrl)),
      lookups: () => asked,
    };
  }

  test('reaches no private address, however it is written, and tells nobody which names exist', async (t) => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '::1',
      '::ffff:10.0.0.1',
      '64:ff9b::7f00:1',
      'fd00::1',
      undefined,
    ]) {
      const { codeAt, egress } = openOwn(t, [address]);
      assert.equal(await codeAt(), 'EGRESS_NO_PUBLIC_ADDRESS', String(address));
      assert.deepEqual(
        egress.destinations().flatMap(({ host, counts }) => (counts?.refused ? [host] : [])),
        ['of accounts'],
      );
    }
    const { codeAt } = openOwn(t, ['8.8.8.8']);
    for (const baseUrl of [
      'http://127.0.0.1:1',
      'http://10.0.0.7:1',
      'http://2130706433:1',
      'http://0x7f.1:1',
      'http://[::1]:1',
      'http://[::ffff:127.0.0.1]:1',
      'http://[64:ff9b::7f00:1]:1',
      'http://[2002:7f00:1::]:1',
    ])
      assert.equal(await codeAt(baseUrl), 'EGRESS_NO_PUBLIC_ADDRESS', baseUrl);
  });

  test('is looked up once for each connection: a second answer, which could be another, never counts', async (t) => {
    // A documentation address is no public one, and nothing answers at either of them.
    const { codeAt, lookups } = openOwn(t, ['192.0.2.1', '8.8.8.8']);
    assert.equal(await codeAt(), 'EGRESS_NO_PUBLIC_ADDRESS');
    assert.equal(lookups(), 1);
  });

  test('is asked of a proxy by the address that was checked', async (t) => {
    const proxy = await startConnectProxy(t);
    const server = await FakeUpstream.start({ body: {} });
    t.after(() => server.close());
    const baseUrl = `http://acme.example:${new URL(server.url).port}`;
    const proxies = new Proxies({
      https: undefined,
      http: proxy.url,
      noProxy: [],
      byProvider: new Map([['acme', undefined]]),
    });
    const answered = openOwn(t, ['8.8.8.8', '127.0.0.1'], { proxies }).codeAt(baseUrl);
    await assert.rejects(answered, { message: 'there is a response' });
    const checked = [`8.8.8.8:${new URL(server.url).port}`];
    assert.deepEqual(proxy.asked, checked);
    const inside = openOwn(t, ['10.0.0.1'], { proxies });
    assert.equal(await inside.codeAt(baseUrl), 'EGRESS_NO_PUBLIC_ADDRESS');
    assert.deepEqual(proxy.asked, checked);
  });

  test('has connections of its own', (t) => {
    const { providerEgress } = openOwn(t, ['8.8.8.8']);
    const mine = providerEgress.endpointFor(own);
    assert.equal(providerEgress.endpointFor(own), mine);
    assert.notEqual(providerEgress.endpointFor({ ...own, ownId: 'ben/acme/1' }), mine);
    assert.notEqual(providerEgress.endpointFor({ ...own, ownId: 'ann/acme/2' }), mine);
    assert.throws(() => providerEgress.endpointFor(own, 'http://elsewhere.example'), {
      code: 'EGRESS_NOT_ALLOWED',
    });
  });
});

test('entries of the allow-list', () => {
  for (const [text, address] of [
    ['https://api.example.com', { name: undefined, origin: 'https://api.example.com' }],
    ['https://API.example.com:443/', { name: undefined, origin: 'https://api.example.com' }],
    ['search=http://10.0.0.7:8080', { name: 'search', origin: 'http://10.0.0.7:8080' }],
    ['search=*', { name: 'search', origin: undefined }],
    ['*', { name: undefined, origin: undefined }],
  ] as const)
    assert.deepEqual(parseAllowedAddress(text), address, text);
  for (const text of [
    'example.com',
    'https://a.example/path',
    'https://u:p@a.example',
    'ftp://a.example',
    'Not=*',
    '=*',
  ])
    assert.equal(parseAllowedAddress(text), undefined, text);
});

test('what the allow-list lets a module reach', () => {
  const list = new AllowList([
    { name: undefined, origin: 'https://all.example' },
    { name: 'search', origin: 'https://search.example' },
    { name: 'open', origin: undefined },
  ]);
  const reach = (name: string) =>
    ['https://all.example', 'https://search.example', 'https://x.example'].map((origin) =>
      list.reachOf(name, origin),
    );
  assert.deepEqual(reach('search'), ['any', 'any', undefined]);
  assert.deepEqual(reach('other'), ['any', undefined, undefined]);
  assert.deepEqual(reach('open'), ['any', 'public', 'public']);
  assert.deepEqual(list.unknownNames(new Set(['search'])), ['open']);
});

function errorCodeOf(endpoint: ReturnType<ProviderEgress['endpointFor']>): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  endpoint.dispatch(
    { method: 'GET', path: '/' },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => reject(new Error('there is a response')),
      onResponseData: () => undefined,
      onResponseEnd: () => undefined,
      onResponseError: (_, cause) => resolve(Object(cause).code),
    },
  );
  return promise;
}
