import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { limits } from '../kernel/limits.ts';

interface Looks {
  readonly everyMs: number;
  /** It is idle where less than this share of the time was its own. */
  readonly shareMax: number;
  /** Below this nothing is to be gained. */
  readonly youngBytesMin: number;
}

const usual: Looks = {
  everyMs: limits.idleLookMs,
  shareMax: limits.idleShareMax,
  youngBytesMin: limits.idleYoungBytesMin,
};

/**
 * Gives back what load has left behind once nothing happens any more: the space for new objects, which V8 keeps at its
 * largest for as long as nobody makes new ones. It takes about a tenth of a second, once after each time of load.
 */
export function giveMemoryBackWhenIdle({ everyMs, shareMax, youngBytesMin }: Looks = usual): () => void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization <= shareMax && youngBytes() >= youngBytesMin) collect();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

export function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return young?.physical_space_size ?? 0;
}

/** There is no other way to ask for it in a process that was started without the flag. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // The plain kind believes that there is load for as long as it remembers some, and keeps its room.
  if (typeof gc === 'function') gc({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
