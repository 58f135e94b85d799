import { Quota } from '../billing/quota.ts';
import type { UsageRecorder } from '../billing/usage-recorder.ts';
import { cloudCallers, localCallers } from '../calls/callers.ts';
import { CredentialShapes } from '../calls/credential-shapes.ts';
import { AccountTurnstile, openTurnstile, type Turnstiles } from '../calls/turnstile.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Directory } from '../providers/directory.ts';
import { cloudAccess, localAccess } from '../server/own/access.ts';
import type { Log } from '../telemetry/log.ts';
import { type AccountServices, openAccountServices } from './account-services.ts';
import type { Roots } from './secrets.ts';
import type { Settings } from './settings.ts';
import type { Stores } from './stores.ts';

/** Where clients find this gateway; where nobody says so, the listener's address, once there is one. */
export interface PublicAddress {
  url: string;
}

interface PeopleParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: Roots;
  readonly stores: Stores;
  readonly usage: UsageRecorder;
  readonly directory: Directory;
  readonly address: PublicAddress;
}

/** Who may call, and how their calls are counted: anybody in local mode, accounts in cloud mode. */
export function peopleOf({ settings, log, roots, stores, usage, directory, address }: PeopleParts) {
  const { localToken, keyPrefix } = settings;
  const providers = directory.providers.values();
  const shapes = new CredentialShapes({ providers, keyPrefix, localToken });
  if (settings.mode === 'local') {
    const callers = localCallers(shapes, localToken);
    const turnstiles: Turnstiles = { local: openTurnstile };
    const access = localAccess((headers) => callers.identify(headers));
    return { shapes, callers, turnstiles, access, quota: undefined, services: undefined };
  }
  const services: AccountServices = openAccountServices({ stores, roots, settings, log });
  const { keys, tokens } = services;
  const callers = cloudCallers(shapes, keys);
  const quota = new Quota({
    slots: stores.shared.slots,
    clock: systemClock,
    tierLimits: settings.tierLimits,
    upgradeUrl: () => `${address.url}/v1/catalog`,
    counted: (accountId, periodStartMs) => usage.counted(accountId, periodStartMs),
  });
  const turnstiles: Turnstiles = { account: new AccountTurnstile({ quota, callers, keys }) };
  return { shapes, callers, turnstiles, access: cloudAccess({ tokens, keys }), quota, services };
}
