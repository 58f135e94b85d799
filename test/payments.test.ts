import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { limits as callsLimits } from '../src/calls/limits.ts';
import { SettingsError } from '../src/gateway/settings.ts';
import type { Challenge } from '../src/kernel/ports/payments.ts';
import type { Database } from '../src/kernel/ports/records.ts';
import { limits as paymentsLimits } from '../src/payments/limits.ts';
import { openSqlite } from '../src/storage/sql/sqlite.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway, type TestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import {
  assertPaymentProblem,
  callPaidRoute,
  challengeOf,
  echoedPaymentHeaders,
  paidQuestion,
  paymentHeaders,
  someChallengeId,
} from './support/paid-calls.ts';
import { startReplicas } from './support/replicas.ts';
import { emptyFolder } from './support/weir-process.ts';

interface House {
  readonly weir: TestGateway;
  readonly fake: FakeUpstream;
  readonly url: string;
  /** What the gateway has stored. */
  readonly database: Database;
}

async function startHouse(t: TestContext, more: Record<string, string> = {}): Promise<House> {
  const fake = await FakeUpstream.start();
  cleanUp(t, () => fake.close());
  const folder = emptyFolder(t);
  const weir = await startTestGateway({
    WEIR_DATA_DIR: folder,
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    ANTHROPIC_API_KEY: 'sk-ant-api03-the-operators-own',
    ...more,
  });
  cleanUp(t, () => weir.close());
  const database = await openSqlite({ file: join(folder, 'weir.db') });
  cleanUp(t, () => database.close());
  return { fake, weir, url: weir.url, database };
}

const badBody = { status: 400, type: 'invalid_request_error' };

