import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SetUp } from './set-up.ts';

export function endedSessionsConformance(setUp: SetUp): void {
  describe('ended sessions', () => {
    test('a session that was ended is known until its time has come', async (t) => {
      const { endedSessions } = (await setUp(t)).database;
      await endedSessions.add('first', 1000, 0);
      await endedSessions.add('second', 2000, 999);
      assert.deepEqual([await endedSessions.has('first'), await endedSessions.has('second')], [true, true]);
      await endedSessions.add('third', 3000, 1000);
      assert.deepEqual([await endedSessions.has('first'), await endedSessions.has('second')], [false, true]);
      assert.equal(await endedSessions.has('never'), false);
    });

    test('a session can be ended twice', async (t) => {
      const { endedSessions } = (await setUp(t)).database;
      await endedSessions.add('first', 1000, 0);
      await endedSessions.add('first', 1000, 0);
      assert.equal(await endedSessions.has('first'), true);
    });
  });
}
