import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../gateway/settings.ts';
import type { Log } from '../telemetry/log.ts';
import { limits } from './limits.ts';

interface ShutdownHooks {
  readonly log: Pick<Log, 'info'>;
  readonly settings: () => Settings;
  /** Reports not ready to load balancers, and keeps serving. */
  announceShutdown(): void | Promise<void>;
  /** Graceful. */
  close(): Promise<void>;
  /** Immediate. */
  kill?(): Promise<void>;
}

/** Waits for SIGTERM or SIGINT, then closes everything; a second signal ends the process immediately. */
export async function waitForShutdown({
  log,
  settings,
  announceShutdown,
  close,
  kill,
}: ShutdownHooks): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isStopping = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) {
      await kill?.();
      process.exit(1);
    }
    isStopping = true;
    const startedAtMs = performance.now();
    try {
      // Ctrl-C comes from a person who waits, so it skips the notice.
      const noticeMs = signal === 'SIGINT' ? 0 : noticeMsOf(settings());
      log.info({ signal, noticeMs }, 'Weir is stopping');
      if (noticeMs > 0) {
        await announceShutdown();
        await sleep(noticeMs);
      }
      await close();
      log.info({ ms: Math.round(performance.now() - startedAtMs) }, 'Weir has stopped');
      resolve();
    } catch (thrown) {
      reject(thrown);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  await promise;
  process.off('SIGTERM', onSignal);
  process.off('SIGINT', onSignal);
}

/** Without replicas, no other process could take the calls meanwhile. */
function noticeMsOf({ drainNoticeMs, stores }: Settings): number {
  return drainNoticeMs ?? (stores === undefined ? 0 : limits.drainNoticeMs);
}

/** Ends this process when all is closed, although code of a package may have left a timer or a socket open. */
export function exitDespiteOpenResources(log: Pick<Log, 'warn'>, flush: () => void): void {
  setTimeout(() => {
    log.warn(
      { open: process.getActiveResourcesInfo() },
      'a package has left resources open; the process ends',
    );
    flush();
    process.exit();
  }, limits.exitPauseMs).unref();
}
