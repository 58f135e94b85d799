import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { limits } from '../kernel/limits.ts';
import type { AskedHold, HeldSum, HoldOutcome, Purses, Settlement, Windows } from '../kernel/ports/purse.ts';

/** A home of purses for one test. */
export interface PursesHome {
  /** As two replicas see it; the same object twice where there is only one process. */
  readonly replicas: readonly [Purses, Purses];
  pass(seconds: number): void | Promise<void>;
  /** All that it knows is gone; answers with how a replica sees it then. */
  lose(): Promise<Purses>;
}

const holder = { accountId: 'a', keyId: 'k' };
const november = { startMs: Date.UTC(2026, 10), endMs: Date.UTC(2026, 11) };
const december = { startMs: Date.UTC(2026, 11), endMs: Date.UTC(2027, 0) };
const today = windowsOn(15);
const tomorrow = windowsOn(16);
const nextMonth: Windows = { day: dayFrom(december.startMs), month: december };
const none = { day: 0, month: 0 };

/** What every home of purses must do, whatever it is made of. */
export function purseConformance(
  name: string,
  open: (t: TestContext) => PursesHome | Promise<PursesHome>,
): void {
  const setUp = async (t: TestContext) => {
    const home = await open(t);
    const [purses, other] = home.replicas;
    return { ...home, purses, other };
  };

  describe(name, () => {
    test('a ceiling that affords 100 of 500 calls lets exactly 100 through, on two replicas at once', async (t) => {
      const { purses, other } = await setUp(t);
      await purses.begin(holder, today, none);
      const asked = asking(7, { day: 700, month: 100_000 });
      const outcomes = await Promise.all(
        Array.from({ length: 500 }, (_, at) => (at % 2 ? purses : other).hold(asked)),
      );
      assert.equal(outcomes.filter(({ outcome }) => outcome === 'granted').length, 100);
      assert.equal(told(await other.hold(asked)), 'refused day 0 700');
    });

    test('what is settled and held together never passes a ceiling while calls come and go', async (t) => {
      const { purses, other } = await setUp(t);
      await purses.begin(holder, today, none);
      let [spent, granted] = [0, 0];
      await Promise.all(
        Array.from({ length: 500 }, async (_, at) => {
          const purse = at % 2 ? purses : other;
          const outcome = await purse.hold(asking(10, { day: 1000 }));
          if (outcome.outcome !== 'granted') return;
          granted++;
          spent += at % 11;
          await purse.settle(outcome.held, costing(at % 11));
        }),
      );
      assert.ok(spent <= 1000 && granted >= 100, `${spent} ${granted}`);
      assert.equal(told(await other.hold(asking(1001, { day: 1000 }))), `refused day ${spent} 0`);
    });

    test('a settled cost takes the place of what was held, be it less, nothing or more', async (t) => {
      const { purses, other } = await setUp(t);
      await purses.begin(holder, today, none);
      for (const cost of [40, 0, 100, 130]) {
        const held = heldBy(await purses.hold(asking(100, { day: 1000 })));
        await other.settle(held, costing(cost));
      }
      assert.equal(told(await purses.hold(asking(731, { day: 1000 }))), 'refused day 270 0');
      assert.equal(told(await purses.hold(asking(730, { day: 1000 }))), 'granted 730 270 270');
    });

    test('a cost above what was held counts in full, also past the ceiling', async (t) => {
      const { purses } = await setUp(t);
      await purses.begin(holder, today, none);
      const held = heldBy(await purses.hold(asking(100, { day: 100 })));
      await purses.settle(held, costing(250));
      assert.equal(told(await purses.hold(asking(0, { day: 100 }))), 'refused day 250 0');
    });

    test('less is held where not all is left, but never less than the least', async (t) => {
      const { purses } = await setUp(t);
      await purses.begin(holder, today, { day: 0, month: 30 });
      const asked = { ...asking(80, { day: 100, month: 100 }), least: 20 };
      assert.equal(told(await purses.hold(asked)), 'granted 70 0 30');
      assert.equal(told(await purses.hold(asked)), 'refused month 30 70');
    });

    test('where neither window has room the longer is told', async (t) => {
      const { purses } = await setUp(t);
      await purses.begin(holder, today, { day: 5, month: 50 });
      assert.equal(told(await purses.hold(asking(6, { day: 10, month: 55 }))), 'refused month 50 0');
      assert.equal(told(await purses.hold(asking(6, { day: 10, month: 60 }))), 'refused day 5 0');
      assert.equal(told(await purses.hold(asking(6, {}))), 'granted 6 5 50');
    });

    test('a new day and a new month begin with nothing spent, and with what is held', async (t) => {
      const { purses, other } = await setUp(t);
      await purses.begin(holder, today, { day: 90, month: 90 });
      const ceilings = { day: 100, month: 1000 };
      const overnight = heldBy(await purses.hold(asking(10, ceilings)));
      assert.equal(told(await other.hold(asking(91, ceilings, tomorrow))), 'refused day 0 10');
      await purses.settle(overnight, { ...costing(4), windows: tomorrow });
      assert.equal(told(await other.hold(asking(97, ceilings, tomorrow))), 'refused day 4 0');
      assert.equal(told(await other.hold(asking(100, ceilings, nextMonth))), 'granted 100 0 0');
    });

    test('a replica whose clock is late counts in the window that has begun', async (t) => {
      const { purses, other } = await setUp(t);
      await purses.begin(holder, today, { day: 90, month: 90 });
      await purses.hold(asking(1, { day: 100 }, tomorrow));
      assert.equal(told(await other.hold(asking(100, { day: 100 }, today))), 'refused day 0 1');
    });

    test('a cost that is settled after midnight begins the day', async (t) => {
      const { purses } = await setUp(t);
      await purses.begin(holder, today, { day: 90, month: 90 });
      const held = heldBy(await purses.hold(asking(10, { day: 100 })));
      await purses.settle(held, { ...costing(7), windows: tomorrow });
      assert.equal(told(await purses.hold(asking(94, { day: 100 }, tomorrow))), 'refused day 7 0');
      assert.equal(told(await purses.hold(asking(5, { month: 101 }, tomorrow))), 'refused month 97 0');
    });

    test('keys and accounts have purses of their own', async (t) => {
      const { purses } = await setUp(t);
      const neighbours = [
        { accountId: 'a', keyId: 'l' },
        { accountId: 'b', keyId: 'k' },
        { accountId: 'a', keyId: '' },
      ];
      await purses.begin(holder, today, none);
      assert.equal(told(await purses.hold(asking(10, { day: 10 }))), 'granted 10 0 0');
      for (const neighbour of neighbours) {
        const asked = { ...asking(10, { day: 10 }), holder: neighbour };
        assert.equal(told(await purses.hold(asked)), 'uncounted');
        await purses.begin(neighbour, today, none);
        assert.equal(told(await purses.hold(asked)), 'granted 10 0 0');
      }
    });

    test('a count is begun once, and what others would begin with is left aside', async (t) => {
      const { purses, other } = await setUp(t);
      assert.equal(told(await purses.hold(asking(1, { day: 10 }))), 'uncounted');
      await Promise.all([purses, other].map((each) => each.begin(holder, today, { day: 3, month: 4 })));
      await other.begin(holder, today, none);
      assert.equal(told(await purses.hold(asking(1, { day: 10 }))), 'granted 1 3 4');
    });

    test('what a process that was killed had held counts as spent after a while', async (t) => {
      const { purses, other, pass } = await setUp(t);
      await purses.begin(holder, today, none);
      await purses.hold(asking(30, { day: 100 }));
      await purses.hold(asking(20, { day: 100 }));
      await pass(limits.holdLifeMs / 2000);
      const later = heldBy(await purses.hold(asking(40, { day: 100 })));
      await pass(limits.holdLifeMs / 2000 + 1);
      assert.equal(told(await other.hold(asking(11, { day: 100 }))), 'refused day 50 40');
      assert.equal(told(await other.hold(asking(11, { month: 100 }))), 'refused month 50 40');
      assert.equal(told(await other.hold(asking(10, { day: 100 }))), 'granted 10 50 50');
      await purses.settle(later, costing(1));
      assert.equal(told(await other.hold(asking(40, { day: 100 }))), 'refused day 51 10');
    });

    test('it counts in the day and the month in which that is found', async (t) => {
      const { purses, other, pass } = await setUp(t);
      await purses.begin(holder, today, { day: 50, month: 50 });
      await purses.hold(asking(30, { day: 100 }));
      await pass(limits.holdLifeMs / 1000 + 1);
      assert.equal(told(await other.hold(asking(71, { day: 100 }, tomorrow))), 'refused day 30 0');
      assert.equal(told(await other.hold(asking(21, { month: 100 }, tomorrow))), 'refused month 80 0');
    });

    test('a hold that is renewed stays, and one that is over is not counted twice', async (t) => {
      const { purses, other, pass } = await setUp(t);
      await purses.begin(holder, today, none);
      const long = heldBy(await purses.hold(asking(60, { day: 100 })));
      const forgotten = heldBy(await purses.hold(asking(30, { day: 100 })));
      for (let minutes = 0; minutes < 20; minutes += 5) {
        await pass(300);
        await purses.renew(long);
      }
      assert.equal(told(await other.hold(asking(11, { day: 100 }))), 'refused day 30 60');
      await purses.settle(forgotten, { ...costing(15), again: true });
      assert.equal(told(await other.hold(asking(11, { day: 100 }))), 'refused day 30 60');
      await purses.settle(long, costing(20));
      assert.equal(told(await other.hold(asking(51, { day: 100 }))), 'refused day 50 0');
    });

    test('one that is over and that nobody has looked at yet is settled at its cost', async (t) => {
      const { purses, other, pass } = await setUp(t);
      await purses.begin(holder, today, none);
      const late = heldBy(await purses.hold(asking(60, { day: 100 })));
      await pass(limits.holdLifeMs / 1000 + 1);
      await purses.settle(late, { ...costing(15), again: true });
      assert.equal(told(await other.hold(asking(86, { day: 100 }))), 'refused day 15 0');
    });

    test('a settlement that may have arrived before is not counted twice', async (t) => {
      const { purses } = await setUp(t);
      await purses.begin(holder, today, none);
      const arrived = heldBy(await purses.hold(asking(10, { day: 100 })));
      await purses.settle(arrived, costing(5));
      await purses.settle(arrived, { ...costing(5), again: true });
      const lost = heldBy(await purses.hold(asking(10, { day: 100 })));
      await purses.settle(lost, { ...costing(5), again: true });
      assert.equal(told(await purses.hold(asking(91, { day: 100 }))), 'refused day 10 0');
    });

    test('what is lost is counted anew, and calls that were under way still count', async (t) => {
      const { purses, lose } = await setUp(t);
      await purses.begin(holder, today, { day: 50, month: 50 });
      const held = heldBy(await purses.hold(asking(10, { day: 100 })));
      const left = await lose();
      assert.equal(told(await left.hold(asking(10, { day: 100 }))), 'uncounted');
      await left.settle(held, { ...costing(9), again: true });
      await left.begin(holder, today, { day: 50, month: 50 });
      await left.settle(held, costing(8));
      assert.equal(told(await left.hold(asking(43, { day: 100 }))), 'refused day 58 0');
    });

    test('settling what nobody counts begins no count', async (t) => {
      const { purses, lose } = await setUp(t);
      await purses.begin(holder, today, none);
      const held = heldBy(await purses.hold(asking(10, { day: 100 })));
      const left = await lose();
      await left.settle(held, costing(9));
      assert.equal(told(await left.hold(asking(10, { day: 100 }))), 'uncounted');
    });

    test('a purse that nobody used for an hour is counted anew', async (t) => {
      const { purses, pass } = await setUp(t);
      await purses.begin(holder, today, none);
      await purses.settle(heldBy(await purses.hold(asking(10, { day: 100 }))), costing(10));
      await pass(limits.purseIdleMs / 1000 - 1);
      assert.equal(told(await purses.hold(asking(91, { day: 100 }))), 'refused day 10 0');
      await pass((limits.purseIdleMs + limits.holdLifeMs) / 1000 + 1);
      assert.equal(told(await purses.hold(asking(10, { day: 100 }))), 'uncounted');
    });

    test('nine million dollars are counted to the billionth', async (t) => {
      const { purses } = await setUp(t);
      const most = 9_000_000_000_000_000;
      await purses.begin(holder, today, { day: most - 3, month: most - 3 });
      const held = heldBy(await purses.hold(asking(3, { day: most, month: most })));
      await purses.settle(held, costing(2));
      assert.equal(told(await purses.hold(asking(2, { day: most }))), `refused day ${most - 1} 0`);
      assert.equal(told(await purses.hold(asking(1, { day: most }))), `granted 1 ${most - 1} ${most - 1}`);
    });
  });
}

function asking(amount: number, ceilings: AskedHold['ceilings'], windows: Windows = today): AskedHold {
  return { holder, windows, amount, least: amount, ceilings };
}

function costing(cost: number): Settlement {
  return { cost, windows: today, again: false };
}

function heldBy(outcome: HoldOutcome): HeldSum {
  assert.ok(outcome.outcome === 'granted', outcome.outcome);
  return outcome.held;
}

function told(outcome: HoldOutcome): string {
  switch (outcome.outcome) {
    case 'granted':
      return `granted ${outcome.held.amount} ${outcome.spent.day} ${outcome.spent.month}`;
    case 'refused':
      return `refused ${outcome.window} ${outcome.spent} ${outcome.held}`;
    case 'uncounted':
      return 'uncounted';
  }
}

function windowsOn(dayOfNovember: number): Windows {
  return { day: dayFrom(Date.UTC(2026, 10, dayOfNovember)), month: november };
}

function dayFrom(startMs: number) {
  return { startMs, endMs: startMs + 86_400_000 };
}
