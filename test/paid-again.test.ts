import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { Secret } from '../src/lib/secret.ts';
import { PaidAnswerStore } from '../src/payments/paid-answer-store.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import type { RawAnswer } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { eventually } from './support/eventually.ts';
import {
  assertPaymentProblem,
  callPaidRoute,
  challengeOf,
  echoedPaymentHeaders,
  paidQuestion,
  paymentHeaders,
} from './support/paid-calls.ts';
import {
  openDatabaseIn,
  type PaidGateway,
  requestChallenge,
  settlementSettings,
  settlementStatuses,
  startPaidCall,
  startPaidGateway,
  startPaymentServices,
} from './support/paid-gateway.ts';
import { startReplicas } from './support/replicas.ts';
import { answeredText, streamed } from './support/sandbox.ts';
import { emptyFolder } from './support/weir-process.ts';

const streaming = { ...paidQuestion, stream: true };

function keyed(key: string = randomUUID()): readonly string[] {
  return ['idempotency-key', key];
}

/** The same call once more, until it isn't being made any longer. */
function again(url: string, sent: { headers: readonly string[]; body?: object }): Promise<RawAnswer> {
  return eventually(async () => {
    const answered = await callPaidRoute(url, sent);
    return answered.status === 409 ? undefined : answered;
  });
}

function assertReplay(answered: RawAnswer, first: Pick<RawAnswer, 'text' | 'headers'>): void {
  assert.equal(answered.status, 200, answered.text);
  assert.equal(answered.text, first.text);
  for (const name of ['payment-receipt', 'content-type', 'cache-control'])
    assert.equal(answered.headers[name], first.headers[name], name);
  assert.equal(answered.headers['idempotent-replayed'], 'true');
}

