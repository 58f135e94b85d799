import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  answer,
  answerNano,
  prices,
  request,
  spentAndHeldAfterSettlement,
} from '../../test/support/cost-guard-fixture.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import { Reply } from '../kernel/reply/reply.ts';
import { defineModule, type Hold, type Kit } from '../module-api.ts';
import { MemoryBudgets } from '../storage/memory/memory-budgets.ts';
import { runModule } from '../testing/run-module.ts';
import { CallSettlement } from './call-settlement.ts';

test('a part that fails is counted and reported, and the others are done', () => {
  const errors: object[] = [];
  const callSettlement = new CallSettlement({ error: (facts) => void errors.push(facts) });
  const done: string[] = [];
  for (const part of ['quota', 'usage', 'log'])
    callSettlement.runPart(part, 'req_1', () => {
      if (part === 'usage') throw new Error('oops');
      done.push(part);
    });
  assert.deepEqual(done, ['quota', 'log']);
  assert.equal(callSettlement.faults, 1);
  assert.partialDeepStrictEqual(errors, [{ id: 'req_1', part: 'usage' }]);
});

const heldNano = 1_000_000;

/** What is spent and held after one call of a module that holds money and then does as it likes. */
async function afterCall(
  then: (hold: Hold, kit: Kit<unknown>) => void,
  bill: Prices['bill'] = prices.bill,
): Promise<readonly [number, number]> {
  const clock = new ManualClock();
  const budgets = new MemoryBudgets(clock);
  const module = defineModule({
    api: 1,
    name: 'holder',
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: [],
    options: z.strictObject({}),
    async handle(exchange, next, kit) {
      const decision = await kit.budget.hold({ amount: heldNano, least: heldNano, ceilings: { day: 1e9 } });
      assert.ok(decision.outcome === 'granted');
      then(decision.hold, kit);
      return next(exchange);
    },
  });
  const upstream = async () => Reply.of(answer);
  await runModule(module, { upstream }, { clock, budgets, prices: { ...prices, bill } })(request);
  return spentAndHeldAfterSettlement(budgets);
}

test('a hold that its module forgot is closed with what the call cost', async () => {
  assert.deepEqual(await afterCall(() => undefined), [answerNano, 0]);
});

test('so is one whose module fails when it is to settle it', async () => {
  const failing = (_: Hold, kit: Kit<unknown>) =>
    kit.onBilled(() => {
      throw new Error('oops');
    });
  assert.deepEqual(await afterCall(failing), [answerNano, 0]);
});

test('one whose module fails before anybody was asked costs nothing', async () => {
  const failing = () => {
    throw new Error('oops');
  };
  assert.deepEqual(await afterCall(failing), [0, 0]);
});

test('one that was settled stays as it was', async () => {
  const settled = (hold: Hold, kit: Kit<unknown>) => kit.onBilled(() => void hold.settle(7));
  assert.deepEqual(await afterCall(settled), [7, 0]);
});

test('a bill that can’t be made costs what was held, and the hold is closed', async () => {
  const unbillable = () => {
    throw new Error('oops');
  };
  assert.deepEqual(await afterCall(() => undefined, unbillable), [heldNano, 0]);
});
