import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../src/gateway/settings.ts';
import { limits as processLimits } from '../src/process/limits.ts';
import { limits as workersLimits } from '../src/workers/limits.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { WeirProcess } from './support/weir-process.ts';

const demo = { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const lastLine = (pid: number | string) =>
  new RegExp(
    `^weir: process ${pid}: the event loop was blocked for \\d+ s: the watchdog ends the process \\(WEIR_WATCHDOG\\)\n$`,
  );

for (const module of ['spins', 'blocks'])
  test(`a process whose event loop is frozen ends with one line (a module that ${module})`, async (t) => {
    const weir = gateway(t);
    freeze(await weir.listening, module);
    assert.deepEqual(await weir.exited, { code: null, signal: 'SIGKILL' });
    assert.match(weir.stderr, lastLine('\\d+'));
  });

test('SIGTERM ends a process whose event loop is frozen', async (t) => {
  const weir = gateway(t, { WEIR_DRAIN: '1h' });
  await frozen(await weir.listening);
  weir.signal('SIGTERM');
  assert.deepEqual(await weir.exited, { code: null, signal: 'SIGKILL' });
});

test('a worker whose event loop is frozen is replaced, while the other one serves', async (t) => {
  const weir = gateway(t, { WEIR_WORKERS: '2' });
  const url = await weir.listening;
  const before = await weir.workers();
  freeze(url);
  const answers = Array.from({ length: 4 }, () => call(url, { path: '/v1/messages', body: demo }));
  assert.equal((await Promise.any(answers)).status, 200);
  // Also whoever was connected to the frozen one and not heard yet is told, by the end of the connection.
  await Promise.allSettled(answers);
  const pid = await eventually(async () => {
    const now = await weir.workers();
    return now.length === 2 ? before.find((worker) => !now.includes(worker)) : undefined;
  });
  await eventually(async () => {
    const { text } = await call(url, { path: '/metrics' });
    return /^weir_workers 2$/m.test(text) && /^weir_workers_replaced_total\{\} 1$/m.test(text)
      ? true
      : undefined;
  });
  assert.match(weir.stderr, lastLine(pid));
  weir.signal('SIGTERM');
  assert.deepEqual(await weir.exited, { code: 0, signal: null });
  assert.match(
    weir.stdout,
    new RegExp(`"process":${pid},"how":"SIGKILL".*ended unexpectedly and is replaced`),
  );
});

test('SIGTERM ends workers whose event loops are frozen, also without a watchdog', async (t) => {
  const weir = gateway(t, { WEIR_WORKERS: '2', WEIR_WATCHDOG: 'off', WEIR_DRAIN: '200ms' });
  await frozen(await weir.listening);
  const signalledAtMs = performance.now();
  weir.signal('SIGTERM');
  assert.deepEqual(await weir.exited, { code: 0, signal: null });
  const ms = performance.now() - signalledAtMs;
  assert.ok(ms < workersLimits.workerEndMs - 5000, `${ms} ms`);
});

test('a worker whose event loop is frozen ends with the primary process, also without a watchdog', async (t) => {
  const weir = gateway(t, { WEIR_WORKERS: '2', WEIR_WATCHDOG: 'off' });
  await frozen(await weir.listening);
  weir.signal('SIGKILL');
  // Its output is closed when all of them are over.
  assert.deepEqual(await weir.exited, { code: null, signal: 'SIGKILL' });
  assert.match(weir.stderr, /^weir: process \d+: the primary process is gone and .* ends\n$/);
});

test('a process that was stopped for a while goes on', async (t) => {
  const weir = gateway(t);
  const url = await weir.listening;
  weir.signal('SIGSTOP');
  // Longer than an event loop may stand still for any reason.
  await sleep(1000 * processLimits.watchdogBlockedFactor + 500);
  weir.signal('SIGCONT');
  for (let calls = 0; calls < 20; calls++) {
    assert.equal((await call(url, { path: '/health' })).status, 200);
    await sleep(1000 / processLimits.watchdogSamples);
  }
  weir.signal('SIGTERM');
  assert.deepEqual(await weir.exited, { code: 0, signal: null });
  assert.equal(weir.stderr, '');
});

function gateway(t: TestContext, environment: Environment = {}): WeirProcess {
  const modules = join(import.meta.dirname, 'support', 'freezing-modules.ts');
  return new WeirProcess(t, {
    environment: { WEIR_WATCHDOG: '1s', WEIR_MODULES: modules, ...environment },
  });
}

/** Makes the call that freezes whoever takes it; it is never answered. */
function freeze(url: string, module = 'spins'): void {
  call(url, { path: '/v1/messages', headers: ['x-weir-pipeline', module], body: demo }).catch(
    () => undefined,
  );
}

/** When a process of the gateway answers no more. */
async function frozen(url: string): Promise<void> {
  freeze(url);
  await eventually(async () => {
    const answers = Array.from({ length: 2 }, () => call(url, { path: '/health' }));
    const silence = sleep(1500).then(() => 'silent');
    const found = await Promise.race([Promise.all(answers), silence]).catch(() => 'silent');
    return found === 'silent' ? true : undefined;
  });
}
