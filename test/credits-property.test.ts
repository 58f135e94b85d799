import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type Stripe from 'stripe';
import { CreditPurchases } from '../src/billing/credit-purchases.ts';
import { limits } from '../src/billing/limits.ts';
import { ProcessorWebhooks } from '../src/billing/processor-webhooks.ts';
import { Recharger } from '../src/billing/recharger.ts';
import { StripeBilling } from '../src/billing/stripe/stripe-billing.ts';
import { Subscriptions } from '../src/billing/subscriptions.ts';
import type { Database } from '../src/kernel/ports/records.ts';
import { Secret } from '../src/lib/secret.ts';
import { MemorySharedState } from '../src/storage/memory/memory-shared-state.ts';
import { openSqlite } from '../src/storage/sql/sqlite.ts';
import { someMember } from './conformance/database/samples.ts';
import { stripeClientFor } from './support/billing-fixture.ts';
import { FakeStripe } from './support/fake-stripe.ts';
import { KillableProcess } from './support/killable-process.ts';
import { ManualClock } from './support/manual-clock.ts';
import { type FakeEvent, webhookSecret } from './support/stripe/fake-billing.ts';
import { emptyFolder } from './support/weir-process.ts';

type Action =
  | { readonly do: 'buy'; readonly cents: number }
  | { readonly do: 'refund' | 'dispute' | 'win'; readonly which: number }
  | { readonly do: 'tell'; readonly which: number; readonly replica: number }
  | { readonly do: 'use'; readonly calls: number; readonly replica: number }
  | { readonly do: 'want'; readonly enabled: boolean; readonly threshold: number }
  | { readonly do: 'recharge' | 'sweep'; readonly replica: number }
  | { readonly do: 'decline'; readonly declines: boolean }
  | { readonly do: 'fail'; readonly how: 'lost' | 'broken' }
  | { readonly do: 'kill'; readonly steps: number; readonly replica: number };

const which = fc.nat({ max: 9 });
const replica = fc.nat({ max: 1 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('buy' as const), cents: fc.integer({ min: 50, max: 200 }) }),
  fc.record({ do: fc.constantFrom('refund', 'dispute', 'win'), which }),
  fc.record({ do: fc.constant('tell' as const), which, replica }),
  fc.record({ do: fc.constant('tell' as const), which, replica }),
  fc.record({ do: fc.constant('use' as const), calls: fc.integer({ min: 1, max: 5000 }), replica }),
  fc.record({
    do: fc.constant('want' as const),
    enabled: fc.boolean(),
    threshold: fc.integer({ min: 1, max: 400_000 }),
  }),
  fc.record({ do: fc.constantFrom('recharge', 'sweep'), replica }),
  fc.record({ do: fc.constantFrom('recharge', 'sweep'), replica }),
  fc.record({ do: fc.constant('decline' as const), declines: fc.boolean() }),
  fc.record({ do: fc.constant('fail' as const), how: fc.constantFrom('lost', 'broken') }),
  fc.record({ do: fc.constant('kill' as const), steps: fc.nat({ max: 6 }), replica }),
);

test('no order of payments, refunds, calls, recharges, copies, faults and kills loses or invents a credit', async (t) => {
  const stripe = await FakeStripe.start(t);
  const folder = emptyFolder(t);
  const databases = [
    await openSqlite({ file: join(folder, 'weir.db') }),
    await openSqlite({ file: join(folder, 'weir.db') }),
  ];
  t.after(() => Promise.all(databases.map((database) => database.close())));
  const client = stripeClientFor(stripe.url);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      async (groups) => {
        const trial = await Trial.begin(stripe, client, databases);
        for (const group of groups) await trial.together(group);
        await trial.settle();
        await trial.check();
      },
    ),
    { numRuns: 25 },
  );
});

/** One account with its processor, on two replicas. */
class Trial {
  readonly #stripe: FakeStripe;
  readonly #clock = new ManualClock();
  readonly #replicas: readonly Replica[];
  readonly #database: Database;
  readonly #accountId: string;
  readonly #customerId: string;
  readonly #events: FakeEvent[] = [];
  #calls = 0;

