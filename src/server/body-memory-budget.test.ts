import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from '../kernel/errors.ts';
import { BodyMemoryBudget } from './body-memory-budget.ts';
import { limits } from './limits.ts';

const large = limits.smallBodyBytes + 1;

function isBusy(thrown: unknown): boolean {
  return GatewayError.is(thrown) && thrown.status === 503 && thrown.details.retryAfterSeconds === 1;
}

describe('what requests weigh', () => {
  test('is bounded for each caller, and small ones count only in the sum', () => {
    const bodyMemoryBudget = new BodyMemoryBudget({ totalBytesMax: large * 10, callerBytesMax: large * 2 });
    const mine = [
      bodyMemoryBudget.reserve('me'),
      bodyMemoryBudget.reserve('me'),
      bodyMemoryBudget.reserve('me'),
    ];
    mine[0]?.add(large);
    mine[1]?.add(large);
    assert.throws(() => mine[2]?.add(large), isBusy);
    bodyMemoryBudget.reserve('me').add(limits.smallBodyBytes);
    bodyMemoryBudget.reserve('you').add(large);
    mine[0]?.release();
    bodyMemoryBudget.reserve('me').add(large);
  });

  test('is bounded for all together, values included', () => {
    const bodyMemoryBudget = new BodyMemoryBudget({ totalBytesMax: 10_000, callerBytesMax: 10_000 });
    const memoryReservation = bodyMemoryBudget.reserve('me');
    memoryReservation.add(1000);
    assert.throws(() => memoryReservation.parsed(9000 / limits.parsedValueBytes + 1), isBusy);
    memoryReservation.parsed(100);
    assert.equal(bodyMemoryBudget.bytes, 1000 + 100 * limits.parsedValueBytes);
    memoryReservation.letGo();
    assert.equal(bodyMemoryBudget.bytes, 1000);
  });

  test('is nothing when everybody has gone, whatever came in between', () => {
    const step = fc.record({
      who: fc.integer({ min: 0, max: 3 }),
      bytes: fc.integer({ min: 0, max: large * 2 }),
      what: fc.constantFrom('add', 'parsed', 'letGo', 'release'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const bodyMemoryBudget = new BodyMemoryBudget({
          totalBytesMax: large * 6,
          callerBytesMax: large * 3,
        });
        const loads = ['a', 'a', 'b', 'c'].map((owner) => bodyMemoryBudget.reserve(owner));
        for (const { who, bytes, what } of steps) {
          const load = loads[who];
          try {
            if (what === 'add') load?.add(bytes);
            else if (what === 'parsed') load?.parsed(bytes >> 6);
            else load?.[what === 'letGo' ? 'letGo' : 'release']();
          } catch (refusal) {
            assert.ok(isBusy(refusal));
          }
          assert.ok(bodyMemoryBudget.bytes >= 0 && bodyMemoryBudget.bytes <= large * 6);
        }
        for (const memoryReservation of loads) memoryReservation.release();
        assert.equal(bodyMemoryBudget.bytes, 0);
        const again = bodyMemoryBudget.reserve('a');
        again.add(large * 3);
      }),
    );
  });
});
