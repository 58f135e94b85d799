import { systemClock } from '../kernel/clock.ts';
import type { ApiKey, Database } from '../kernel/ports/records.ts';
import type { CommandInput } from './command.ts';
import { findUser, formatTable, runWithDatabase } from './command-context.ts';

export function list({ environment, positionals: [email = ''], flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const user = await findUser(database, email);
    const found = (await database.apiKeys.list(user.id)).map(describeApiKey);
    if (flags.json) for (const key of found) console.log(JSON.stringify(key));
    else
      console.log(
        formatTable([
          ['id', 'begins with', 'name', 'made', 'last used', 'revoked'],
          ...found.map((key) => Object.values(key).map((value) => value ?? '-')),
        ]),
      );
  });
}

function describeApiKey({ id, prefix, name, createdAtMs, lastUsedAtMs, revokedAtMs }: ApiKey) {
  return {
    id,
    prefix,
    name,
    createdAt: timeOf(createdAtMs),
    lastUsedAt: timeOf(lastUsedAtMs),
    revokedAt: timeOf(revokedAtMs),
  };
}

export function revoke({ environment, positionals: [what = ''] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, notifyGateway }) => {
    const [key, ...others] = await findKeys(database, what);
    if (key === undefined)
      throw new Error('there is no such key that works; weir keys list <email> has their ids');
    if (others.length > 0)
      throw new Error(
        `several keys begin so; name one by its id: ${[key, ...others].map(({ id }) => id).join(', ')}`,
      );
    await database.apiKeys.revoke(key.accountId, key.id, systemClock.now());
    console.log(`${key.prefix}… is revoked ${await notifyGateway(key.accountId)}`);
  });
}

/** Somebody who found a key has all of it, and needs to say no more than its beginning. */
async function findKeys({ apiKeys }: Database, what: string): Promise<readonly ApiKey[]> {
  const prefixCharacters = 12;
  if (what.includes('_live_'))
    return (await apiKeys.active(what.slice(0, prefixCharacters))).map(({ key }) => key);
  const key = await apiKeys.byId(what);
  return key === undefined || key.revokedAtMs !== null ? [] : [key];
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
