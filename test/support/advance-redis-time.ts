import type { TestContext } from 'node:test';
import { createClient } from '@redis/client';

/** Lets time pass in a database of Redis: all that will be forgotten, or that ends with a time, is over that much sooner. */
export async function advanceRedisTime(
  t: TestContext,
  url: string,
): Promise<(seconds: number) => Promise<void>> {
  const client = await createClient({ url }).connect();
  t.after(() => client.destroy());
  return async (seconds) => {
    for (const key of await client.keys('*')) {
      const leftMs = await client.pTTL(key);
      if ((await client.type(key)) === 'hash')
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
