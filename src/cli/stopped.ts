import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../gateway/settings.ts';
import { limits } from '../kernel/limits.ts';

interface Ending {
  readonly settings: () => Settings;
  /** Tells balancers to go elsewhere, and serves on. */
  announce(): void | Promise<void>;
  /** In good order. */
  close(): Promise<void>;
  /** At once. */
  abandon?(): Promise<void>;
}

/** Waits for a signal to stop, and until everything is closed; the second signal ends the process at once. */
export async function stopped({ settings, announce, close, abandon }: Ending): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let asked = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (asked) {
      await abandon?.();
      process.exit(1);
    }
    asked = true;
    try {
      // Who presses Ctrl-C sits in front of it, and waits.
      const noticeMs = signal === 'SIGINT' ? 0 : noticeOf(settings());
      if (noticeMs > 0) {
        await announce();
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
function noticeOf({ drainNoticeMs, stores }: Settings): number {
  return drainNoticeMs ?? (stores === undefined ? 0 : limits.drainNoticeMs);
}
