import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { Secret } from '../src/lib/secret.ts';
import { PaidAnswerStore } from '../src/payments/paid-answer-store.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { assertError } from './support/assert-error.ts';
import type { Answered } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { eventually } from './support/eventually.ts';
import {
  begin,
  databaseIn,
  type PaidHouse,
  quoted,
  settlementSettings,
  startOutside,
  startPaidHouse,
  statuses,
} from './support/paid-house.ts';
import { ask, assertProblem, challengeOf, echoing, paidQuestion, paying } from './support/payer.ts';
import { startReplicas } from './support/replicas.ts';
import { said, streamed } from './support/sandbox.ts';
import { emptyFolder } from './support/weir-process.ts';

const streaming = { ...paidQuestion, stream: true };

function keyed(key: string = randomUUID()): readonly string[] {
  return ['idempotency-key', key];
}

/** The same call once more, until it isn't being made any longer. */
function again(url: string, sent: { headers: readonly string[]; body?: object }): Promise<Answered> {
  return eventually(async () => {
    const answered = await ask(url, sent);
    return answered.status === 409 ? undefined : answered;
  });
}

function assertReplay(answered: Answered, first: Pick<Answered, 'text' | 'headers'>): void {
  assert.equal(answered.status, 200, answered.text);
  assert.equal(answered.text, first.text);
  for (const name of ['payment-receipt', 'content-type', 'cache-control'])
    assert.equal(answered.headers[name], first.headers[name], name);
  assert.equal(answered.headers['idempotent-replayed'], 'true');
}

