import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { limits as kernelLimits } from '../../src/kernel/limits.ts';
import type {
  BudgetHoldRequest,
  Budgets,
  BudgetWindows,
  HeldAmount,
  HoldOutcome,
  HoldSettlement,
} from '../../src/kernel/ports/budget.ts';
import { limits as storageLimits } from '../../src/storage/limits.ts';

/** A home of purses for one test. */
export interface BudgetsFixture {
  /** As two replicas see it; the same object twice where there is only one process. */
  readonly replicas: readonly [Budgets, Budgets];
  pass(seconds: number): void | Promise<void>;
  /** All that it knows is gone; answers with how a replica sees it then. */
  lose(): Promise<Budgets>;
}

const holder = { accountId: 'a', keyId: 'k' };
const november = { startMs: Date.UTC(2026, 10), endMs: Date.UTC(2026, 11) };
const december = { startMs: Date.UTC(2026, 11), endMs: Date.UTC(2027, 0) };
const today = windowsOn(15);
const tomorrow = windowsOn(16);
const nextMonth: BudgetWindows = { day: dayFrom(december.startMs), month: december };
const nothingSpent = { day: 0, month: 0 };

const dayMs = 86_400_000;

/** The windows of a day of November, with the week that ends with it. */
function weekUntil(date: number): BudgetWindows {
  const windows = windowsOn(date);
  const { startMs: partStartMs, endMs } = windows.day;
  return { ...windows, rolling: { startMs: partStartMs - 6 * dayMs, endMs, partStartMs } };
}

