// The thread that ends the process when its event loop is blocked.
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogOptions } from '../watchdog.ts';
import { type Sample, StallDetector } from './stall-detector.ts';

const { state, limitMs, blockedFactor, sampleMs, lastLineMs, parent, orphanMs }: WatchdogOptions = workerData;
const stallDetector = new StallDetector({ limitMs, blockedFactor }, sample());

const sampleTimer = setInterval(() => {
  const isDebugged = Atomics.load(state, 1) === 1;
  stallDetector.add(isDebugged ? { ...sample(), turns: Number.NaN } : sample());
  const seconds = Math.round(stallDetector.ms / 1000);
  if (stallDetector.isFrozen)
    endProcess(`the event loop was blocked for ${seconds} s: the watchdog ends the process (WEIR_WATCHDOG)`);
  else if (parent !== undefined && process.ppid !== parent && stallDetector.ms >= orphanMs)
    endProcess('the primary process is gone and the event loop is blocked: the process ends');
}, sampleMs);

function sample(): Sample {
  const { user, system } = process.cpuUsage();
  return {
    turns: Atomics.load(state, 0),
    nowMs: performance.now(),
    cpuMs: (user + system) / 1000,
  };
}

function endProcess(why: string): void {
  clearInterval(sampleTimer);
  // stderr may have no reader.
  setTimeout(killProcess, lastLineMs);
  write(2, `weir: process ${process.pid}: ${why}\n`, killProcess);
}

/** A thread cannot make the process exit, and a blocked event loop handles no other signal. */
function killProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