describe('the price of a call', () => {
  for (const mode of ['local', 'cloud'])
    test(`is told in a challenge to whoever shows no payment, in ${mode} mode`, async (t) => {
      const { url, fake } = await startHouse(t, {
        WEIR_MODE: mode,
        WEIR_MPP_RECIPIENT: 'acct_1',
        WEIR_MPP_NETWORK_ID: 'profile_2',
      });
      const { host } = new URL(url);
      const body = JSON.stringify(paidQuestion);
      const answered = await callPaidRoute(url, { body });
      const challenge = assertPaymentProblem(answered, 'payment-required', url);
      const { id = '', request = '', expires = '', digest, ...fixed } = challenge;
      assert.deepEqual(fixed, { realm: host, method: 'stripe', intent: 'charge' });
      assert.match(id, /^mpp_[\w-]{32}$/);
      assert.equal(digest, `sha-256=:${hash('sha256', body, 'base64')}:`);
      const untilMs = Date.parse(expires) - Date.now();
      assert.ok(untilMs > 240_000 && untilMs <= 300_000, expires);

      const offer = {
        method: 'stripe',
        intent: 'charge',
        amount: '5',
        currency: 'usd',
        recipient: 'acct_1',
        description: at(answered.json, 'offers', 0, 'description'),
        expires,
      };
      assert.equal(typeof offer.description, 'string');
      assert.deepEqual(answered.json.offers, [offer]);
      assert.deepEqual(answered.json.payment_request, {
        id,
        realm: host,
        expires,
        expires_at: Date.parse(expires) / 1000,
        offers: [offer],
      });
      assert.equal(answered.json.title, 'Payment Required');
      assert.match(request, /^[\w-]+$/);
      const inner = Buffer.from(request, 'base64url').toString();
      assert.equal(
        inner,
        `{"amount":"5","currency":"usd","description":${JSON.stringify(offer.description)},"expires":"${expires}","methodDetails":{"networkId":"profile_2","paymentMethodTypes":["card"]},"recipient":"acct_1"}`,
      );
      assert.equal(fake.requests.length, 0);
    });

  test('is told to who sends nothing, and to who sends {}', async (t) => {
    const { url } = await startHouse(t);
    for (const body of [undefined, '{}', ' {\n} '])
      assertPaymentProblem(
        await call(url, { method: 'POST', path: '/v1/agent/messages', ...(body !== undefined && { body }) }),
        'payment-required',
        url,
      );
  });

  test('is told to who shows another credential, whatever it is', async (t) => {
    const { url } = await startHouse(t, { WEIR_LOCAL_TOKEN: 'the-one-token' });
    for (const value of ['Bearer gw_live_abc', 'Basic YTpi', 'Bearer the-one-token', '', 'Payments id="x"'])
      assertPaymentProblem(
        await callPaidRoute(url, { headers: ['authorization', value] }),
        'payment-required',
        url,
      );
  });

  test('is another challenge each time, and each is kept', async (t) => {
    const { url, database } = await startHouse(t);
    const first = challengeOf(await callPaidRoute(url));
    const second = challengeOf(await callPaidRoute(url));
    assert.notEqual(first.id, second.id);
    for (const { id = '', digest, request, realm } of [first, second]) {
      const stored = await database.challenges.find(id);
      assert.deepEqual([stored?.digest, stored?.request, stored?.realm], [digest, request, realm]);
    }
  });

  test('is not told for a model that is not sold', async (t) => {
    const { url } = await startHouse(t);
    for (const model of ['no-such-model', 'demo-1', 'claude-opus-4-1', 'gpt-4.1-mini']) {
      const refused = await callPaidRoute(url, { body: { ...paidQuestion, model } });
      assertError(refused, { ...badBody, param: 'model' });
      assert.equal(refused.headers['www-authenticate'], undefined);
    }
    const { url: without } = await startHouse(t, { ANTHROPIC_API_KEY: '' });
    assertError(await callPaidRoute(without), { ...badBody, param: 'model' });
    assertPaymentProblem(await callPaidRoute(without, { body: '{}' }), 'payment-required', without);
  });

  test('is not told for a call that nobody could make', async (t) => {
    const { url } = await startHouse(t);
    const { model, messages } = paidQuestion;
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ messages }, 'model'],
      [{ model: '', messages }, 'model'],
      [{ model: 7, messages }, 'model'],
      [{ model }, 'messages'],
      [{ model, messages: [] }, 'messages'],
      [{ model, messages: [{ role: 'system', content: 'Be brief.' }] }, 'messages'],
      [{ model, messages: 'Hello' }, 'messages'],
      [{ model, messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
      [{ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, 'messages.0.content'],
      [{ model, messages, max_tokens: 0 }, 'max_tokens'],
      [{ model, messages, max_tokens: 1.5 }, 'max_tokens'],
      [{ model, messages, stream: 'yes' }, 'stream'],
      [{ model, messages, tools: [] }, 'tools'],
    ];
    for (const [body, param] of wrong)
      assertError(await callPaidRoute(url, { body: JSON.stringify(body) }), { ...badBody, param });
    for (const body of ['no JSON', '[]', '"text"', '{"model":"a","model":"b","messages":[]}', ' '])
      assertError(await callPaidRoute(url, { body }), badBody);
    const text = await callPaidRoute(url, { headers: ['content-type', 'text/plain'] });
    assert.equal(text.status, 415);
    const long = { model, messages: [{ role: 'user', content: 'x'.repeat(callsLimits.paidBodyBytesMax) }] };
    assert.equal((await callPaidRoute(url, { body: long })).status, 413);
    for (const role of ['user', 'assistant'])
      assertPaymentProblem(
        await callPaidRoute(url, { body: { model, stream: true, messages: [{ role, content: '' }] } }),
        'payment-required',
        url,
      );
  });

  test('is the same on every replica, and a challenge of one is known to the other', async (t) => {
    const [one, other] = await startReplicas(t, { ANTHROPIC_API_KEY: 'sk-ant-api03-the-operators-own' });
    const base = 'https://weir.example.com';
    const { id = '', realm } = assertPaymentProblem(await callPaidRoute(one.url), 'payment-required', base);
    assert.equal(realm, 'weir.example.com');
    assertPaymentProblem(
      await callPaidRoute(other.url, { headers: paymentHeaders(id) }),
      'verification-failed',
      base,
    );
  });

  test('is told so often to one address, and no more', async (t) => {
    const { url } = await startHouse(t);
    const { most } = paymentsLimits.challengesPerAddress;
    for (let at = 0; at < most; at++) assert.equal((await callPaidRoute(url)).status, 402);
    const refused = await callPaidRoute(url);
    assertError(refused, { status: 429, type: 'rate_limit_error', code: 'too_many_attempts' });
    assert.ok(Number(refused.headers['retry-after']) <= 60);
    assert.equal(refused.headers['www-authenticate'], undefined);
    const retried = await callPaidRoute(url, { headers: paymentHeaders(someChallengeId()) });
    assert.equal(retried.status, 429);
  });
});

