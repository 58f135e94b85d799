import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../kernel/errors.ts';
import type { OwnBatch } from '../../kernel/ports/own-batches.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LineAnswer } from './line-outcome.ts';
import type { Sealing } from './line-sealing.ts';
import { sealMaker } from './own-batch-maker.ts';
import { OwnBatchRun } from './own-batch-run.ts';
import { Permits } from './permits.ts';

const unsealed: Sealing = {
  seal: (content) => ({ sealedBy: '', sealed: content }),
  openBytes: ({ sealed }) => Buffer.from(sealed),
};
const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body: { model: 'demo-1' } };

test('a call that is refused while the next one is looked for is sent again', async () => {
  const maker = { caller: { kind: 'local' }, headers: [], address: '' } as const;
  const batch: OwnBatch = {
    ...{ id: 'b', accountId: 'local', fileId: 'f', state: 'in_progress', calls: 1, completed: 0, failed: 0 },
    ...{ costNanoUsd: 0, madeAtMs: 0, expiresAtMs: systemClock.now() + 600_000, endedAtMs: null },
    ...sealMaker(unsealed, 'b', maker),
  };
  let line0: 'unsent' | 'claimed' | 'ended' | { dueAtMs: number } = 'unsent';
  let sent = 0;
  const isLookedFor = Promise.withResolvers<void>();
  const isPostponed = Promise.withResolvers<void>();
  const ended: string[] = [];
  const run = new OwnBatchRun(batch, {
    files: { lines: async () => [{ number: 0, sealedBy: '', sealed: Buffer.from(JSON.stringify(line)) }] },
    batches: {
      find: async () => [batch],
      end: async (_, __, { state }) => {
        ended.push(state);
        return true;
      },
    },
    lines: {
      claimed: async () => [],
      async nextLine(_, nowMs) {
        if (line0 === 'unsent' || (typeof line0 === 'object' && line0.dueAtMs <= nowMs))
          return { number: 0, attempts: sent };
        if (typeof line0 === 'object') return line0;
        // The call ends while the answer of the database is on its way.
        isLookedFor.resolve();
        await isPostponed.promise;
        return undefined;
      },
      async claim() {
        line0 = 'claimed';
        return true;
      },
      async postpone(_, __, dueAtMs) {
        line0 = { dueAtMs };
        setImmediate(isPostponed.resolve);
      },
      async finish(_, { hasAnswer }) {
        line0 = 'ended';
        ended.push(hasAnswer ? 'answer' : 'error');
        return true;
      },
      unfinished: async (_, from) => (line0 === 'ended' || from > 0 ? [] : [0]),
      fill: async () => undefined,
    },
    ...{ sealing: unsealed, clock: systemClock, holder: 'here', permits: new Permits(1) },
    callsPerMinute: undefined,
    async call(): Promise<LineAnswer> {
      const done = { requestId: 'r', status: 200, body: Buffer.from('{}'), costNanoUsd: 0, isComplete: true };
      if (++sent > 1) return done;
      await isLookedFor.promise;
      return {
        ...done,
        status: 429,
        failure: new GatewayError('rate_limited', 'slower', { retryAfterSeconds: 0 }),
      };
    },
    publish: async () => undefined,
  });
  await run.run();
  assert.deepEqual([sent, ended], [2, ['answer', 'completed']]);
});