describe('a paid call with an Idempotency-Key', () => {
  for (const body of [paidQuestion, streaming])
    test(`is answered again as it was, with its receipt, ${'stream' in body ? 'streamed' : 'whole'}`, async (t) => {
      const house = await startPaidHouse(t);
      const { url, fake, database } = house;
      fake.answerWith('stream' in body ? { chunks: streamed } : { body: said });
      const { id, token, headers: payment } = await quoted(house, body);
      const key = randomUUID();
      const headers = [...payment, ...keyed(key)];
      const first = await ask(url, { body, headers });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.headers['idempotent-replayed'], undefined);
      for (let more = 0; more < 2; more++) assertReplay(await again(url, { body, headers }), first);
      assert.equal(fake.requests.length, 1);
      assert.deepEqual(statuses(house), ['succeeded']);

      const credential = { challengeId: id, token: new Secret(token), echoedChallenge: undefined };
      const stored = await database.paidAnswers.find(PaidAnswerStore.nameOf(key, credential));
      assert.equal(stored?.isWhole, true);
      assert.doesNotMatch(Buffer.from(stored?.content?.sealed ?? []).toString('latin1'), /Hello|SGVsbG8/);
    });

  test('is refused with another body, and told to nobody with another credential', async (t) => {
    const house = await startPaidHouse(t);
    const { url, fake, stripe } = house;
    const challenge = challengeOf(await ask(url));
    const { id = '' } = challenge;
    const token = stripe.grant();
    const key = keyed();
    const first = await ask(url, { headers: [...paying(id, token), ...key] });
    assert.equal(first.status, 200, first.text);
    assertReplay(await again(url, { headers: [...echoing(challenge, { spt: token }), ...key] }), first);
    const other = await ask(url, { body: streaming, headers: [...paying(id, token), ...key] });
    assertError(other, { status: 422, type: 'invalid_request_error', code: 'idempotency_key_reused' });
    assert.equal(other.headers['x-should-retry'], 'false');
    for (const headers of [
      paying(id, stripe.grant()),
      paying(id, `${token}x`),
      paying(id, token).slice(0, 0),
    ]) {
      const answered = await ask(url, { headers: [...headers, ...key] });
      const slug = headers.length === 0 ? 'payment-required' : 'invalid-challenge';
      assertProblem(answered, slug, url);
      assert.doesNotMatch(answered.text, /Hello there/);
    }
    // Without its key it is a challenge that was used up, like any other.
    assertProblem(await ask(url, { headers: paying(id, token) }), 'invalid-challenge', url);
    const another = await quoted(house);
    const fresh = await ask(url, { headers: [...another.headers, ...key] });
    assert.equal(fresh.headers['idempotent-replayed'], undefined);
    assert.deepEqual([fresh.status, fake.requests.length], [200, 2]);
    assert.deepEqual(statuses(house), ['succeeded', 'succeeded']);
  });

  test('is told to wait while it is being made, however many ask', async (t) => {
    const house = await startPaidHouse(t);
    const { url, fake } = house;
    const { promise: may, resolve: goOn } = Promise.withResolvers<void>();
    fake.answerWith(async () => {
      await may;
      return { body: said };
    });
    const headers = [...(await quoted(house)).headers, ...keyed()];
    const all = Array.from({ length: 50 }, () => ask(url, { headers }));
    await eventually(() => (fake.requests.length > 0 ? true : undefined));
    const waiting = await ask(url, { headers });
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
    assert.deepEqual(statuses(house), ['succeeded']);
  });

  test('is answered to its end though the client has left, once it is paid for', async (t) => {
    const house = await startPaidHouse(t);
    const { url, fake } = house;
    fake.answerWith({ chunks: [...streamed.slice(0, 3), 300, ...streamed.slice(3)] });
    const headers = [...(await quoted(house, streaming)).headers, ...keyed()];
    const { request, response } = begin(url, headers, streaming);
    const { headers: first } = await response;
    request.destroy();
    assertReplay(await again(url, { body: streaming, headers }), { text: streamed.join(''), headers: first });
    assert.equal(fake.requests.length, 1);
    assert.deepEqual(statuses(house), ['succeeded']);
  });

  test('keeps its key where nothing came of it', async (t) => {
    const house = await startPaidHouse(t);
    const { url, fake, stripe } = house;
    const key = keyed();
    const { id, headers } = await quoted(house);
    fake.answerWith({ status: 500, body: {} });
    assert.equal((await ask(url, { headers: [...headers, ...key] })).status, 502);
    stripe.faults.push({ at: 'POST /v1/payment_intents', how: 'declined' });
    const declined = [...paying(id, stripe.grant()), ...key];
    assertProblem(await ask(url, { headers: declined }), 'verification-failed', url);
    fake.answerWith({ body: said });
    assert.equal((await ask(url, { headers: declined })).status, 200);
    assert.deepEqual(statuses(house), ['canceled', 'succeeded']);
  });

  test('is refused where the key is none', async (t) => {
    const house = await startPaidHouse(t);
    const { headers } = await quoted(house);
    for (const wrong of [keyed(''), keyed('a b'), keyed('x'.repeat(256)), [...keyed('a'), ...keyed('b')]])
      assertError(await ask(house.url, { headers: [...headers, ...wrong] }), {
        status: 400,
        type: 'invalid_request_error',
        param: 'Idempotency-Key',
      });
    assert.equal((await ask(house.url, { headers: [...headers, ...keyed('x'.repeat(255))] })).status, 200);
  });

  test('is answered again by another replica', async (t) => {
    const outside = await startOutside(t);
    const [one, other] = await startReplicas(t, settlementSettings(outside));
    const headers = [...(await quoted({ ...outside, url: one.url })).headers, ...keyed()];
    const first = await ask(one.url, { headers });
    assert.equal(first.status, 200, first.text);
    assertReplay(await again(other.url, { headers }), first);
    assert.deepEqual(statuses(outside), ['succeeded']);
  });

  test('is answered again by a gateway that was started anew', async (t) => {
    const { house, restarted } = await startTwice(t);
    const headers = [...(await quoted(house)).headers, ...keyed()];
    const first = await ask(house.url, { headers });
    assert.equal(first.status, 200, first.text);
    assertReplay(await again(await restarted(), { headers }), first);
    assert.deepEqual(statuses(house), ['succeeded']);
  });

  test('is made again for nothing where the gateway stopped in the middle of it', async (t) => {
    const { house, restarted } = await startTwice(t);
    const { fake, database } = house;
    fake.answerWith({ chunks: streamed.slice(0, 3), ending: 'hang' });
    const { id, token, headers: payment } = await quoted(house, streaming);
    const headers = [...payment, ...keyed('the-key')];
    const { response } = begin(house.url, headers, streaming);
    const { headers: first } = await response;
    const url = await restarted();
    fake.answerWith({ chunks: streamed });
    assert.equal((await ask(url, { body: streaming, headers })).status, 409);
    const credential = { challengeId: id, token: new Secret(token), echoedChallenge: undefined };
    await database.paidAnswers.renew([PaidAnswerStore.nameOf('the-key', credential)], 0);
    const whole = await again(url, { body: streaming, headers });
    assert.deepEqual([whole.status, whole.text], [200, streamed.join('')]);
    assert.equal(whole.headers['payment-receipt'], first['payment-receipt']);
    assertReplay(await again(url, { body: streaming, headers }), whole);
    assert.deepEqual(statuses(house), ['succeeded']);
    assert.equal(fake.requests.length, 2);
  });
});

test('a paid answer that the provider broke off is made again for nothing, but not for ever', async (t) => {
  const house = await startPaidHouse(t);
  const { url, fake, database } = house;
  fake.answerWith({ chunks: streamed.slice(0, 3), ending: 'cut' });
  const { id, token, headers: payment } = await quoted(house, streaming);
  const headers = [...payment, ...keyed('the-key')];
  const name = PaidAnswerStore.nameOf('the-key', {
    challengeId: id,
    token: new Secret(token),
    echoedChallenge: undefined,
  });
  const answers: Answered[] = [];
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
  assert.deepEqual(statuses(house), ['succeeded']);
});

/** A gateway, and how to stop it at once and have another in its place. */
async function startTwice(
  t: TestContext,
): Promise<{ readonly house: PaidHouse; restarted(): Promise<string> }> {
  const outside = await startOutside(t);
  const folder = emptyFolder(t);
  const environment = { WEIR_DATA_DIR: folder, ...settlementSettings(outside) };
  const weir = await startTestGateway(environment);
  const house = { ...outside, weir, url: weir.url, folder, database: await databaseIn(t, folder) };
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
