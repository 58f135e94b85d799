// The thread that ends the process when its event loop is frozen: it runs also while the main thread is busy.
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { loadFfi } from '../ffi.ts';
import type { WatchdogStart } from '../watchdog.ts';
import { type Sample, Stall } from './stall.ts';

const { state, limitMs, blockedFactor, sampleMs, lastLineMs, exitCode, parent, orphanMs }: WatchdogStart =
  workerData;
const stall = new Stall({ limitMs, blockedFactor }, sample());

const looking = setInterval(() => {
  const isDebugged = Atomics.load(state, 1) === 1;
  stall.add(isDebugged ? { ...sample(), turns: Number.NaN } : sample());
  const seconds = Math.round(stall.ms / 1000);
  if (stall.isFrozen)
    end(`the event loop has not turned for ${seconds} s: the watchdog ends the process (WEIR_WATCHDOG)`);
  else if (parent !== undefined && process.ppid !== parent && stall.ms >= orphanMs)
    end('the primary process is gone and the event loop does not turn: the process ends');
}, sampleMs);

function sample(): Sample {
  const { user, system } = process.cpuUsage();
  return {
    turns: Atomics.load(state, 0),
    nowMs: performance.now(),
    cpuMs: (user + system) / 1000,
  };
}

function end(why: string): void {
  clearInterval(looking);
  // Nobody may be reading.
  setTimeout(exit, lastLineMs);
  write(2, `weir: process ${process.pid}: ${why}\n`, exit);
}

/** Ends the whole process. A signal would do as well, but process 1 of a container gets none from within. */
function exit(): void {
  try {
    const { functions } = loadFfi().dlopen(null, { _exit: { arguments: ['int32'], return: 'void' } });
    functions._exit(exitCode);
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}
