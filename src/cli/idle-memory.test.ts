import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveMemoryBackWhenIdle, youngBytes } from './idle-memory.ts';

test('the space for new objects that load has taken is given back once nothing happens', {
  timeout: 30_000,
}, async (t) => {
  const kept: object[][] = [];
  for (let round = 0; youngBytes() < 12e6; round++) {
    assert.ok(round < 1000, `it stays at ${youngBytes()} bytes`);
    // What lives on for a while makes it grow.
    kept.push(Array.from({ length: 20_000 }, (_, at) => ({ at })));
    if (kept.length > 8) kept.shift();
  }
  kept.length = 0;
  const busy = giveMemoryBackWhenIdle({ everyMs: 1, shareMax: -1, youngBytesMin: 0 });
  await sleep(20);
  busy();
  assert.ok(youngBytes() >= 8e6, 'nothing is given back while there is work to do');
  const stop = giveMemoryBackWhenIdle({ everyMs: 100, shareMax: 1, youngBytesMin: 8e6 });
  t.after(stop);
  while (youngBytes() >= 8e6) await sleep(20);
});
