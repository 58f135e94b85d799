import { keyPrefix } from './keys.ts';
import { scopeHash } from './redis-cache-backend.ts';
import type { RedisConnection } from './redis-connection.ts';

interface ErasureTarget {
  readonly accountId: string;
  readonly shelves: readonly string[];
}

const scanCount = '500';

/** Names can't be looked up by account, so that all there are are walked through once, some at a time. */
export async function eraseInRedis(
  link: RedisConnection,
  { accountId, shelves }: ErasureTarget,
): Promise<void> {
  const beginnings = [accountId, ...shelves.map(scopeHash)].map(keyPrefix);
  let cursor = '0';
  do {
    const answer = await link.send(['SCAN', cursor, 'MATCH', 'weir:{*', 'COUNT', scanCount]);
    const [next, names] = Array.isArray(answer) ? answer : [];
    if (typeof next !== 'string' || !Array.isArray(names)) throw new Error('Redis did not list its names');
    const ours = names
      .map(String)
      .filter((name) => beginnings.some((beginning) => name.startsWith(beginning)));
    if (ours.length > 0) await link.send(['UNLINK', ...ours]);
    cursor = next;
  } while (cursor !== '0');
}
