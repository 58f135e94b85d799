import { randomFillSync } from 'node:crypto';

const idBytes = 16;
const idsAtOnce = 256;

/** Names for calls: `req_` and 128 random bits, drawn for many calls at once. */
export function createRequestIds(): () => string {
  const pool = Buffer.alloc(idBytes * idsAtOnce);
  let at = pool.byteLength;
  return () => {
    if (at === pool.byteLength) {
      randomFillSync(pool);
      at = 0;
    }
    const id = pool.toString('hex', at, at + idBytes);
    at += idBytes;
    return `req_${id}`;
  };
}
