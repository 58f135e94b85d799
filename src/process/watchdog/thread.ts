// The thread that ends the process when its event loop is blocked.
import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { loadFfi } from '../ffi.ts';
import type { WatchdogOptions } from '../watchdog.ts';
import { type Sample, StallDetector } from './stall-detector.ts';

const { state, limitMs, blockedFactor, sampleMs, lastLineMs, exitCode, parent, orphanMs }: WatchdogOptions =
  workerData;
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
  setTimeout(exitProcess, lastLineMs);
  write(2, `weir: process ${process.pid}: ${why}\n`, exitProcess);
}

/** Exits without a signal, since process 1 of a container ignores signals from itself. */
function exitProcess(): void {
  try {
    const { functions } = loadFfi().dlopen(null, { _exit: { arguments: ['int32'], return: 'void' } });
    functions._exit(exitCode);
  } catch {
    process.kill(process.pid, 'SIGKILL');
  }
}
