import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Frees garbage at once, so that memory can be compared before and after. */
export const collectGarbage: () => void = runInNewContext('gc');
