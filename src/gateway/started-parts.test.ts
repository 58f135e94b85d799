import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLog } from '../telemetry/log.ts';
import { limits } from './limits.ts';
import { StartedParts, startParts } from './started-parts.ts';

describe('parts', () => {
  test('are closed one after the other, the last one first', async () => {
    const { parts, events } = started();
    for (const name of ['stores', 'usage', 'calls'])
      parts.add({
        async close() {
          events.push(`${name} closes`);
          await new Promise(setImmediate);
          events.push(`${name} is closed`);
        },
      });
    await Promise.all([parts.close(), parts.close()]);
    assert.deepEqual(events, [
      'calls closes',
      'calls is closed',
      'usage closes',
      'usage is closed',
      'stores closes',
      'stores is closed',
    ]);
  });

  test('that fail to close, at once or later, keep no other open', async () => {
    const { parts, events, logLines } = started();
    parts.add({ close: async () => void events.push('stores') });
    parts.add({ close: () => Promise.reject(new Error('later')) });
    parts.add({
      close() {
        throw new Error('at once');
      },
    });
    parts.add({ close: async () => void events.push('calls') });
    await parts.close();
    assert.deepEqual(events, ['calls', 'stores']);
    assert.deepEqual(
      logLines.map((line) => JSON.parse(line).err.message),
      ['at once', 'later'],
    );
  });

  test('that never finish closing are abandoned after the time limit', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { parts, events, logLines } = started();
    parts.add({ close: async () => void events.push('stores') });
    let limitUntilMs = 0;
    parts.add({
      close(untilMs) {
        limitUntilMs = untilMs;
        return new Promise(() => undefined);
      },
    });
    const beforeMs = performance.now();
    const closed = parts.close();
    const afterMs = performance.now();
    const flushedAfterMs = limitUntilMs - limits.lastFlushMs;
    assert.ok(flushedAfterMs >= beforeMs && flushedAfterMs <= afterMs);
    t.mock.timers.tick(limits.lastFlushMs);
    await new Promise(setImmediate);
    assert.deepEqual(events, []);
    t.mock.timers.tick(limits.partCloseMs - limits.lastFlushMs);
    await closed;
    assert.deepEqual(events, ['stores']);
    assert.equal(logLines.length, 1);
  });

  test('are closed when one that comes after them could not be started', async () => {
    const { log, events } = started();
    const starting = startParts(log, async (parts) => {
      parts.add({ close: async () => void events.push('stores') });
      parts.add({ close: () => Promise.reject(new Error('not this one either')) });
      parts.add({ close: async () => void events.push('calls') });
      throw new Error('the port is taken');
    });
    await assert.rejects(starting, /^Error: the port is taken$/);
    assert.deepEqual(events, ['calls', 'stores']);
  });

  test('drain side by side, until the same moment', async () => {
    const { parts, events } = started();
    const { promise, resolve } = Promise.withResolvers<void>();
    parts.add({
      async drain(untilMs) {
        await promise;
        events.push(`first until ${untilMs}`);
      },
    });
    parts.add({});
    parts.add({
      async drain(untilMs) {
        events.push(`second until ${untilMs}`);
        resolve();
      },
    });
    await parts.drain(7);
    assert.deepEqual(events, ['second until 7', 'first until 7']);
  });

  test('tell all together what they serve, count and can do', () => {
    const { parts } = started();
    const gauge = { name: 'weir_things', help: 'Things', read: () => 1 };
    parts.add({ features: ['one', 'two'] });
    parts.add({ gauges: [gauge] });
    parts.add({ features: ['three'] });
    assert.deepEqual(parts.features, ['one', 'two', 'three']);
    assert.deepEqual(parts.gauges, [gauge]);
    assert.deepEqual(parts.routes, []);
  });
});

function started() {
  const events: string[] = [];
  const logLines: string[] = [];
  const log = createLog('info', { write: (line) => void logLines.push(line) });
  return { parts: new StartedParts(log), log, events, logLines };
}
