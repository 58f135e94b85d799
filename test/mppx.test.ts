import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Receipt } from 'mppx';
import { Mppx } from 'mppx/client';
import { stripe } from 'mppx/stripe/client';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { paidQuestion } from './support/paid-calls.ts';
import { settlementStatuses, startPaidGateway } from './support/paid-gateway.ts';
import { answeredText, streamed } from './support/sandbox.ts';

interface Wish {
  readonly amount: string;
  readonly currency: string;
  readonly networkId?: string | undefined;
  readonly expiresAt: number;
}

async function startWallet(t: TestContext) {
  const weir = await startTestGateway({
    ANTHROPIC_API_KEY: 'sk-ant-api03-the-operators-own',
    WEIR_MPP_NETWORK_ID: 'profile_1',
    WEIR_MPP_RECIPIENT: 'acct_1',
  });
  t.after(() => weir.close());
  const wishes: Wish[] = [];
  const charge = stripe.charge({
    paymentMethod: 'pm_card_visa',
    createToken: async ({ amount, currency, networkId, expiresAt }) => {
      wishes.push({ amount, currency, networkId, expiresAt });
      return 'spt_granted';
    },
  });
  return { weir, wishes, wallet: Mppx.create({ polyfill: false, methods: [charge] }) };
}

for (const stream of [false, true])
  test(`a real client reads the price and shows a payment that is read, ${stream ? 'streamed' : 'whole'}`, async (t) => {
    const { weir, wishes, wallet } = await startWallet(t);
    const answer = await wallet.fetch(`${weir.url}/v1/agent/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...paidQuestion, stream }),
    });
    assert.equal(answer.status, 402);
    const problem: unknown = await answer.json();
    assert.equal(at(problem, 'type'), `${weir.url}/problems/verification-failed`, JSON.stringify(problem));
    assert.match(String(at(problem, 'detail')), /settlement is off/i);
    const [wish] = wishes;
    assert.ok(wish !== undefined);
    assert.deepEqual([wish.amount, wish.currency, wish.networkId], ['5', 'usd', 'profile_1']);
    const seconds = wish.expiresAt - Date.now() / 1000;
    assert.ok(seconds > 0 && seconds <= 300, String(seconds));
  });

for (const stream of [false, true])
  test(`a real client pays and gets its answer, ${stream ? 'streamed' : 'whole'}`, async (t) => {
    const house = await startPaidGateway(t);
    house.fake.answerWith(stream ? { chunks: streamed } : { body: answeredText });
    const charge = stripe.charge({
      paymentMethod: 'pm_card_visa',
      createToken: async () => house.stripe.grant(),
    });
    const wallet = Mppx.create({ polyfill: false, methods: [charge] });
    const answer = await wallet.fetch(`${house.url}/v1/agent/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...paidQuestion, stream }),
    });
    assert.equal(answer.status, 200);
    assert.equal(await answer.text(), stream ? streamed.join('') : JSON.stringify(answeredText));
    const { reference, method, status } = Receipt.fromResponse(answer);
    assert.deepEqual([reference, method, status], ['pi_1', 'stripe', 'success']);
    assert.deepEqual(settlementStatuses(house), ['succeeded']);
  });

test('the conformance command of the protocol finds nothing wrong but for the payment, which it leaves out', async (t) => {
  const { weir } = await startWallet(t);
  const found = await validated(weir.url);
  assert.ok(Number(at(found, 'summary', 'passed')) >= 15, JSON.stringify(found));
});

test('the conformance command of the protocol pays, and finds nothing wrong', async (t) => {
  const house = await startPaidGateway(t);
  const found = await validated(house.url, {
    MPPX_STRIPE_SECRET_KEY: 'sk_test_wallet',
    MPPX_STRIPE_SPT_URL: `${house.stripe.url}/v1/test_helpers/shared_payment/granted_tokens`,
  });
  const checks = at(found, 'endpoints', 0, 'payment');
  assert.ok(Array.isArray(checks) && checks.length > 0);
  assert.deepEqual([...new Set(checks.map((check) => at(check, 'severity')))], ['pass']);
  assert.equal(at(found, 'summary', 'skipped'), 0);
  assert.deepEqual(settlementStatuses(house), ['succeeded']);
});

/** What the command says, where nothing failed. */
async function validated(url: string, more: Record<string, string> = {}): Promise<unknown> {
  const command = join(import.meta.dirname, '..', 'node_modules', 'mppx', 'dist', 'bin.js');
  const body = JSON.stringify({ '/v1/agent/messages': paidQuestion });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [command, 'validate', url, '--yes', '-j', '--body', body],
    { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...more }, maxBuffer: 16 * 1024 * 1024 },
  );
  const found: unknown = JSON.parse(stdout);
  assert.deepEqual(at(found, 'discovery', 'endpoints'), [{ method: 'POST', path: '/v1/agent/messages' }]);
  assert.equal(at(found, 'summary', 'failed'), 0, stdout);
  return found;
}
