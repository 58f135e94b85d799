import { outsideVersions } from '../gateway/outside-versions.ts';
import { openDatabase } from '../gateway/parts/stores.ts';
import type { Environment, Settings } from '../gateway/settings.ts';
import type { TierId } from '../kernel/ports/records.ts';
import { explained } from './explained.ts';
import { settingsFrom } from './settings-from.ts';

const usage = 'weir users set-tier <email> free|pro|team';

/** What an operator does to accounts, while the gateway runs or not; resolves to the exit code. */
export async function users(args: readonly string[], environment: Environment): Promise<number> {
  try {
    const [command, email, tier, ...more] = args;
    if (command !== 'set-tier' || email === undefined || !isTier(tier) || more.length > 0)
      throw new Error(usage);
    await setTier(settingsFrom(environment), email, tier);
    return 0;
  } catch (thrown) {
    console.error(`weir: ${explained(thrown)}`);
    return 1;
  }
}

async function setTier(settings: Settings, email: string, tier: TierId): Promise<void> {
  const database = await openDatabase(settings);
  try {
    const user = await database.users.byEmail(email.trim());
    if (user === undefined) throw new Error(`there is no account of ${email}`);
    const { subscriptionId } = await database.billing.get(user.id);
    await database.billing.setTier(user.id, tier);
    let holds = 'from the next request on';
    const versions = await outsideVersions(settings, () => {
      holds = 'when the gateway is started: none is running on this data folder';
    });
    await versions.renew(user.id).finally(() => versions.close());
    console.log(`${user.email} is on the tier "${tier}", ${holds}`);
    if (subscriptionId !== null)
      console.log(`it has the subscription ${subscriptionId}: the next news of that changes the tier again`);
  } finally {
    await database.close();
  }
}

function isTier(name: string | undefined): name is TierId {
  return name === 'free' || name === 'pro' || name === 'team';
}
