import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, beforeEach, describe, test } from 'node:test';
import { GoogleGenAI } from '@google/genai';
import { jwtVerify } from 'jose';
import { AccessTokens, googleTokenUrl } from '../src/providers/access-tokens.ts';
import { Egress } from '../src/providers/egress.ts';
import { FakeUpstream, type Script, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { clientDialects } from './support/client-dialects.ts';
import { providerDialects } from './support/provider-dialects.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const elsewhere = await FakeUpstream.start();
const google = await FakeUpstream.start();
const account = {
  type: 'service_account',
  project_id: 'river-levels-1',
  private_key_id: '0123456789abcdef',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  client_email: 'weir@river-levels-1.iam.gserviceaccount.com',
  client_id: '1',
  auth_uri: elsewhere.url,
  token_uri: `${elsewhere.url}/token`,
  universe_domain: 'evil.example',
};
const weir = await startTestGateway({
  WEIR_VERTEX_BASE_URL: google.url,
  WEIR_VERTEX_TOKEN_URL: `${google.url}/token`,
  VERTEX_API_KEY: JSON.stringify(account, null, 2),
});
const model = 'claude-sonnet-4-5@20250929';
const messages = providerDialects.find(({ name }) => name === 'Messages');
const geminis = providerDialects.find(({ name }) => name === 'Gemini');
const said = { max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };
const place = '/v1/projects/river-levels-1/locations/global';
let tokens = 0;

function answers({ url }: SeenRequest): Script {
  if (url === '/token') return { body: { access_token: `ya29.token-${++tokens}`, expires_in: 3599 } };
  const said = url.includes('/publishers/google/') ? geminis : messages;
  if (said === undefined || url === place) return { body: {} };
  const { opening, text, closing, whole } = said;
  return url.includes(':stream')
    ? { chunks: [opening, text('Hi there'), closing('said')] }
    : { body: whole('Hi there') };
}

beforeEach(() => {
  google.requests.length = 0;
  google.answerWith(answers);
});
after(async () => {
  await weir.close();
  await google.close();
  await elsewhere.close();
});

test('a token is asked for once, of Google alone, whatever the account’s file says about that', async () => {
  const asked = () => call(weir.url, { path: '/v1/messages', body: { ...said, model: `vertex/${model}` } });
  const all = await Promise.all(Array.from({ length: 8 }, asked));
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
  const [first, ...others] = google.requests.filter(({ url }) => url === '/token');
  assert.equal(others.length, 0);
  const form = new URLSearchParams(first?.bytes.toString());
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey);
  assert.deepEqual([protectedHeader.alg, protectedHeader.kid], ['RS256', '0123456789abcdef']);
  assert.deepEqual(
    [payload.iss, payload.aud, payload.scope],
    [account.client_email, googleTokenUrl, 'https://www.googleapis.com/auth/cloud-platform'],
  );
  assert.equal(Number(payload.exp) - Number(payload.iat), 3600);
  assert.equal(google.last.headers.authorization, 'Bearer ya29.token-1');
  assert.equal(elsewhere.requests.length, 0);
});

