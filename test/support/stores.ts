import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { cleanUp } from './clean-up.ts';
import { eventually } from './eventually.ts';
import { connectRedisClient } from './redis-client.ts';

/** The address of an empty database, or of a copy of another, which goes with its test. */
export async function freshPostgres(t: TestContext, template?: string): Promise<string> {
  const { url, drop } = await createPostgres(template);
  cleanUp(t, drop);
  return url;
}

/** The same with all tables. */
export function migratedPostgres(t: TestContext): Promise<string> {
  return freshPostgres(t, process.env.TEST_DATABASE_TEMPLATE);
}

export async function createPostgres(
  template = 'template1',
): Promise<{ readonly url: string; readonly name: string; drop(): Promise<void> }> {
  const url = new URL(serverAt('TEST_DATABASE_URL'));
  const name = `weir_test_${randomBytes(8).toString('hex')}`;
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${name} template ${template}`);
  const drop = async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  };
  url.pathname = `/${name}`;
  return { url: url.href, name, drop };
}

/** A test that was killed keeps its database of Redis this long. */
const claimSeconds = 600;

/** The address of a numbered database that is nobody else's, emptied before and after. */
export async function freshRedis(t: TestContext): Promise<string> {
  const url = new URL(serverAt('TEST_REDIS_URL'));
  const claims = await connectRedisClient(url.href);
  const databases = Number((await claims.configGet('databases')).databases);
  const claimKey = (database: number) => `weir:test:database:${database}`;
  const claim = async (): Promise<number | undefined> => {
    for (let database = 1; database < databases; database++)
      if (
        await claims.set(claimKey(database), '', {
          condition: 'NX',
          expiration: { type: 'EX', value: claimSeconds },
        })
      )
        return database;
    return undefined;
  };
  const database = await eventually(claim);
  url.pathname = `/${database}`;
  const own = await connectRedisClient(url.href);
  await own.flushDb();
  cleanUp(t, async () => {
    await own.flushDb();
    await claims.del(claimKey(database));
    own.destroy();
    claims.destroy();
  });
  return url.href;
}

function serverAt(variable: string): string {
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set: run this file with npm test -- <file>`);
  return url;
}
