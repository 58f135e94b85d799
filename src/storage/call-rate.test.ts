import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCallRate, expiryOf, settleCall, takeCall } from './call-rate.ts';

const limits = { requestsPerMinute: 5, tokensPerMinute: 100, concurrent: 3 };
const startMs = Date.UTC(2026, 10, 15, 12);

const steps = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 25_000 }),
    tokens: fc.integer({ min: 0, max: 60 }),
    /** Used tokens of the oldest open call, which ends then; undefined if none ends. */
    ends: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
  }),
  { maxLength: 60 },
);

test('no 60 seconds in a row have more than the limits, and no call that fits is refused', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const rate = createCallRate();
      const requests: Amount[] = [];
      const tokens: Amount[] = [];
      const open: { id: string; second: number; tokens: number; untilMs: number }[] = [];
      let nowMs = startMs;
      for (const [at, step] of all.entries()) {
        nowMs += step.afterMs;
        const second = Math.floor(nowMs / 1000);
        const [oldest] = open;
        if (step.ends !== undefined && oldest !== undefined) {
          open.shift();
          const change = step.ends - oldest.tokens;
          settleCall(rate, { id: oldest.id, second: oldest.second, change }, nowMs);
          tokens.push({ second: change > 0 ? second : oldest.second, amount: change });
        }
        const living = open.filter(({ untilMs }) => untilMs > nowMs);
        const fits =
          lastMinute(requests, second) < limits.requestsPerMinute &&
          lastMinute(tokens, second) + step.tokens <= limits.tokensPerMinute &&
          living.length < limits.concurrent;
        const call = { id: String(at), lifeMs: 60_000, limits, tokens: step.tokens };
        const decision = takeCall(rate, call, nowMs);
        assert.equal(decision.isAllowed, fits);
        if (fits) {
          requests.push({ second, amount: 1 });
          tokens.push({ second, amount: step.tokens });
          open.push({ id: call.id, second, tokens: step.tokens, untilMs: nowMs + call.lifeMs });
        }
        assert.equal(decision.requests?.count, lastMinute(requests, second));
        assert.equal(decision.tokens?.count, lastMinute(tokens, second));
      }
    }),
  );
});

test('a refused call fits after the time that it was given, and not before', () => {
  const perMinute = { requestsPerMinute: limits.requestsPerMinute, tokensPerMinute: limits.tokensPerMinute };
  fc.assert(
    fc.property(steps, (all) => {
      const rate = createCallRate();
      let nowMs = startMs;
      for (const { afterMs, tokens } of all) {
        nowMs += afterMs;
        const call = { id: '', lifeMs: 1, limits: perMinute, tokens };
        const { isAllowed, ...counts } = takeCall(rate, call, nowMs);
        if (isAllowed) continue;
        const waitMs = Math.max(counts.requests?.waitMs ?? 0, counts.tokens?.waitMs ?? 0);
        assert.ok(waitMs > 0 && waitMs <= 60_000);
        assert.equal(takeCall(structuredClone(rate), call, nowMs + waitMs - 1).isAllowed, false);
        assert.equal(takeCall(structuredClone(rate), call, nowMs + waitMs).isAllowed, true);
      }
    }),
  );
});

test('a rate has 60 seconds at most, and nothing once they are over', () => {
  const rate = createCallRate();
  const call = { id: 'a', lifeMs: 1000, limits: { requestsPerMinute: 1e6, tokensPerMinute: 1e6 }, tokens: 2 };
  for (let second = 0; second < 300; second++) takeCall(rate, call, startMs + second * 1000);
  assert.equal(Object.keys(rate.requests).length, 60);
  assert.equal(expiryOf(rate), startMs + 299_000 + 60_000);
  assert.equal(takeCall(rate, call, expiryOf(rate)).requests?.count, 1);
});

interface Amount {
  readonly second: number;
  readonly amount: number;
}

/** The naive way to count. */
function lastMinute(amounts: readonly Amount[], second: number): number {
  return amounts.reduce((sum, one) => sum + (one.second > second - 60 ? one.amount : 0), 0);
}
