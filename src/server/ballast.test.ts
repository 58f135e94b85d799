import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { Ballast } from './ballast.ts';

const large = limits.smallBodyBytes + 1;

function isBusy(thrown: unknown): boolean {
  return GatewayError.is(thrown) && thrown.status === 503 && thrown.details.retryAfterSeconds === 1;
}

describe('what requests weigh', () => {
  test('is bounded for each caller, and small ones count only in the sum', () => {
    const ballast = new Ballast({ all: large * 10, each: large * 2 });
    const mine = [ballast.load('me'), ballast.load('me'), ballast.load('me')];
    mine[0]?.add(large);
    mine[1]?.add(large);
    assert.throws(() => mine[2]?.add(large), isBusy);
    ballast.load('me').add(limits.smallBodyBytes);
    ballast.load('you').add(large);
    mine[0]?.release();
    ballast.load('me').add(large);
  });

  test('is bounded for all together, values included', () => {
    const ballast = new Ballast({ all: 10_000, each: 10_000 });
    const load = ballast.load('me');
    load.add(1000);
    assert.throws(() => load.parsed(9000 / limits.parsedValueBytes + 1), isBusy);
    load.parsed(100);
    assert.equal(ballast.bytes, 1000 + 100 * limits.parsedValueBytes);
    load.letGo();
    assert.equal(ballast.bytes, 1000);
  });

  test('is nothing when everybody has gone, whatever came in between', () => {
    const step = fc.record({
      who: fc.integer({ min: 0, max: 3 }),
      bytes: fc.integer({ min: 0, max: large * 2 }),
      what: fc.constantFrom('add', 'parsed', 'letGo', 'release'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ballast = new Ballast({ all: large * 6, each: large * 3 });
        const loads = ['a', 'a', 'b', 'c'].map((owner) => ballast.load(owner));
        for (const { who, bytes, what } of steps) {
          const load = loads[who];
          try {
            if (what === 'add') load?.add(bytes);
            else if (what === 'parsed') load?.parsed(bytes >> 6);
            else load?.[what === 'letGo' ? 'letGo' : 'release']();
          } catch (refusal) {
            assert.ok(isBusy(refusal));
          }
          assert.ok(ballast.bytes >= 0 && ballast.bytes <= large * 6);
        }
        for (const load of loads) load.release();
        assert.equal(ballast.bytes, 0);
        const again = ballast.load('a');
        again.add(large * 3);
      }),
    );
  });
});
