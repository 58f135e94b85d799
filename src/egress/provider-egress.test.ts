import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import type { Provider } from '../kernel/provider.ts';
import { AllowList, parseAllowedAddress } from './allow-list.ts';
import { Egress } from './egress.ts';
import { ProviderEgress } from './provider-egress.ts';

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
