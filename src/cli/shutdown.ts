import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../gateway/settings.ts';
import { limits } from '../kernel/limits.ts';

interface ShutdownHooks {
  readonly settings: () => Settings;
  /** Tells balancers to go elsewhere, and serves on. */
  announceShutdown(): void | Promise<void>;
  /** In good order. */
  close(): Promise<void>;
  /** At once. */
  kill?(): Promise<void>;
}

/** Waits for a signal to stop, and until everything is closed; the second signal ends the process at once. */
export async function waitForShutdown({
  settings,
  announceShutdown,
  close,
  kill,
}: ShutdownHooks): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let asked = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (asked) {
      await kill?.();
      process.exit(1);
    }
    asked = true;
    try {
      // Who presses Ctrl-C sits in front of it, and waits.
      const noticeMs = signal === 'SIGINT' ? 0 : noticeMsOf(settings());
      if (noticeMs > 0) {
        await announceShutdown();
        await sleep(noticeMs);
      }
      await close();
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

/** Where there are no replicas, nobody else could take the calls meanwhile. */
function noticeMsOf({ drainNoticeMs, stores }: Settings): number {
  return drainNoticeMs ?? (stores === undefined ? 0 : limits.drainNoticeMs);
}
