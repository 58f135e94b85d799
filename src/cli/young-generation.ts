import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** From here it doubles at most once more, to two halves of 8 MB. With more, calls took no less CPU time; with 2 MB, a tenth more. */
const bytesMax = 16 * 2 ** 20;

/**
 * Lets the space for new objects grow with the load, but not to the 64 MB that V8 takes for it. Its size is an option of Node.js
 * that can be given at the start only; how fast it grows can be said at any time.
 */
export function boundYoungGeneration(): void {
  let factor = 0;
  const set = (wanted: number): void => {
    if (wanted !== factor) setFlagsFromString(`--semi-space-growth-factor=${wanted}`);
    factor = wanted;
  };
  set(2);
  new PerformanceObserver(() => set(youngBytes() < bytesMax ? 2 : 1)).observe({ entryTypes: ['gc'] });
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
