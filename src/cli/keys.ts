import type { ApiKey, Database } from '../kernel/ports/records.ts';
import { systemClock } from '../lib/clock.ts';
import { changeWithAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { findMember, formatTable, runWithDatabase } from './command-context.ts';

export function list({ environment, positionals: [email = ''], flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database }) => {
    const { account } = await findMember(database, email);
    const keys = (await database.apiKeys.list(account.id)).map(describeApiKey);
    if (flags.json) for (const key of keys) console.log(JSON.stringify(key));
    else
      console.log(
        formatTable([
          ['id', 'begins with', 'name', 'created', 'last used', 'revoked'],
          ...keys.map((key) => Object.values(key).map((value) => value ?? '-')),
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

export function revoke({ environment, positionals: [idOrPrefix = ''] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings, notifyGateway }) => {
    const [key, ...others] = await findKeys(database, idOrPrefix);
    if (key === undefined) throw new Error('no such active key; weir keys list <email> lists the ids');
    if (others.length > 0)
      throw new Error(
        `several keys begin like this; use an id: ${[key, ...others].map(({ id }) => id).join(', ')}`,
      );
    const record = { event: 'key.revoked', account: key.accountId, key: key.id } as const;
    await changeWithAudit({ settings, database }, record, async () => {
      await database.apiKeys.revoke(key.accountId, key.id, systemClock.now());
      return true;
    });
    console.log(`${key.prefix}… is revoked ${await notifyGateway(key.accountId)}`);
  });
}

/** Accepts an id, a whole key or the beginning of one: a leaked key need not be typed in full. */
async function findKeys({ apiKeys }: Database, idOrPrefix: string): Promise<readonly ApiKey[]> {
  const prefixCharacters = 12;
  if (idOrPrefix.includes('_live_'))
    return (await apiKeys.active(idOrPrefix.slice(0, prefixCharacters))).map(({ key }) => key);
  const key = await apiKeys.byId(idOrPrefix);
  return key === undefined || key.revokedAtMs !== null ? [] : [key];
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