describe('a paid call with an Idempotency-Key', () => {
  for (const body of [paidQuestion, streaming])
    test(`is answered again as it was, with its receipt, ${'stream' in body ? 'streamed' : 'whole'}`, async (t) => {
      const house = await startPaidGateway(t);
      const { url, fake, database } = house;
      fake.answerWith('stream' in body ? { chunks: streamed } : { body: answeredText });
      const { id, token, headers: payment } = await requestChallenge(house, body);
      const key = randomUUID();
      const headers = [...payment, ...keyed(key)];
      const first = await callPaidRoute(url, { body, headers });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.headers['idempotent-replayed'], undefined);
      for (let more = 0; more < 2; more++) assertReplay(await again(url, { body, headers }), first);
      assert.equal(fake.requests.length, 1);
      assert.deepEqual(settlementStatuses(house), ['succeeded']);

      const credential = { challengeId: id, token: new Secret(token), echoedChallenge: undefined };
      const stored = await database.paidAnswers.find(PaidAnswerStore.nameOf(key, credential));
      assert.equal(stored?.isWhole, true);
      assert.doesNotMatch(Buffer.from(stored?.content?.sealed ?? []).toString('latin1'), /Hello|SGVsbG8/);
    });

  test('is refused with another body, and told to nobody with another credential', async (t) => {
    const house = await startPaidGateway(t);
    const { url, fake, stripe } = house;
    const challenge = challengeOf(await callPaidRoute(url));
    const { id = '' } = challenge;
    const token = stripe.grant();
    const key = keyed();
    const first = await callPaidRoute(url, { headers: [...paymentHeaders(id, token), ...key] });
    assert.equal(first.status, 200, first.text);
    assertReplay(
      await again(url, { headers: [...echoedPaymentHeaders(challenge, { spt: token }), ...key] }),
      first,
    );
    const other = await callPaidRoute(url, {
      body: streaming,
      headers: [...paymentHeaders(id, token), ...key],
    });
    assertError(other, { status: 422, type: 'invalid_request_error', code: 'idempotency_key_reused' });
    assert.equal(other.headers['x-should-retry'], 'false');
    for (const headers of [
      paymentHeaders(id, stripe.grant()),
      paymentHeaders(id, `${token}x`),
      paymentHeaders(id, token).slice(0, 0),
    ]) {
      const answered = await callPaidRoute(url, { headers: [...headers, ...key] });
      const slug = headers.length === 0 ? 'payment-required' : 'invalid-challenge';
      assertPaymentProblem(answered, slug, url);
      assert.doesNotMatch(answered.text, /Hello there/);
    }
    // Without its key it is a challenge that was used up, like any other.
    assertPaymentProblem(
      await callPaidRoute(url, { headers: paymentHeaders(id, token) }),
      'invalid-challenge',
      url,
    );
    const another = await requestChallenge(house);
    const fresh = await callPaidRoute(url, { headers: [...another.headers, ...key] });
    assert.equal(fresh.headers['idempotent-replayed'], undefined);
    assert.deepEqual([fresh.status, fake.requests.length], [200, 2]);
    assert.deepEqual(settlementStatuses(house), ['succeeded', 'succeeded']);
  });

  test('is told to wait while it is being made, however many ask', async (t) => {
    const house = await startPaidGateway(t);
    const { url, fake } = house;
    const { promise: may, resolve: goOn } = Promise.withResolvers<void>();
    fake.answerWith(async () => {
      await may;
      return { body: answeredText };
    });
    const headers = [...(await requestChallenge(house)).headers, ...keyed()];
    const all = Array.from({ length: 50 }, () => callPaidRoute(url, { headers }));
    await eventually(() => (fake.requests.length > 0 ? true : undefined));
    const waiting = await callPaidRoute(url, { headers });
    assertError(waiting, { status: 409, type: 'invalid_request_error', code: 'idempotency_key_in_use' });
    assert.equal(waiting.headers['retry-after'], '2');
    goOn();
    const answers = await Promise.all(all);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 409]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const first = answers.find(({ status }) => status === 200);
    assert.ok(first !== undefined);
    assertReplay(await again(url, { headers }), first);
    assert.equal(fake.requests.length, 1);
    assert.deepEqual(settlementStatuses(house), ['succeeded']);
  });

  test('is answered to its end though the client has left, once it is paid for', async (t) => {
    const house = await startPaidGateway(t);
    const { url, fake } = house;
    fake.answerWith({ chunks: [...streamed.slice(0, 3), 300, ...streamed.slice(3)] });
    const headers = [...(await requestChallenge(house, streaming)).headers, ...keyed()];
    const { request, response } = startPaidCall(url, headers, streaming);
    const { headers: first } = await response;
    request.destroy();
    assertReplay(await again(url, { body: streaming, headers }), { text: streamed.join(''), headers: first });
    assert.equal(fake.requests.length, 1);
    assert.deepEqual(settlementStatuses(house), ['succeeded']);
  });

  test('keeps its key where nothing came of it', async (t) => {
    const house = await startPaidGateway(t);
    const { url, fake, stripe } = house;
    const key = keyed();
    const { id, headers } = await requestChallenge(house);
    fake.answerWith({ status: 500, body: {} });
    assert.equal((await callPaidRoute(url, { headers: [...headers, ...key] })).status, 502);
    stripe.faults.push({ at: 'POST /v1/payment_intents', how: 'declined' });
    const declined = [...paymentHeaders(id, stripe.grant()), ...key];
    assertPaymentProblem(await callPaidRoute(url, { headers: declined }), 'verification-failed', url);
    fake.answerWith({ body: answeredText });
    assert.equal((await callPaidRoute(url, { headers: declined })).status, 200);
    assert.deepEqual(settlementStatuses(house), ['canceled', 'succeeded']);
  });

  test('is refused where the key is none', async (t) => {
    const house = await startPaidGateway(t);
    const { headers } = await requestChallenge(house);
    for (const wrong of [keyed(''), keyed('a b'), keyed('x'.repeat(256)), [...keyed('a'), ...keyed('b')]])
      assertError(await callPaidRoute(house.url, { headers: [...headers, ...wrong] }), {
        status: 400,
        type: 'invalid_request_error',
        param: 'Idempotency-Key',
      });
    assert.equal(
      (await callPaidRoute(house.url, { headers: [...headers, ...keyed('x'.repeat(255))] })).status,
      200,
    );
  });

  test('is answered again by another replica', async (t) => {
    const outside = await startPaymentServices(t);
    const [one, other] = await startReplicas(t, settlementSettings(outside));
    const headers = [...(await requestChallenge({ ...outside, url: one.url })).headers, ...keyed()];
    const first = await callPaidRoute(one.url, { headers });
    assert.equal(first.status, 200, first.text);
    assertReplay(await again(other.url, { headers }), first);
    assert.deepEqual(settlementStatuses(outside), ['succeeded']);
  });

  test('is answered again by a gateway that was started anew', async (t) => {
    const { house, restarted } = await startTwice(t);
    const headers = [...(await requestChallenge(house)).headers, ...keyed()];
    const first = await callPaidRoute(house.url, { headers });
    assert.equal(first.status, 200, first.text);
    assertReplay(await again(await restarted(), { headers }), first);
    assert.deepEqual(settlementStatuses(house), ['succeeded']);
  });

  test('is made again for nothing where the gateway stopped in the middle of it', async (t) => {
    const { house, restarted } = await startTwice(t);
    const { fake, database } = house;
    fake.answerWith({ chunks: streamed.slice(0, 3), ending: 'hang' });
    const { id, token, headers: payment } = await requestChallenge(house, streaming);
    const headers = [...payment, ...keyed('the-key')];
    const { response } = startPaidCall(house.url, headers, streaming);
    const { headers: first } = await response;
    const url = await restarted();
    fake.answerWith({ chunks: streamed });
    assert.equal((await callPaidRoute(url, { body: streaming, headers })).status, 409);
    const credential = { challengeId: id, token: new Secret(token), echoedChallenge: undefined };
    await database.paidAnswers.renew([PaidAnswerStore.nameOf('the-key', credential)], 0);
    const whole = await again(url, { body: streaming, headers });
    assert.deepEqual([whole.status, whole.text], [200, streamed.join('')]);
    assert.equal(whole.headers['payment-receipt'], first['payment-receipt']);
    assertReplay(await again(url, { body: streaming, headers }), whole);
    assert.deepEqual(settlementStatuses(house), ['succeeded']);
    assert.equal(fake.requests.length, 2);
  });
});

