import { beginningOf } from './keys.ts';
import type { RedisLink } from './redis-link.ts';
import { shelfHash } from './redis-shelves.ts';

interface Traces {
  readonly accountId: string;
  readonly shelves: readonly string[];
}

const namesAtOnce = '500';

/** Names can't be looked up by account, so that all there are are walked through once, some at a time. */
export async function eraseInRedis(link: RedisLink, { accountId, shelves }: Traces): Promise<void> {
  const beginnings = [accountId, ...shelves.map(shelfHash)].map(beginningOf);
  let cursor = '0';
  do {
    const answer = await link.ask(['SCAN', cursor, 'MATCH', 'weir:{*', 'COUNT', namesAtOnce]);
    const [next, names] = Array.isArray(answer) ? answer : [];
    if (typeof next !== 'string' || !Array.isArray(names)) throw new Error('Redis did not list its names');
    const ours = names
      .map(String)
      .filter((name) => beginnings.some((beginning) => name.startsWith(beginning)));
    if (ours.length > 0) await link.ask(['UNLINK', ...ours]);
    cursor = next;
  } while (cursor !== '0');
}
