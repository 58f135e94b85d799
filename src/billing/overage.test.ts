import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { emptyFolder } from '../../test/support/weir-process.ts';
import type { Account, Database } from '../kernel/ports/records.ts';
import { MemoryAccountState } from '../storage/memory/memory-account-state.ts';
import { openEmptyDatabase } from '../testing/empty-database.ts';
import { Quota, type QuotaDecision } from './quota.ts';
import { UsageRecorder } from './usage-recorder.ts';

const day = 86_400_000;
const tierLimits = { free: 1, pro: 10, team: 1000 };

/** Two processes that count an account's calls, which has ten in its period and pays for more with credits. */
async function setUp(t: TestContext, credits: number) {
  const clock = new ManualClock();
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const accounts = new MemoryAccountState(clock);
  const period = { startMs: clock.now(), endMs: clock.now() + 30 * day };
  const account: Account = { id: 'a', tier: 'pro', period, overage: true };
  let purchases = 0;
  const buy = async (bought: number) => {
    const intentId = `pi_${++purchases}`;
    await database.credits.recordPurchase({
      intentId,
      accountId: 'a',
      credits: bought,
      rechargeId: undefined,
      atMs: 1,
    });
    await accounts.renew('a');
    return intentId;
  };
  if (credits > 0) await buy(credits);
  const processes = [1, 2].map(() => process(database, accounts, clock));
  return { clock, database, accounts, account, processes, buy };
}

function process(database: Database, accounts: MemoryAccountState, clock: ManualClock) {
  let standings = 0;
  const recorder = new UsageRecorder({ usageStore: database.usage, clock, flushMs: 3_600_000 });
  const quota = new Quota({
    slots: accounts,
    versions: accounts,
    clock,
    tierLimits,
    upgradeUrl: () => 'https://weir.example/upgrade',
    reservations: recorder.reservations,
    recordedCalls: (accountId, periodStartMs) => recorder.recordedCalls(accountId, periodStartMs),
    recordedAndReservedCalls: (accountId, periodStartMs) =>
      recorder.recordedAndReservedCalls(accountId, periodStartMs),
    creditStanding(accountId, periodStartMs) {
      standings++;
      return database.credits.standing(accountId, periodStartMs);
    },
  });
  /** The call is made; whether it was let through. */
  const call = async (account: Account): Promise<boolean> => {
    const decision = await quota.takeSlot(account);
    if (decision.outcome === 'refused') return false;
    keep(decision);
    return true;
  };
  const keep = ({ slot: quotaSlot }: Extract<QuotaDecision, { outcome: 'granted' }>) => {
    const { accountId, periodStartMs, paidPast } = quotaSlot;
    quotaSlot.commit();
    const of = { accountId, keyId: '', provider: 'demo', model: 'demo-1', failed: false };
    recorder.recordCall({ ...of, periodStartMs, paidPast }, clock.now());
  };
  return { quota, recorder, call, asked: () => standings };
}

type Process = ReturnType<typeof process>;

async function passed(processes: readonly Process[], account: Account, calls: number): Promise<number> {
  const made = await Promise.all(
    Array.from({ length: calls }, (_, at) => (processes[at % 2] ?? assert.fail()).call(account)),
  );
  return made.filter((isMade) => isMade).length;
}

async function stored(processes: readonly Process[]): Promise<void> {
  for (const { recorder } of processes) assert.equal(await recorder.flush(60_000), true);
}

test('calls past the cap are as many as credits pay for, whenever what they used is stored', async (t) => {
  const { account, database, processes } = await setUp(t, 510);
  assert.equal(await passed(processes, account, 13), 13);
  await stored(processes);
  assert.equal(await database.credits.balance('a'), 510 - 75);
  assert.equal(await passed(processes, account, 100), 17);
  await stored(processes.slice(1));
  assert.equal(await passed(processes, account, 10), 0);
  await stored(processes);
  assert.equal(await database.credits.balance('a'), 10);
  assert.equal(await passed(processes, account, 10), 0);
});

test('credits are not read under the cap, and once for each version past it', async (t) => {
  const { account, processes, buy } = await setUp(t, 1000);
  assert.equal(await passed(processes, account, 10), 10);
  const asked = () => processes.reduce((all, { asked: times }) => all + times(), 0);
  assert.equal(asked(), 0);
  const [first] = processes;
  assert.ok(first !== undefined);
  for (let calls = 0; calls < 5; calls++) assert.equal(await first.call(account), true);
  assert.equal(asked(), 1);
  await buy(25);
  assert.equal(await first.call(account), true);
  assert.equal(asked(), 2);
});

test('credits that are bought or taken back count from the next call on', async (t) => {
  const { account, accounts, database, processes, buy } = await setUp(t, 50);
  assert.equal(await passed(processes, account, 20), 12);
  const intentId = await buy(100);
  assert.equal(await passed(processes, account, 1), 1);
  await database.credits.reclaim({ intentId, revision: 0, credits: 75, kind: 'refund', atMs: 2 });
  await accounts.renew('a');
  assert.equal(await passed(processes, account, 20), 0);
  await stored(processes);
  assert.equal(await database.credits.balance('a'), 0);
  assert.deepEqual(await database.credits.findInconsistencies(), []);
});

test('a call that fails costs nothing, and another one may be made for it', async (t) => {
  const { account, database, processes } = await setUp(t, 25);
  const [first] = processes;
  assert.ok(first !== undefined);
  assert.equal(await passed(processes, account, 10), 10);
  const failing = await first.quota.takeSlot(account);
  assert.ok(failing.outcome === 'granted');
  assert.equal(await first.call(account), false);
  await failing.slot.release();
  assert.equal(await first.call(account), true);
  await stored(processes);
  assert.equal(await database.credits.balance('a'), 0);
});

test('a new period has its own calls before credits pay for more', async (t) => {
  const { account, clock, database, processes } = await setUp(t, 50);
  assert.equal(await passed(processes, account, 11), 11);
  await stored(processes);
  clock.move(30 * day);
  assert.equal(await passed(processes, account, 20), 11);
  await stored(processes);
  assert.equal(await database.credits.balance('a'), 0);
});

test('a free account, one that never asked for it, and one whose tier is over leave their credits alone', async (t) => {
  for (const [kind, change, calls] of [
    ['free', { tier: 'free', period: undefined }, 1],
    ['without', { overage: undefined }, 10],
    ['over', { tierEndsMs: 1 }, 1],
  ] as const) {
    const { account, database, processes } = await setUp(t, 5000);
    const { overage, ...rest } = { ...account, ...change };
    const changed: Account = overage === undefined ? rest : { ...rest, overage };
    assert.equal(await passed(processes, changed, 20), calls, kind);
    await stored(processes);
    assert.equal(await database.credits.balance('a'), 5000, kind);
  }
});
