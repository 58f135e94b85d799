import { keyPrefix } from './keys.ts';
import { scopeHash } from './redis-cache-backend.ts';
import type { RedisConnection } from './redis-connection.ts';

interface ErasureTarget {
  readonly accountId: string;
  readonly shelves: readonly string[];
}

const scanCount = '500';

/** Redis can't look up keys by account, so this scans all keys once, in batches. */
export async function eraseInRedis(
  connection: RedisConnection,
  { accountId, shelves }: ErasureTarget,
): Promise<void> {
  const prefixes = [accountId, ...shelves.map(scopeHash)].map(keyPrefix);
  let cursor = '0';
  do {
    const answer = await connection.send(['SCAN', cursor, 'MATCH', 'weir:{*', 'COUNT', scanCount]);
    const [next, names] = Array.isArray(answer) ? answer : [];
    if (typeof next !== 'string' || !Array.isArray(names))
      throw new Error('Redis SCAN returned an unexpected reply');
    const ours = names.map(String).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
    if (ours.length > 0) await connection.send(['UNLINK', ...ours]);
    cursor = next;
  } while (cursor !== '0');
}
