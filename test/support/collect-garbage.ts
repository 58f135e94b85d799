import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

const gc: () => void = runInNewContext('gc');

/** Frees garbage at once, so that memory can be compared before and after. The second collection counts buffers that the first freed. */
export function collectGarbage(): void {
  gc();
  gc();
}
