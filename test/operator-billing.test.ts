import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { billingSettings, Customer, deliverAll } from './support/billing-gateway.ts';
import { startCloud } from './support/cloud.ts';
import { FakeStripe } from './support/fake-stripe.ts';
import { replicaSettings } from './support/replicas.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

async function weir(t: TestContext, environment: Environment, ...args: readonly string[]) {
  const command = new WeirProcess(t, { args, environment });
  const { code } = await command.exited;
  const complaints = command.stderr.split('\n').filter((line) => !line.includes('"event":'));
  return { code, said: command.stdout + complaints.join('\n') };
}

const homes: Readonly<Record<string, (t: TestContext) => Environment | Promise<Environment>>> = {
  'the embedded store': (t) => ({ WEIR_DATA_DIR: emptyFolder(t) }),
  'PostgreSQL and Redis': replicaSettings,
};

describe('weir users set-tier', () => {
  for (const [home, environmentOf] of Object.entries(homes))
    test(`holds from the next request on, on ${home}`, async (t) => {
      const stripe = await FakeStripe.start(t);
      const environment = { WEIR_MODE: 'cloud', WEIR_TIER_FREE_LIMIT: '0', ...(await environmentOf(t)) };
      const { url } = await startCloud(t, environment);
      const customer = await Customer.signUp({ url, stripe });
      assert.equal((await customer.ask()).status, 429);
      const { code, said } = await weir(t, environment, 'users', 'set-tier', customer.person.email, 'team');
      assert.deepEqual(
        [code, said],
        [0, `${customer.person.email} is on the tier "team", from the next request on\n`],
      );
      assert.equal((await customer.ask()).status, 200);
      assert.equal((await customer.get('balance')).json.tier, 'team');
    });

  test('says what is wrong, and where nobody is running', async (t) => {
    const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
    const gateway = await startCloud(t, environment);
    const { person } = await Customer.signUp({ url: gateway.url, stripe: await FakeStripe.start(t) });
    await gateway.close();
    const [nobody, wrong, later] = await Promise.all([
      weir(t, environment, 'users', 'set-tier', 'nobody@example.com', 'pro'),
      weir(t, environment, 'users', 'set-tier', person.email, 'gold'),
      weir(t, environment, 'users', 'set-tier', person.email, 'pro'),
    ]);
    assert.deepEqual(nobody, {
      code: 1,
      said: 'weir: no account with the email address nobody@example.com\n',
    });
    assert.deepEqual(wrong, { code: 1, said: 'weir: weir users set-tier <email or id> free|pro|team\n' });
    assert.equal(later.code, 0);
    assert.match(later.said, /when the gateway is started: none is running/);
  });
});

test('weir billing reconcile finds what nobody told the gateway, and puts it right', async (t) => {
  const stripe = await FakeStripe.start(t);
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t), ...billingSettings(stripe) };
  const { url } = await startCloud(t, environment);
  const customer = await Customer.signUp({ url, stripe });
  await customer.pay('checkout', { tier: 'pro' });
  await deliverAll({ url, stripe });
  await customer.pay('credits', { credits: 50_000 });
  const [charge] = stripe.billing.charges;
  assert.ok(charge !== undefined);
  stripe.billing.change(customer.id, { price: 'price_team' });
  stripe.billing.events.length = 0;
  const { id } = customer.person;

  const found = await weir(t, environment, 'billing', 'reconcile');
  assert.equal(found.code, 1, found.said);
  const lines = found.said.trimEnd().split('\n');
  assert.match(
    String(lines[0]),
    new RegExp(`^account ${id}: pro until .*, and by its subscriptions team until `),
  );
  assert.deepEqual(lines.slice(1), [
    `account ${id}: ${charge.id} bought 50000 credits, but the account received none`,
    'compared 1 accounts and 1 credit payments: 2 differ',
  ]);
  const repaired = await weir(t, environment, 'billing', 'reconcile', '--repair');
  assert.equal(repaired.code, 0, repaired.said);
  assert.match(repaired.said, /received none \(repaired\)/);
  const { json } = await customer.get('balance');
  assert.deepEqual([json.tier, json.credits], ['team', 50_000]);
  const { code, said } = await weir(t, environment, 'billing', 'reconcile', '--json');
  assert.deepEqual([code, JSON.parse(said)], [0, { accounts: 1, payments: 1, departures: [], faults: [] }]);
});
