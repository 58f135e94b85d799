import { randomFillSync } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import { firstIdAt, requestIdRandomBytes } from './request-id.ts';

const idsAtOnce = 256;

/**
 * Names for calls: `req_`, the millisecond, and 80 random bits, drawn for many calls at once. They begin with the time so
 * that a log which is ordered by them grows at one end; random ones made it write five times as much. They are made of
 * bytes: a sum of two texts stays two until somebody needs it as one, and JSON takes twice as long to write it.
 */
export function createRequestIds(clock: Clock = systemClock): () => string {
  const pool = Buffer.alloc(requestIdRandomBytes * idsAtOnce);
  const startLength = firstIdAt(0).length;
  const id = Buffer.alloc(startLength + requestIdRandomBytes * 2);
  let digits = Buffer.alloc(0);
  let at = 0;
  let lastMs = -1;
  return () => {
    if (at === digits.length) {
      digits = Buffer.from(randomFillSync(pool).toString('hex'), 'latin1');
      at = 0;
    }
    const nowMs = clock.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      id.write(firstIdAt(nowMs), 'latin1');
    }
    for (let place = startLength; place < id.length; place++) id[place] = digits[at++] ?? 0;
    return id.toString('latin1');
  };
}