  static async begin(stripe: FakeStripe, client: Stripe, databases: readonly Database[]): Promise<Trial> {
    const [database] = databases;
    assert.ok(database !== undefined);
    const member = someMember({ tier: 'pro' });
    await database.identities.add(member);
    const processor = processorOn(client);
    const { account, identity } = member;
    const customerId = await processor.createCustomer({ accountId: account.id, email: identity.email });
    await database.billing.linkCustomer(account.id, customerId);
    const customer = stripe.billing.customers.find(({ id }) => id === customerId);
    assert.ok(customer !== undefined);
    customer.method = 'pm_1';
    stripe.billing.declineCode = undefined;
    return new Trial({ stripe, client, databases, database, accountId: account.id, customerId });
  }

  private constructor(parts: {
    stripe: FakeStripe;
    client: Stripe;
    databases: readonly Database[];
    database: Database;
    accountId: string;
    customerId: string;
  }) {
    this.#stripe = parts.stripe;
    this.#database = parts.database;
    this.#accountId = parts.accountId;
    this.#customerId = parts.customerId;
    this.#replicas = parts.databases.map((database) => new Replica(database, parts.client, this.#clock));
  }

  /** All at once, in whatever order their steps come. Whoever was killed is another process the next time. */
  async together(actions: readonly Action[]): Promise<void> {
    await Promise.all(actions.map((action) => this.#act(action)));
    this.#stripe.faults.length = 0;
    for (const { life } of this.#replicas) life.revive();
    this.#clock.move(limits.rechargeLeaseMs);
    this.#events.push(...this.#stripe.billing.events.splice(0));
  }

  /** The processor is well again, tells everything that it has to tell, and nobody is killed any more. */
  async settle(): Promise<void> {
    this.#stripe.billing.declineCode = undefined;
    await this.#want(false, 1);
    for (let rounds = 0; rounds < 3; rounds++) {
      this.#clock.move(limits.rechargePauseMsMax);
      for (const { recharger } of this.#replicas) await recharger.sweep();
    }
    this.#events.push(...this.#stripe.billing.events.splice(0));
    for (const event of this.#events.toReversed()) await this.#replica(0).tell(event);
  }

  async check(): Promise<void> {
    const { credits } = this.#database;
    const charges = this.#charges().filter(({ status }) => status === 'succeeded');
    const payments = await credits.payments(this.#accountId);
    assert.deepEqual(
      payments.map(({ intentId, credits: bought, reclaimed }) => [intentId, bought, reclaimed]).toSorted(),
      charges
        .map(({ id, cents, refundedCents, dispute }) => {
          const disputed = dispute === undefined || dispute.status === 'won' ? 0 : dispute.cents;
          return [id, cents * 1000, Math.min(cents, refundedCents + disputed) * 1000];
        })
        .toSorted(),
    );
    const entries = await credits.entries({ accountId: this.#accountId, after: undefined, limit: 10_000 });
    const sum = (kinds: readonly string[]) =>
      entries.reduce((all, { kind, credits: some }) => all + (kinds.includes(kind) ? some : 0), 0);
    const bought = payments.reduce((all, payment) => all + payment.credits, 0);
    const taken = payments.reduce((all, payment) => all + payment.taken, 0);
    const gone = entries.reduce(
      (all, { note }) => all + Number(/(\d+) credits for them were gone/.exec(note ?? '')?.[1] ?? 0),
      0,
    );
    assert.equal(sum(['purchase']), bought);
    assert.equal(sum(['refund', 'dispute', 'reinstated']), -taken + 0);
    assert.equal(-sum(['overage']) + gone, this.#calls * 25);
    const balance = await credits.balance(this.#accountId);
    assert.equal(balance, bought - taken - this.#calls * 25 + gone);
    assert.ok(balance >= 0);
    assert.deepEqual(await credits.findInconsistencies(), []);
    const recharges = charges.filter(({ metadata }) => metadata.weir_recharge !== undefined);
    assert.equal(new Set(recharges.map(({ metadata }) => metadata.weir_recharge)).size, recharges.length);
  }

  /** Nothing here fails: what goes wrong is told again, or found later. */
  async #act(action: Action): Promise<void> {
    const { billing } = this.#stripe;
    switch (action.do) {
      case 'buy': {
        const metadata = { weir_account: this.#accountId, weir_credits: String(action.cents * 1000) };
        billing.buy(this.#customerId, action.cents, metadata);
        return;
      }
      case 'refund':
      case 'dispute':
      case 'win': {
        const paid = this.#charges().filter(({ status }) => status === 'succeeded');
        const charge = paid[action.which % Math.max(1, paid.length)];
        if (charge === undefined) return;
        if (action.do === 'refund')
          billing.refund(charge.id, Math.min(30, charge.cents - charge.refundedCents));
        else if (action.do === 'dispute') billing.dispute(charge.id);
        else if (charge.dispute !== undefined) billing.dispute(charge.id, 'won');
        return;
      }
      case 'tell': {
        const event = this.#events[action.which % Math.max(1, this.#events.length)];
        if (event !== undefined)
          await this.#replica(action.replica)
            .tell(event)
            .catch(() => undefined);
        return;
      }
      case 'use':
        return this.#use(action.calls, this.#replica(action.replica));
      case 'want':
        return this.#want(action.enabled, action.threshold);
      case 'recharge':
        return this.#replica(action.replica).recharger.rechargeIfDue(this.#accountId);
      case 'sweep':
        return this.#replica(action.replica).recharger.sweep();
      case 'decline':
        billing.declineCode = action.declines ? 'card_declined' : undefined;
        return;
      case 'fail':
        this.#stripe.faults.push({ at: 'payment_intents', how: action.how });
        return;
      case 'kill':
        this.#replica(action.replica).life.dieAfter(action.steps);
    }
  }

  /** As many calls past the cap as there are credits for, stored in one batch, which a kill may have stored or not. */
  async #use(calls: number, { database }: Replica): Promise<void> {
    const { credits } = await this.#database.credits.standing(this.#accountId, 1);
    const made = Math.min(calls, Math.floor(credits / 25));
    const counted = [{ accountId: this.#accountId, periodStartMs: 1, calls: made, paidPast: 0 }];
    const batch = { id: randomUUID(), atMs: this.#clock.now(), days: [], counted };
    if (made === 0) return;
    await database.usage.add(batch);
    await database.usage.add(batch);
    this.#calls += made;
  }

  async #want(enabled: boolean, threshold: number): Promise<void> {
    const wanted = { enabled, threshold, amount: 50_000, reason: null };
    await this.#database.billing.setAutoRecharge(this.#accountId, wanted);
  }

  #charges() {
    return this.#stripe.billing.charges.filter(({ customer }) => customer === this.#customerId);
  }

  #replica(number: number): Replica {
    const replica = this.#replicas[number];
    assert.ok(replica !== undefined);
    return replica;
  }
}

class Replica {
  readonly life = new KillableProcess();
  readonly database: Database;
  readonly recharger: Recharger;
  readonly #news: ProcessorWebhooks;
  readonly #client: Stripe;

  constructor(database: Database, client: Stripe, clock: ManualClock) {
    this.database = database;
    this.#client = client;
    const parts = {
      accounts: database.accounts,
      credits: this.life.port(database.credits),
      billing: this.life.port(database.billing),
      recharges: this.life.port(database.recharges),
      versions: new MemorySharedState(clock).versions,
      processor: processorOn(client),
      clock,
      onFault: () => undefined,
    };
    const purchases = new CreditPurchases(parts);
    this.recharger = new Recharger({ ...parts, purchases });
    const subscriptions = new Subscriptions({ ...parts, changeTier: (_account, _tier, apply) => apply() });
    this.#news = new ProcessorWebhooks({ ...parts, purchases, subscriptions, recharger: this.recharger });
  }

  async tell({ id, type, object }: FakeEvent): Promise<void> {
    const payload = JSON.stringify({ object: 'event', id, type, data: { object } });
    const header = this.#client.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    await this.#news.handle(Buffer.from(payload), header);
  }
}

function processorOn(client: Stripe): StripeBilling {
  return new StripeBilling({
    client: async () => client,
    webhookSecret: new Secret(webhookSecret),
    prices: { pro: [], team: [] },
  });
}
