import { keyPrefix } from './keys.ts';
import { scopeHash } from './redis-cache-backend.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisNode } from './redis-node.ts';

interface ErasureTarget {
  readonly accountId: string;
  readonly shelves: readonly string[];
}

const scanCount = '500';

/** Redis can't look up keys by account, so this scans all keys of each server once, in batches. */
export async function eraseInRedis(
  { nodes }: RedisConnection,
  { accountId, shelves }: ErasureTarget,
): Promise<void> {
  const prefixes = [accountId, ...shelves.map(scopeHash)].map(keyPrefix);
  for (const node of nodes) await eraseOn(node, prefixes);
}

async function eraseOn(node: RedisNode, prefixes: readonly string[]): Promise<void> {
  let cursor = '0';
  do {
    const answer = await node.send(['SCAN', cursor, 'MATCH', 'weir:{*', 'COUNT', scanCount]);
    const [next, names] = Array.isArray(answer) ? answer : [];
    if (typeof next !== 'string' || !Array.isArray(names))
      throw new Error('Redis SCAN returned an unexpected reply');
    const ours = names.map(String).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
    // One by one: a cluster takes no command with keys of several slots.
    await Promise.all(ours.map((name) => node.send(['UNLINK', name])));
    cursor = next;
  } while (cursor !== '0');
}
