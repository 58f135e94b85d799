import { url as debuggerUrl } from 'node:inspector';
import { SHARE_ENV } from 'node:worker_threads';
import type { Settings } from '../gateway/settings.ts';
import { permitted } from '../lib/permitted.ts';
import { startThread } from '../lib/threads.ts';
import type { Log } from '../telemetry/log.ts';
import { limits } from './limits.ts';

export interface WatchdogOptions {
  /** Counts event loop turns, and flags whether a debugger may pause the loop. */
  readonly state: Int32Array;
  readonly limitMs: number;
  readonly blockedFactor: number;
  readonly sampleMs: number;
  readonly lastLineMs: number;
  /** This process ends when its parent does. */
  readonly parent: number | undefined;
  readonly orphanMs: number;
}

interface WatchdogParts {
  readonly settings: Pick<Settings, 'watchdogMs'>;
  readonly log: Log;
  readonly parent?: number;
}

/**
 * Ends this process from a separate thread when its event loop is blocked, or when its parent is gone and it cannot
 * notice: a blocked loop handles neither signals nor messages.
 */
export function startWatchdog({ settings: { watchdogMs }, log, parent }: WatchdogParts): void {
  if (watchdogMs === Number.POSITIVE_INFINITY && parent === undefined) return;
  if (process.pid === 1)
    log.error({}, 'the watchdog cannot end process 1: start Weir under an init (docker run --init)');
  const sampleMs = Math.min(watchdogMs / limits.watchdogSamples, limits.watchdogSampleMsMax);
  const state = new Int32Array(new SharedArrayBuffer(8));
  const turn = () => {
    Atomics.add(state, 0, 1);
    Atomics.store(state, 1, permitted.debugger && debuggerUrl() !== undefined ? 1 : 0);
  };
  turn();
  setInterval(turn, sampleMs).unref();
  const thread = startThread(new URL('./watchdog/thread.ts', import.meta.url), {
    workerData: {
      state,
      limitMs: watchdogMs,
      blockedFactor: limits.watchdogBlockedFactor,
      sampleMs,
      lastLineMs: limits.watchdogLastLineMs,
      parent,
      orphanMs: limits.watchdogOrphanMs,
    } satisfies WatchdogOptions,
    env: SHARE_ENV,
  });
  thread.on('error', (err) => log.error({ err }, 'the watchdog failed'));
  thread.unref();
}