test('a paid answer that the provider broke off is made again for nothing, but not for ever', async (t) => {
  const house = await startPaidGateway(t);
  const { url, fake, database } = house;
  fake.answerWith({ chunks: streamed.slice(0, 3), ending: 'cut' });
  const { id, token, headers: payment } = await requestChallenge(house, streaming);
  const headers = [...payment, ...keyed('the-key')];
  const name = PaidAnswerStore.nameOf('the-key', {
    challengeId: id,
    token: new Secret(token),
    echoedChallenge: undefined,
  });
  const answers: RawAnswer[] = [];
  for (let made = 0; made < 4; made++) {
    answers.push(await again(url, { body: streaming, headers }));
    await database.paidAnswers.renew([name], 0);
  }
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['idempotent-replayed']]),
    [
      [200, undefined],
      [200, undefined],
      [200, undefined],
      [200, 'true'],
    ],
  );
  assert.equal(fake.requests.length, 3);
  assert.deepEqual(settlementStatuses(house), ['succeeded']);
});

/** A gateway, and how to stop it at once and have another in its place. */
async function startTwice(
  t: TestContext,
): Promise<{ readonly house: PaidGateway; restarted(): Promise<string> }> {
  const outside = await startPaymentServices(t);
  const folder = emptyFolder(t);
  const environment = { WEIR_DATA_DIR: folder, ...settlementSettings(outside) };
  const weir = await startTestGateway(environment);
  const house = { ...outside, weir, url: weir.url, folder, database: await openDatabaseIn(t, folder) };
  return {
    house,
    async restarted() {
      await weir.gateway.close(0);
      const second = await startTestGateway(environment);
      cleanUp(t, () => second.close());
      return second.url;
    },
  };
}