test('a token is renewed before it ends, while calls still go with the old one', async () => {
  const clock = { ms: 1_700_000_000_000, now: () => clock.ms };
  const tokenUrl = `${google.url}/token`;
  const egress = new Egress([tokenUrl], 1000);
  const held: PromiseWithResolvers<void>[] = [];
  let given = 0;
  google.answerWith(async () => {
    const wait = Promise.withResolvers<void>();
    held.push(wait);
    await wait.promise;
    return { body: { access_token: `t${++given}`, expires_in: 3600 } };
  });
  const means = new AccessTokens({ egress, clock, tokenUrl });
  const key = { email: account.client_email, privateKey: account.private_key };
  const coming = async (count: number) => {
    while (held.length < count) await new Promise((resolve) => setImmediate(resolve));
    held[count - 1]?.resolve();
  };
  const first = [means.accessToken(key), means.accessToken(key)];
  await coming(1);
  assert.deepEqual(await Promise.all(first), ['t1', 't1']);
  clock.ms += 56 * 60_000;
  assert.equal(await means.accessToken(key), 't1');
  assert.equal(await means.accessToken(key), 't1');
  await coming(2);
  while ((await means.accessToken(key)) !== 't2') await new Promise((resolve) => setImmediate(resolve));
  assert.equal(held.length, 2);
  clock.ms += 61 * 60_000;
  google.answerWith({ status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT: xyz' } });
  await assert.rejects(
    means.accessToken(key),
    /Google gave no token for the service account \(400, invalid_grant\)$/,
  );
  await egress.close();
});

describe('a Claude at Google', () => {
  test('gets the client’s own request, without what its path says', async () => {
    const { json, headers } = await call(weir.url, {
      path: '/v1/messages',
      headers: ['anthropic-beta', 'context-1m-2025-08-07'],
      body: { model: `vertex/${model}`, ...said },
    });
    assert.equal(google.last.url, `${place}/publishers/anthropic/models/${model}:rawPredict`);
    assert.equal(
      google.last.bytes.toString(),
      '{"max_tokens":5,"messages":[{"role":"user","content":"Hello"}],"anthropic_version":"vertex-2023-10-16"}',
    );
    assert.equal(google.last.headers['anthropic-beta'], 'context-1m-2025-08-07');
    assert.equal(at(json, 'content', 0, 'text'), 'Hi there');
    // 10 tokens at 3 and 5 at 15 dollars a million.
    assert.equal(headers['x-weir-cost-usd'], '0.000105');
  });

  for (const client of clientDialects(weir.url))
    for (const stream of [false, true])
      test(`answers a client of ${client.name}, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
        assert.equal((await client.ask({ model: `vertex/${model}`, stream })).text, 'Hi there');
        assert.match(google.last.url, stream ? /:streamRawPredict$/ : /:rawPredict$/);
        assert.deepEqual([google.last.json.model, google.last.json.stream], [undefined, undefined]);
      });

  test('words Google’s refusals as Anthropic would', async () => {
    const error = { code: 429, message: 'Quota exceeded for aiplatform', status: 'RESOURCE_EXHAUSTED' };
    google.answerWith((request) =>
      request.url === '/token' ? answers(request) : { status: 429, body: [{ error }] },
    );
    const refused = await call(weir.url, {
      path: '/v1/messages',
      body: { model: `vertex/${model}`, ...said },
    });
    assert.equal(refused.status, 429);
    assert.deepEqual([refused.json.type, at(refused.json, 'error', 'type')], ['error', 'rate_limit_error']);
    assert.match(refused.text, /Quota exceeded for aiplatform/);
  });
});

describe('a Gemini at Google', () => {
  const flash = 'gemini-2.5-flash';

  for (const client of clientDialects(weir.url))
    for (const stream of [false, true])
      test(`answers a client of ${client.name}, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
        assert.equal((await client.ask({ model: `vertex/${flash}`, stream })).text, 'Hi there');
        const verb = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
        assert.equal(google.last.url, `${place}/publishers/google/models/${flash}:${verb}`);
        assert.match(String(google.last.headers.authorization), /^Bearer ya29\./);
      });

  test('is asked as Google’s own SDK asks, and billed to the token', async () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [{ functionCall: { id: 'c_1', name: 'level', args: { river: 'Isar' } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c_1', name: 'level', response: { output: 'low' } } }],
      },
    ];
    // With a project of its own it looks for credentials on the machine; the rest of the address is the same.
    const sdk = new GoogleGenAI({
      vertexai: true,
      apiKey: 'any',
      httpOptions: { baseUrl: google.url, apiVersion: 'v1' },
    });
    await sdk.models.generateContent({ model: flash, contents, config: { maxOutputTokens: 5 } });
    const bySdk = google.last;
    const { headers } = await call(weir.url, {
      path: `/v1beta/models/vertex%2F${flash}:generateContent?alt=json`,
      body: { contents, generationConfig: { maxOutputTokens: 5 } },
    });
    assert.deepEqual([google.last.url, google.last.json], [bySdk.url.replace('/v1', place), bySdk.json]);
    // 10 tokens at 0.3 and 5 at 2.5 dollars a million.
    assert.equal(headers['x-weir-cost-usd'], '0.0000155');
  });
});

describe('what pays at Google', () => {
  const asking = (key: object, name = `vertex/${model}`) =>
    call(weir.url, {
      path: '/v1/messages',
      headers: ['x-provider-key', `vertex=${JSON.stringify(key)}`],
      body: { model: name, ...said },
    });

  test('is a token that the caller has, for a project and a region', async () => {
    const own = { token: 'ya29.of-the-caller', project_id: 'my-project-2', region: 'europe-west1' };
    assert.equal((await asking(own)).status, 200);
    assert.equal(google.last.headers.authorization, 'Bearer ya29.of-the-caller');
    assert.match(google.last.url, /^\/v1\/projects\/my-project-2\/locations\/europe-west1\//);
  });

  test('is refused where it could lead elsewhere, and never quoted', async () => {
    const own = { token: 'ya29.sssecret', project_id: 'my-project-2' };
    for (const wrong of [
      { region: 'evil.example/' },
      { region: 'europe-west1.evil' },
      { region: '' },
      { project_id: '../x' },
      { project_id: 'a/b/c/d/e' },
      { project_id: 'Ä-project' },
      { token: 'ya29.sssecret and more' },
      { endpoint: 'https://evil.example' },
    ]) {
      const refused = await asking({ ...own, ...wrong });
      assert.equal(refused.status, 400, JSON.stringify(wrong));
      assert.ok(!refused.text.includes('sssecret'));
    }
    const broken = await asking({ ...account, private_key: '-----BEGIN PRIVATE KEY-----\nsssecret' });
    assert.deepEqual([broken.status, broken.text.includes('sssecret')], [400, false]);
    assert.equal((await asking(own, 'vertex/../x')).status, 404);
    assert.equal(google.requests.length, 0);
  });

  test('is stored without what is not needed, tried without cost, and in no line of the log', async () => {
    const body = { key: JSON.stringify(account, null, 2) };
    const stored = await call(weir.url, { method: 'PUT', path: '/v1/byok/vertex', body });
    assert.deepEqual([stored.status, stored.json.hint], [200, 'cdef']);
    const tried = await call(weir.url, { method: 'POST', path: '/v1/byok/vertex/test', body: {} });
    assert.deepEqual(tried.json, { ok: true, detail: 'Google Vertex AI takes the key' });
    assert.deepEqual([google.last.method, google.last.url], ['GET', place]);
    const lines = weir.logLines.join('');
    for (const secret of [account.private_key.slice(40, 80), 'ya29.', 'sssecret'])
      assert.ok(!lines.includes(secret));
  });
});
