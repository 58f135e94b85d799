import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { firstIdAt } from '../../../src/kernel/request-id.ts';
import { someCall, someRequestId } from './samples.ts';
import type { SetUpDatabase } from './set-up.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 15, 12);

export function storageConformance(setUpDatabase: SetUpDatabase): void {
  describe('storage', () => {
    test('a report has the size of each part, and by how much it grew on a day', async (t) => {
      const { database } = await setUpDatabase(t);
      const empty = await database.storage(nowMs);
      assert.ok(empty.parts.every(({ bytesPerDay = 0 }) => bytesPerDay === 0));
      const at = (daysAgo: number, count: number) =>
        Array.from({ length: count }, () => someRequestId(nowMs - daysAgo * dayMs));
      // A quarter of the calls is of the last seven days.
      await database.requests.add([...at(1, 50), ...at(20, 150)].map((id) => someCall({ id })));
      const recording = { accountId: 'a', sealedBy: 'key', sealed: randomBytes(100_000) };
      // Younger than seven days: all of it is the growth of two days.
      await database.recordings.add(
        [{ ...recording, id: `${firstIdAt(nowMs - 2 * dayMs)}${'0'.repeat(20)}` }],
        1e9,
      );
      const report = await database.storage(nowMs);
      const partOf = (name: string) => {
        const part = report.parts.find((one) => one.name === name);
        assert.ok(part !== undefined, name);
        return part;
      };
      const [log, recordings] = [partOf('request_log'), partOf('recordings')];
      assert.ok(log.bytes > 200 * 200, String(log.bytes));
      assert.equal(log.bytesPerDay, Math.round(log.bytes / 4 / 7));
      assert.ok(recordings.bytes >= 100_000, String(recordings.bytes));
      assert.equal(recordings.bytesPerDay, Math.round(recordings.bytes / 2));
      assert.equal(partOf('modules').bytesPerDay, undefined);
      assert.ok(report.bytes >= report.parts.reduce((sum, { bytes }) => sum + bytes, 0) - 65_536);
    });
  });
}