/** What every home of purses must do, whatever it is made of. */
export function budgetsConformance(
  name: string,
  open: (t: TestContext) => BudgetsFixture | Promise<BudgetsFixture>,
): void {
  const setUp = async (t: TestContext) => {
    const home = await open(t);
    const [budgets, other] = home.replicas;
    return { ...home, purses: budgets, other };
  };

  describe(name, () => {
    test('a ceiling that affords 100 of 500 calls lets exactly 100 through, on two replicas at once', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      const asked = holdRequest(7, { day: 700, month: 100_000 });
      const outcomes = await Promise.all(
        Array.from({ length: 500 }, (_, at) => (at % 2 ? budgets : other).hold(asked)),
      );
      assert.equal(outcomes.filter(({ outcome }) => outcome === 'granted').length, 100);
      assert.equal(describeOutcome(await other.hold(asked)), 'refused day 0 700');
    });

    test('what is settled and held together never passes a ceiling while calls come and go', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      let [spent, granted] = [0, 0];
      await Promise.all(
        Array.from({ length: 500 }, async (_, at) => {
          const purse = at % 2 ? budgets : other;
          const outcome = await purse.hold(holdRequest(10, { day: 1000 }));
          if (outcome.outcome !== 'granted') return;
          granted++;
          spent += at % 11;
          await purse.settle(outcome.held, settlementOf(at % 11));
        }),
      );
      assert.ok(spent <= 1000 && granted >= 100, `${spent} ${granted}`);
      assert.equal(
        describeOutcome(await other.hold(holdRequest(1001, { day: 1000 }))),
        `refused day ${spent} 0`,
      );
    });

    test('a settled cost takes the place of what was held, be it less, nothing or more', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      let sum = 0;
      for (const cost of [40, 0, 100, 130]) {
        const held = grantedHold(await budgets.hold(holdRequest(100, { day: 1000 })));
        sum += cost;
        assert.deepEqual(await other.settle(held, settlementOf(cost)), { day: sum, month: sum });
        assert.equal(await other.settle(held, { ...settlementOf(cost), isRetry: true }), undefined);
      }
      assert.equal(describeOutcome(await budgets.hold(holdRequest(731, { day: 1000 }))), 'refused day 270 0');
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(730, { day: 1000 }))),
        'granted 730 270 270',
      );
    });

    test('the state has what was spent and what is held, and an expired hold counts as spent', async (t) => {
      const { purses: budgets, other, pass } = await setUp(t);
      assert.equal(await budgets.read(holder, today), undefined);
      await budgets.begin(holder, today, { day: 1, month: 10 });
      await budgets.hold(holdRequest(100, { day: 1000 }));
      const held = grantedHold(await budgets.hold(holdRequest(50, { day: 1000 })));
      assert.deepEqual(await other.read(holder, today), { spent: { day: 1, month: 10 }, held: 150 });
      await budgets.settle(held, settlementOf(20));
      assert.deepEqual(await other.read(holder, today), { spent: { day: 21, month: 30 }, held: 100 });
      assert.deepEqual(await other.read(holder, tomorrow), { spent: { day: 0, month: 30 }, held: 100 });
      await pass(kernelLimits.holdLifeMs / 1000 + 1);
      assert.deepEqual(await other.read(holder, tomorrow), { spent: { day: 100, month: 130 }, held: 0 });
    });

    test('a cost above what was held counts in full, also past the ceiling', async (t) => {
      const { purses: budgets } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      const held = grantedHold(await budgets.hold(holdRequest(100, { day: 100 })));
      await budgets.settle(held, settlementOf(250));
      assert.equal(describeOutcome(await budgets.hold(holdRequest(0, { day: 100 }))), 'refused day 250 0');
    });

    test('less is held where not all is left, but never less than the least', async (t) => {
      const { purses: budgets } = await setUp(t);
      await budgets.begin(holder, today, { day: 0, month: 30 });
      const asked = { ...holdRequest(80, { day: 100, month: 100 }), least: 20 };
      assert.equal(describeOutcome(await budgets.hold(asked)), 'granted 70 0 30');
      assert.equal(describeOutcome(await budgets.hold(asked)), 'refused month 30 70');
    });

    test('a count that is forgotten begins anew from what the database says, with the holds of before', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, today, { day: 90, month: 90 });
      const held = grantedHold(await budgets.hold(holdRequest(10, { day: 100 })));
      await other.forget(holder);
      assert.equal(await budgets.read(holder, today), undefined);
      assert.equal((await budgets.hold(holdRequest(1, { day: 100 }))).outcome, 'uncounted');
      await budgets.begin(holder, today, { day: 20, month: 50 });
      assert.deepEqual(await other.read(holder, today), { spent: { day: 20, month: 50 }, held: 10 });
      await budgets.settle(held, settlementOf(3));
      assert.deepEqual(await other.read(holder, today), { spent: { day: 23, month: 53 }, held: 0 });
      await budgets.forget({ ...holder, keyId: 'never counted' });
    });

    test('if neither window has room, the longer one is reported', async (t) => {
      const { purses: budgets } = await setUp(t);
      await budgets.begin(holder, today, { day: 5, month: 50 });
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(6, { day: 10, month: 55 }))),
        'refused month 50 0',
      );
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(6, { day: 10, month: 60 }))),
        'refused day 5 0',
      );
      assert.equal(describeOutcome(await budgets.hold(holdRequest(6, {}))), 'granted 6 5 50');
    });

    test('a new day and a new month begin with nothing spent, and with what is held', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, today, { day: 90, month: 90 });
      const ceilings = { day: 100, month: 1000 };
      const overnight = grantedHold(await budgets.hold(holdRequest(10, ceilings)));
      assert.equal(
        describeOutcome(await other.hold(holdRequest(91, ceilings, tomorrow))),
        'refused day 0 10',
      );
      await budgets.settle(overnight, { ...settlementOf(4), windows: tomorrow });
      assert.equal(describeOutcome(await other.hold(holdRequest(97, ceilings, tomorrow))), 'refused day 4 0');
      assert.equal(
        describeOutcome(await other.hold(holdRequest(100, ceilings, nextMonth))),
        'granted 100 0 0',
      );
    });

    test('a replica whose clock is late counts in the window that has begun', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, today, { day: 90, month: 90 });
      await budgets.hold(holdRequest(1, { day: 100 }, tomorrow));
      assert.equal(
        describeOutcome(await other.hold(holdRequest(100, { day: 100 }, today))),
        'refused day 0 1',
      );
    });

    test('a cost that is settled after midnight begins the day', async (t) => {
      const { purses: budgets } = await setUp(t);
      await budgets.begin(holder, today, { day: 90, month: 90 });
      const held = grantedHold(await budgets.hold(holdRequest(10, { day: 100 })));
      await budgets.settle(held, { ...settlementOf(7), windows: tomorrow });
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(94, { day: 100 }, tomorrow))),
        'refused day 7 0',
      );
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(5, { month: 101 }, tomorrow))),
        'refused month 97 0',
      );
    });

    test('keys and accounts have purses of their own', async (t) => {
      const { purses: budgets } = await setUp(t);
      const neighbours = [
        { accountId: 'a', keyId: 'l' },
        { accountId: 'b', keyId: 'k' },
        { accountId: 'a', keyId: '' },
      ];
      await budgets.begin(holder, today, nothingSpent);
      assert.equal(describeOutcome(await budgets.hold(holdRequest(10, { day: 10 }))), 'granted 10 0 0');
      for (const neighbour of neighbours) {
        const asked = { ...holdRequest(10, { day: 10 }), holder: neighbour };
        assert.equal(describeOutcome(await budgets.hold(asked)), 'uncounted');
        await budgets.begin(neighbour, today, nothingSpent);
        assert.equal(describeOutcome(await budgets.hold(asked)), 'granted 10 0 0');
      }
    });

    test('a count is begun once, and what others would begin with is left aside', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      assert.equal(describeOutcome(await budgets.hold(holdRequest(1, { day: 10 }))), 'uncounted');
      await Promise.all([budgets, other].map((each) => each.begin(holder, today, { day: 3, month: 4 })));
      await other.begin(holder, today, nothingSpent);
      assert.equal(describeOutcome(await budgets.hold(holdRequest(1, { day: 10 }))), 'granted 1 3 4');
    });

    test('what a process that was killed had held counts as spent after a while', async (t) => {
      const { purses: budgets, other, pass } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      await budgets.hold(holdRequest(30, { day: 100 }));
      await budgets.hold(holdRequest(20, { day: 100 }));
      await pass(kernelLimits.holdLifeMs / 2000);
      const later = grantedHold(await budgets.hold(holdRequest(40, { day: 100 })));
      await pass(kernelLimits.holdLifeMs / 2000 + 1);
      assert.equal(describeOutcome(await other.hold(holdRequest(11, { day: 100 }))), 'refused day 50 40');
      assert.equal(describeOutcome(await other.hold(holdRequest(11, { month: 100 }))), 'refused month 50 40');
      assert.equal(describeOutcome(await other.hold(holdRequest(10, { day: 100 }))), 'granted 10 50 50');
      await budgets.settle(later, settlementOf(1));
      assert.equal(describeOutcome(await other.hold(holdRequest(40, { day: 100 }))), 'refused day 51 10');
    });

    test('it counts in the day and the month in which that is found', async (t) => {
      const { purses: budgets, other, pass } = await setUp(t);
      await budgets.begin(holder, today, { day: 50, month: 50 });
      await budgets.hold(holdRequest(30, { day: 100 }));
      await pass(kernelLimits.holdLifeMs / 1000 + 1);
      assert.equal(
        describeOutcome(await other.hold(holdRequest(71, { day: 100 }, tomorrow))),
        'refused day 30 0',
      );
      assert.equal(
        describeOutcome(await other.hold(holdRequest(21, { month: 100 }, tomorrow))),
        'refused month 80 0',
      );
    });

    test('a hold that is renewed stays, and one that is over is not counted twice', async (t) => {
      const { purses: budgets, other, pass } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      const long = grantedHold(await budgets.hold(holdRequest(60, { day: 100 })));
      const forgotten = grantedHold(await budgets.hold(holdRequest(30, { day: 100 })));
      for (let minutes = 0; minutes < 20; minutes += 5) {
        await pass(300);
        await budgets.renew(long);
      }
      assert.equal(describeOutcome(await other.hold(holdRequest(11, { day: 100 }))), 'refused day 30 60');
      await budgets.settle(forgotten, { ...settlementOf(15), isRetry: true });
      assert.equal(describeOutcome(await other.hold(holdRequest(11, { day: 100 }))), 'refused day 30 60');
      await budgets.settle(long, settlementOf(20));
      assert.equal(describeOutcome(await other.hold(holdRequest(51, { day: 100 }))), 'refused day 50 0');
    });

    test('an ended window that was not read yet is settled at its cost', async (t) => {
      const { purses: budgets, other, pass } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      const late = grantedHold(await budgets.hold(holdRequest(60, { day: 100 })));
      await pass(kernelLimits.holdLifeMs / 1000 + 1);
      await budgets.settle(late, { ...settlementOf(15), isRetry: true });
      assert.equal(describeOutcome(await other.hold(holdRequest(86, { day: 100 }))), 'refused day 15 0');
    });

    test('a settlement that may have arrived before is not counted twice', async (t) => {
      const { purses: budgets } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      const arrived = grantedHold(await budgets.hold(holdRequest(10, { day: 100 })));
      await budgets.settle(arrived, settlementOf(5));
      await budgets.settle(arrived, { ...settlementOf(5), isRetry: true });
      const lost = grantedHold(await budgets.hold(holdRequest(10, { day: 100 })));
      await budgets.settle(lost, { ...settlementOf(5), isRetry: true });
      assert.equal(describeOutcome(await budgets.hold(holdRequest(91, { day: 100 }))), 'refused day 10 0');
    });

    test('what is lost is counted anew, and calls that were under way still count', async (t) => {
      const { purses: budgets, lose } = await setUp(t);
      await budgets.begin(holder, today, { day: 50, month: 50 });
      const held = grantedHold(await budgets.hold(holdRequest(10, { day: 100 })));
      const left = await lose();
      assert.equal(describeOutcome(await left.hold(holdRequest(10, { day: 100 }))), 'uncounted');
      await left.settle(held, { ...settlementOf(9), isRetry: true });
      await left.begin(holder, today, { day: 50, month: 50 });
      await left.settle(held, settlementOf(8));
      assert.equal(describeOutcome(await left.hold(holdRequest(43, { day: 100 }))), 'refused day 58 0');
    });

    test('settling an unknown hold starts no count', async (t) => {
      const { purses: budgets, lose } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      const held = grantedHold(await budgets.hold(holdRequest(10, { day: 100 })));
      const left = await lose();
      await left.settle(held, settlementOf(9));
      assert.equal(describeOutcome(await left.hold(holdRequest(10, { day: 100 }))), 'uncounted');
    });

    test('a budget that was not used for an hour is counted anew', async (t) => {
      const { purses: budgets, pass } = await setUp(t);
      await budgets.begin(holder, today, nothingSpent);
      await budgets.settle(grantedHold(await budgets.hold(holdRequest(10, { day: 100 }))), settlementOf(10));
      await pass(storageLimits.budgetIdleMs / 1000 - 1);
      assert.equal(describeOutcome(await budgets.hold(holdRequest(91, { day: 100 }))), 'refused day 10 0');
      await pass((storageLimits.budgetIdleMs + kernelLimits.holdLifeMs) / 1000 + 1);
      assert.equal(describeOutcome(await budgets.hold(holdRequest(10, { day: 100 }))), 'uncounted');
    });

    test('a rolling window loses its oldest part when it moves on, and keeps the others', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      const parts = [
        { startMs: today.day.startMs - 6 * dayMs, amount: 30 },
        { startMs: today.day.startMs - dayMs, amount: 20 },
      ];
      await budgets.begin(holder, weekUntil(15), { ...nothingSpent, parts });
      const week = { rolling: 100 };
      const held = grantedHold(await budgets.hold(holdRequest(50, week, weekUntil(15))));
      assert.deepEqual(await other.hold(holdRequest(1, week, weekUntil(15))), {
        ...{ outcome: 'refused', window: 'rolling', spent: 50, held: 50 },
        sinceMs: today.day.startMs - 6 * dayMs,
      });
      assert.equal((await other.settle(held, { ...settlementOf(45), windows: weekUntil(15) }))?.rolling, 95);
      assert.equal(
        describeOutcome(await other.hold(holdRequest(36, week, weekUntil(16)))),
        'refused rolling 65 0',
      );
      assert.deepEqual((await budgets.read(holder, weekUntil(16)))?.spent, {
        ...{ day: 0, month: 45, rolling: 65 },
        rollingSinceMs: today.day.startMs - dayMs,
      });
      assert.equal((await budgets.read(holder, weekUntil(21)))?.spent.rolling, 45);
      assert.deepEqual((await budgets.read(holder, weekUntil(22)))?.spent, { day: 0, month: 45, rolling: 0 });
    });

    test('a rolling window never passes its ceiling while calls come and go on two replicas', async (t) => {
      const { purses: budgets, other } = await setUp(t);
      await budgets.begin(holder, weekUntil(15), nothingSpent);
      let spent = 0;
      await Promise.all(
        Array.from({ length: 300 }, async (_, at) => {
          const [purse, windows] = at % 2 ? [budgets, weekUntil(15)] : [other, weekUntil(16)];
          const outcome = await purse.hold(holdRequest(10, { rolling: 500 }, windows));
          if (outcome.outcome !== 'granted') return;
          spent += at % 11;
          await purse.settle(outcome.held, { ...settlementOf(at % 11), windows });
        }),
      );
      assert.ok(spent <= 500, String(spent));
      assert.equal((await other.read(holder, weekUntil(16)))?.spent.rolling, spent);
    });

    test('a hold that expired counts in the part of a rolling window in which that is found', async (t) => {
      const { purses: budgets, other, pass } = await setUp(t);
      await budgets.begin(holder, weekUntil(15), nothingSpent);
      await budgets.hold(holdRequest(30, { rolling: 100 }, weekUntil(15)));
      await pass(kernelLimits.holdLifeMs / 1000 + 1);
      assert.deepEqual(await other.read(holder, weekUntil(16)), {
        spent: { day: 30, month: 30, rolling: 30, rollingSinceMs: tomorrow.day.startMs },
        held: 0,
      });
      assert.equal(
        describeOutcome(await other.hold(holdRequest(71, { rolling: 100 }, weekUntil(16)))),
        'refused rolling 30 0',
      );
    });

    test('nine million dollars are counted to the billionth', async (t) => {
      const { purses: budgets } = await setUp(t);
      const most = 9_000_000_000_000_000;
      await budgets.begin(holder, today, { day: most - 3, month: most - 3 });
      const held = grantedHold(await budgets.hold(holdRequest(3, { day: most, month: most })));
      await budgets.settle(held, settlementOf(2));
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(2, { day: most }))),
        `refused day ${most - 1} 0`,
      );
      assert.equal(
        describeOutcome(await budgets.hold(holdRequest(1, { day: most }))),
        `granted 1 ${most - 1} ${most - 1}`,
      );
    });
  });
}

function holdRequest(
  amount: number,
  ceilings: BudgetHoldRequest['ceilings'],
  budgetWindows: BudgetWindows = today,
): BudgetHoldRequest {
  return { holder, windows: budgetWindows, amount, least: amount, ceilings };
}

function settlementOf(cost: number): HoldSettlement {
  return { cost, windows: today, isRetry: false };
}

function grantedHold(outcome: HoldOutcome): HeldAmount {
  assert.ok(outcome.outcome === 'granted', outcome.outcome);
  return outcome.held;
}

function describeOutcome(outcome: HoldOutcome): string {
  switch (outcome.outcome) {
    case 'granted':
      return `granted ${outcome.held.amount} ${outcome.spent.day} ${outcome.spent.month}`;
    case 'refused':
      return `refused ${outcome.window} ${outcome.spent} ${outcome.held}`;
    case 'uncounted':
      return 'uncounted';
  }
}

function windowsOn(dayOfNovember: number): BudgetWindows {
  return { day: dayFrom(Date.UTC(2026, 10, dayOfNovember)), month: november };
}

function dayFrom(startMs: number) {
  return { startMs, endMs: startMs + 86_400_000 };
}
