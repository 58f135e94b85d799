import { type Check, degraded, passed } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';

/** Entries that wait to be stored or sent. */
interface Queue {
  readonly waiting: number;
  /** How long the oldest of them has waited. */
  readonly oldestMs: number;
}

export function queueCheck(name: string, queue: Queue): Check {
  return {
    name,
    run() {
      const { waiting, oldestMs } = queue;
      const seconds = Math.round(oldestMs / 1000);
      if (waiting === 0) return passed('no entries wait to be stored');
      const detail = `${waiting} entries wait to be stored, the oldest for ${seconds} s`;
      if (oldestMs <= limits.queuedMsMax) return passed(detail);
      return degraded(detail, 'look for "could not" in the log; nothing is lost while the process runs');
    },
  };
}
