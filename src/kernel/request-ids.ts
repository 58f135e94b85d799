import { randomFillSync } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import { firstIdAt, requestIdRandomBytes } from './request-id.ts';

const idsAtOnce = 256;

/**
 * Names for calls: `req_`, the millisecond, and 80 random bits, drawn for many calls at once. They begin with the time so
 * that a log which is ordered by them grows at one end; random ones made it write five times as much.
 */
export function createRequestIds(clock: Clock = systemClock): () => string {
  const pool = Buffer.alloc(requestIdRandomBytes * idsAtOnce);
  const digits = requestIdRandomBytes * 2;
  let drawn = '';
  let at = 0;
  let lastMs = -1;
  let start = '';
  return () => {
    if (at === drawn.length) {
      drawn = randomFillSync(pool).toString('hex');
      at = 0;
    }
    const nowMs = clock.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      start = firstIdAt(nowMs);
    }
    const id = start + drawn.slice(at, at + digits);
    at += digits;
    return id;
  };
}