describe('a call that shows a payment', () => {
  test('is not made while nothing is settled, and its challenge stays good', async (t) => {
    const { url, fake, weir } = await startHouse(t);
    const { id = '' } = challengeOf(await callPaidRoute(url));
    for (let again = 0; again < 2; again++) {
      const answered = await callPaidRoute(url, { headers: paymentHeaders(id, 'spt_secret') });
      const fresh = assertPaymentProblem(answered, 'verification-failed', url);
      assert.notEqual(fresh.id, id);
      assert.equal(answered.json.title, 'Payment Verification Failed');
      assert.match(String(answered.json.detail), /settlement is off/i);
      assert.equal(answered.headers['payment-receipt'], undefined);
      assert.doesNotMatch(answered.text, /spt_secret/);
    }
    assert.equal(fake.requests.length, 0);
    assert.doesNotMatch(weir.logLines.join(''), /spt_secret/);
  });

  test('may go on with the fresh challenge of a refusal', async (t) => {
    const { url } = await startHouse(t);
    const { id = '' } = challengeOf(await callPaidRoute(url, { headers: paymentHeaders(someChallengeId()) }));
    assertPaymentProblem(
      await callPaidRoute(url, { headers: paymentHeaders(id) }),
      'verification-failed',
      url,
    );
  });

  test('is refused where the body has changed by one byte', async (t) => {
    const { url } = await startHouse(t);
    const body = JSON.stringify(paidQuestion);
    const { id = '' } = challengeOf(await callPaidRoute(url, { body }));
    for (const changed of [
      body.replace('Hello', 'Hullo'),
      `${body} `,
      `${body}\n`,
      body.replace(':', ': '),
    ]) {
      const fresh = assertPaymentProblem(
        await callPaidRoute(url, { body: changed, headers: paymentHeaders(id) }),
        'invalid-challenge',
        url,
      );
      assert.equal(fresh.digest, `sha-256=:${hash('sha256', changed, 'base64')}:`);
    }
    assertPaymentProblem(
      await callPaidRoute(url, { body, headers: paymentHeaders(id) }),
      'verification-failed',
      url,
    );
  });

  test('is bound to the bytes as they came, compressed ones too', async (t) => {
    const { url } = await startHouse(t);
    const body = gzipSync(JSON.stringify(paidQuestion));
    const headers = ['content-encoding', 'gzip'];
    const { id = '', digest } = challengeOf(await callPaidRoute(url, { body, headers }));
    assert.equal(digest, `sha-256=:${hash('sha256', body, 'base64')}:`);
    assertPaymentProblem(
      await callPaidRoute(url, { body, headers: [...headers, ...paymentHeaders(id)] }),
      'verification-failed',
      url,
    );
    assertPaymentProblem(await callPaidRoute(url, { headers: paymentHeaders(id) }), 'invalid-challenge', url);
  });

  test('is refused where the challenge is unknown, expired or used up', async (t) => {
    const { url, database } = await startHouse(t);
    const { id: used = '' } = challengeOf(await callPaidRoute(url));
    assert.equal(await database.challenges.consume(used, Date.now()), 1);
    const { id: model = '' } = challengeOf(await callPaidRoute(url));
    const stored = await database.challenges.find(model);
    assert.ok(stored !== undefined);
    const expired: Challenge = { ...stored, id: someChallengeId(), expiresAtMs: Date.now() - 1 };
    await database.challenges.add(expired);
    for (const id of [used, expired.id, someChallengeId(), 'mpp_short', "' or 1=1 --"])
      assertPaymentProblem(
        await callPaidRoute(url, { headers: paymentHeaders(id) }),
        'invalid-challenge',
        url,
      );
  });

  test('is refused where its credential can not be read', async (t) => {
    const { url } = await startHouse(t);
    const { id } = challengeOf(await callPaidRoute(url));
    for (const value of [
      'Payment',
      `Payment id="${id}"`,
      `payment credential="x"`,
      'Payment spt_123',
      'Payment {}',
    ])
      assertPaymentProblem(
        await callPaidRoute(url, { headers: ['authorization', value] }),
        'malformed-credential',
        url,
      );
  });

  test('is refused with 400 where there are several credentials', async (t) => {
    const { url } = await startHouse(t);
    const { id = '' } = challengeOf(await callPaidRoute(url));
    const headers = [...paymentHeaders(id), 'authorization', 'Bearer x'];
    assertError(await callPaidRoute(url, { headers }), badBody);
  });

  test('is told of the credential first, then of the challenge, then of the body', async (t) => {
    const { url } = await startHouse(t);
    const body = '{"no": "call"}';
    const malformed = await callPaidRoute(url, { body, headers: ['authorization', 'Payment id="x"'] });
    assertPaymentProblem(malformed, 'malformed-credential', url);
    assertPaymentProblem(
      await callPaidRoute(url, { body, headers: paymentHeaders(someChallengeId()) }),
      'invalid-challenge',
      url,
    );
    const { id = '' } = challengeOf(malformed);
    assertError(await callPaidRoute(url, { body, headers: paymentHeaders(id) }), badBody);
    const { id: forNothing = '' } = challengeOf(await callPaidRoute(url, { body: '{}' }));
    assertError(await callPaidRoute(url, { body: '{}', headers: paymentHeaders(forNothing) }), badBody);
  });

  test('may echo the challenge, and then every field of it must be as it was issued', async (t) => {
    const { url } = await startHouse(t);
    const challenge = challengeOf(await callPaidRoute(url));
    const { digest, expires, ...least } = challenge;
    for (const echoed of [challenge, least])
      assertPaymentProblem(
        await callPaidRoute(url, { headers: echoedPaymentHeaders(echoed) }),
        'verification-failed',
        url,
      );
    const tampered = {
      id: someChallengeId(),
      realm: 'elsewhere.example',
      method: 'tempo',
      intent: 'session',
      request: 'e30',
      digest: `sha-256=:${hash('sha256', 'another', 'base64')}:`,
      expires: '2030-01-01T00:00:00.000Z',
    };
    for (const [field, value] of Object.entries(tampered))
      assertPaymentProblem(
        await callPaidRoute(url, { headers: echoedPaymentHeaders({ ...challenge, [field]: value }) }),
        'invalid-challenge',
        url,
      );
    assertPaymentProblem(
      await callPaidRoute(url, { headers: echoedPaymentHeaders(challenge, {}) }),
      'malformed-credential',
      url,
    );
    assertPaymentProblem(
      await callPaidRoute(url, { headers: echoedPaymentHeaders({ id: challenge.id }) }),
      'malformed-credential',
      url,
    );
  });
});

