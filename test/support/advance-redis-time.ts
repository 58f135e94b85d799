import type { TestContext } from 'node:test';
import { connectRedisClient } from './redis-client.ts';

/** Lets time pass in a database of Redis: all that will be forgotten, or that ends with a time, is over that much sooner. */
export async function advanceRedisTime(
  t: TestContext,
  url: string,
): Promise<(seconds: number) => Promise<void>> {
  const client = await openClient(url);
  t.after(() => client.destroy());
  return async (seconds) => {
    for (const key of await client.keys('*')) {
      const leftMs = await client.pTTL(key);
      if (key.includes(':rate:')) await advanceRate(client, key, seconds);
      else if ((await client.type(key)) === 'hash')
        for (const [field, value] of Object.entries(await client.hGetAll(key)))
          await client.hSet(
            key,
            field,
            value.replace(/ (\d+)$/, (_, untilMs) => ` ${Number(untilMs) - seconds * 1000}`),
          );
      if (leftMs >= 0) await client.pExpire(key, Math.round(leftMs - seconds * 1000));
    }
  };
}

function openClient(url: string) {
  return connectRedisClient(url);
}

/** Amounts by second of the clock, or calls by the time when they expire. */
async function advanceRate(
  client: Awaited<ReturnType<typeof openClient>>,
  key: string,
  seconds: number,
): Promise<void> {
  if ((await client.type(key)) === 'zset') {
    for (const id of await client.zRange(key, 0, -1)) await client.zIncrBy(key, -seconds * 1000, id);
    return;
  }
  const amounts = Object.entries(await client.hGetAll(key));
  await client.hDel(
    key,
    amounts.map(([second]) => second),
  );
  for (const [second, amount] of amounts) await client.hSet(key, String(Number(second) - seconds), amount);
}
