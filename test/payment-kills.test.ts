import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { callPaidRoute, paidQuestion, paymentHeaders } from './support/paid-calls.ts';
import {
  dropAllConnections,
  openDatabaseIn,
  type PaymentServices,
  requestChallenge,
  settlementSettings,
  settlementStatuses,
  startPaidCall,
  startPaymentServices,
} from './support/paid-gateway.ts';
import { answeredText, streamed } from './support/sandbox.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

interface Doomed extends PaymentServices {
  readonly url: string;
  /** Kills it, and starts another in its place once nobody is believed to work on its payments. */
  replaced(): Promise<string>;
}

async function startDoomed(t: TestContext): Promise<Doomed> {
  const outside = await startPaymentServices(t);
  const folder = emptyFolder(t);
  const environment = { WEIR_DATA_DIR: folder, ...settlementSettings(outside) };
  const first = new WeirProcess(t, { folder, environment });
  return {
    ...outside,
    url: await first.listening,
    async replaced() {
      first.signal('SIGKILL');
      await first.exited;
      const database = await openDatabaseIn(t, folder);
      await dropAllConnections(database);
      return new WeirProcess(t, { folder, environment }).listening;
    },
  };
}

async function ledgerOf(url: string): Promise<readonly unknown[]> {
  const { json } = await call(url, { path: '/v1/agent/ledger' });
  assert.ok(Array.isArray(json.entries));
  return json.entries;
}

test('a gateway that is killed with money reserved gives it back, and the challenge is good again', async (t) => {
  const doomed = await startDoomed(t);
  const { fake, stripe } = doomed;
  fake.answerWith({ chunks: [], ending: 'hang' });
  const { id, headers } = await requestChallenge(doomed);
  startPaidCall(doomed.url, headers);
  await eventually(() => (fake.requests.length > 0 ? true : undefined));
  assert.deepEqual(settlementStatuses(doomed), ['requires_capture']);
  const url = await doomed.replaced();
  await eventually(() => (settlementStatuses(doomed)[0] === 'canceled' ? true : undefined));
  assert.deepEqual(await ledgerOf(url), []);
  fake.answerWith({ body: answeredText });
  const answered = await eventually(async () => {
    const tried = await callPaidRoute(url, { headers: paymentHeaders(id, stripe.grant()) });
    return tried.status === 200 ? tried : undefined;
  });
  assert.ok(answered.headers['payment-receipt'] !== undefined);
  assert.deepEqual(settlementStatuses(doomed), ['canceled', 'succeeded']);
});

test('a gateway that is killed with money reserved, before it has heard of it, finds it and gives it back', async (t) => {
  const doomed = await startDoomed(t);
  const { stripe } = doomed;
  stripe.faults.push({ at: 'POST /v1/payment_intents', how: 'stuck' });
  const { headers } = await requestChallenge(doomed);
  startPaidCall(doomed.url, headers);
  await eventually(() => (stripe.intents.length > 0 ? true : undefined));
  await doomed.replaced();
  await eventually(() => (settlementStatuses(doomed)[0] === 'canceled' ? true : undefined));
});

test('a gateway that is killed with money taken and nothing sent refunds it', async (t) => {
  const doomed = await startDoomed(t);
  const { stripe } = doomed;
  // Taken, while the gateway still reads whether it was.
  stripe.faults.push({ at: 'GET /v1/payment_intents/', how: 'stuck' });
  const { headers } = await requestChallenge(doomed);
  startPaidCall(doomed.url, headers);
  await eventually(() => (stripe.count('GET /v1/payment_intents/') > 0 ? true : undefined));
  assert.deepEqual(settlementStatuses(doomed), ['succeeded']);
  const url = await doomed.replaced();
  await eventually(() => (settlementStatuses(doomed)[0] === 'refunded' ? true : undefined));
  assert.deepEqual(await ledgerOf(url), []);
});

test('a gateway that is killed in the middle of an answer keeps the money for it, and tells so in the ledger', async (t) => {
  const doomed = await startDoomed(t);
  const { fake, stripe } = doomed;
  fake.answerWith({ chunks: streamed.slice(0, 3), ending: 'hang' });
  const body = { ...paidQuestion, stream: true };
  const { headers } = await requestChallenge(doomed, body);
  const { response } = startPaidCall(doomed.url, headers, body);
  const { headers: head } = await response;
  assert.ok(head['payment-receipt'] !== undefined);
  const asked = stripe.requests.length;
  const url = await doomed.replaced();
  assert.equal((await ledgerOf(url)).length, 1);
  // Others that were left are given back meanwhile; this one is not even asked for.
  const other = await requestChallenge({ ...doomed, url });
  fake.answerWith({ body: answeredText });
  assert.equal((await callPaidRoute(url, { headers: other.headers })).status, 200);
  assert.deepEqual(settlementStatuses(doomed), ['succeeded', 'succeeded']);
  assert.ok(stripe.requests.slice(asked).every((request) => !request.includes('pi_1')));
});