describe('what there is to pay for', () => {
  test('is told under /.well-known/mpp', async (t) => {
    const { url } = await startHouse(t, { WEIR_BASE_URL: 'https://pay.example:8443/weir' });
    const { status, json } = await call(url, { path: '/.well-known/mpp' });
    assert.equal(status, 200);
    assert.deepEqual(json, {
      spec_version: '0.1',
      realm: 'pay.example:8443',
      payment_methods: [
        {
          method: 'stripe',
          wallet_provider: 'link',
          currency: 'usd',
          status: 'protocol live; settlement gated',
        },
      ],
      routes: [
        { path: '/v1/agent/messages', method: 'POST', price_usd_per_call: 0.05, category: 'llm-generation' },
      ],
      capabilities: {
        idempotency: true,
        refunds: false,
        receipts: 'header',
        content_digest: 'rfc-9530 sha-256',
        ledger_public: true,
      },
    });
    assertPaymentProblem(await callPaidRoute(url), 'payment-required', 'https://pay.example:8443/weir');
  });

  test('is told in /openapi.json and in the catalogue', async (t) => {
    const { url } = await startHouse(t);
    const { json } = await call(url, { path: '/openapi.json' });
    const operation = at(json, 'paths', '/v1/agent/messages', 'post');
    assert.deepEqual(at(operation, 'x-payment-info'), {
      offers: [{ method: 'stripe', intent: 'charge', amount: '5', currency: 'usd' }],
    });
    const refusal = at(operation, 'responses', '402');
    assert.notEqual(
      at(refusal, 'content', 'application/problem+json', 'schema', 'properties', 'offers'),
      undefined,
    );
    assert.deepEqual(at(operation, 'security'), [{}, { payment: [] }]);
    const others = Object.entries(at(json, 'paths') ?? {}).flatMap(([, methods]) => Object.values(methods));
    assert.equal(others.filter((other) => at(other, 'x-payment-info') !== undefined).length, 1);
    const catalog = await call(url, { path: '/v1/catalog' });
    assert.deepEqual(catalog.json.paid_routes, [
      { path: '/v1/agent/messages', method: 'POST', price_usd_per_call: 0.05 },
    ]);
  });

  test('is read by a page of an origin that may call', async (t) => {
    const origin = 'https://wallet.example';
    const { url } = await startHouse(t, { WEIR_CORS_ORIGINS: origin });
    const { status, headers } = await callPaidRoute(url, { headers: ['origin', origin] });
    assert.equal(status, 402);
    assert.equal(headers['access-control-allow-origin'], origin);
    assert.match(headers['access-control-expose-headers'] ?? '', /www-authenticate.*payment-receipt/);
  });

  test('is told what each problem means by the address of its type', async (t) => {
    const { url } = await startHouse(t);
    for (const slug of [
      'payment-required',
      'malformed-credential',
      'invalid-challenge',
      'verification-failed',
    ]) {
      const { status, headers, text } = await call(url, { path: `/problems/${slug}` });
      assert.equal(status, 200);
      assert.match(headers['content-type'] ?? '', /^text\/html/);
      assert.match(String(headers['content-security-policy']), /default-src 'none'/);
      assert.match(text, new RegExp(slug));
    }
    for (const slug of ['toString', 'another'])
      assertError(await call(url, { path: `/problems/${slug}` }), { status: 404, type: 'not_found' });
  });

  test('has an empty ledger while nothing is settled, and lines page by page afterwards', async (t) => {
    const { url, database } = await startHouse(t);
    const path = '/v1/agent/ledger';
    const empty = await call(url, { path });
    assert.deepEqual([empty.status, empty.json], [200, { entries: [], has_more: false, next_cursor: null }]);
    const line = { route: 'POST /v1/agent/messages', amount: '5', currency: 'usd', receiptHash: 'ab12' };
    for (const atMs of [1000, 2000, 3000]) await database.ledger.add({ id: `led_${atMs}`, atMs, ...line });
    const { json } = await call(url, { path: `${path}?limit=2` });
    assert.deepEqual(json.entries, [
      {
        id: 'led_3000',
        timestamp: '1970-01-01T00:00:03.000Z',
        route: 'POST /v1/agent/messages',
        amount: '5',
        currency: 'usd',
        receipt_sha256: 'ab12',
      },
      {
        id: 'led_2000',
        timestamp: '1970-01-01T00:00:02.000Z',
        route: 'POST /v1/agent/messages',
        amount: '5',
        currency: 'usd',
        receipt_sha256: 'ab12',
      },
    ]);
    const rest = await call(url, { path: `${path}?limit=2&after=${String(json.next_cursor)}` });
    assert.deepEqual([at(rest.json, 'entries', 0, 'id'), rest.json.has_more], ['led_1000', false]);
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'after=x'])
      assertError(await call(url, { path: `${path}?${query}` }), { status: 400, type: 'invalid_request' });
  });

  test('is nothing where payments are switched off', async (t) => {
    const { url } = await startHouse(t, { WEIR_MPP: 'off' });
    const gone = { status: 404, type: 'not_found', code: 'not_found' };
    assertError(await callPaidRoute(url), gone);
    assertError(await callPaidRoute(url, { headers: paymentHeaders(someChallengeId()) }), gone);
    for (const path of ['/.well-known/mpp', '/v1/agent/ledger', '/problems/payment-required'])
      assertError(await call(url, { path }), gone);
    const { json } = await call(url, { path: '/openapi.json' });
    assert.equal(at(json, 'paths', '/v1/agent/messages'), undefined);
    assert.deepEqual((await call(url, { path: '/v1/catalog' })).json.paid_routes, []);
  });

  test('can not be set to what this version does not do', async () => {
    for (const [variable, value] of [
      ['WEIR_MPP_SETTLEMENT', 'maybe'],
      ['WEIR_MPP', 'maybe'],
      ['WEIR_MPP_RECIPIENT', 'two words'],
    ])
      await assert.rejects(
        startTestGateway({ [variable ?? '']: value }),
        (fault) => fault instanceof SettingsError && fault.message.startsWith(`${variable}: `),
      );
  });
});

test('a payment opens nothing but its own route', async (t) => {
  const { url, fake } = await startHouse(t, { WEIR_MODE: 'cloud' });
  const { id = '' } = challengeOf(await callPaidRoute(url));
  for (const path of ['/v1/messages', '/v1/chat/completions'])
    assert.equal((await call(url, { path, body: paidQuestion, headers: paymentHeaders(id) })).status, 401);
  assert.equal(fake.requests.length, 0);
});
