import type { KeyRing } from '../../accounts/key-ring.ts';
import { Quota } from '../../billing/quota.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { type Callers, cloudCallers, type FindGuest, localCallers } from '../../calls/callers.ts';
import { CredentialShapes } from '../../calls/credential-shapes.ts';
import { AccountTurnstile, openTurnstile, type Turnstiles } from '../../calls/turnstile.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { HeaderList } from '../../kernel/headers.ts';
import { limits } from '../../kernel/limits.ts';
import type { Directory } from '../../providers/directory.ts';
import { type AccessChecks, cloudAccess, localAccess } from '../../server/own/access.ts';
import { billingPagePaths } from '../../server/own/routes/billing-pages.ts';
import { SessionCookies } from '../../server/own/session-cookie.ts';
import { inMemory } from '../../storage/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Gauge } from '../../telemetry/process-gauges.ts';
import { type AccountServices, openAccountServices } from '../account-services.ts';
import { Mailbox } from '../mailbox.ts';
import type { Part } from '../part.ts';
import type { Roots } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

/** Where clients find this gateway; where nobody says so, the listener's address, once there is one. */
export interface PublicAddress {
  url: string;
}

export interface People extends Part {
  readonly shapes: CredentialShapes;
  readonly callers: Callers;
  readonly turnstiles: Turnstiles;
  readonly access: AccessChecks;
  readonly cookies: SessionCookies;
  /** Undefined, like the services, where calls are nobody's but the user's own. */
  readonly quota: Quota | undefined;
  readonly services: AccountServices | undefined;
}

interface PeopleParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: Roots;
  readonly stores: Stores;
  readonly usage: UsageRecorder;
  readonly directory: Directory;
  readonly address: PublicAddress;
  readonly findGuest: FindGuest;
}

/** Who may call, and how their calls are counted: anybody in local mode, accounts in cloud mode. */
export function peoplePart(parts: PeopleParts): People {
  const { localToken, keyPrefix, mode } = parts.settings;
  const providers = parts.directory.providers.values();
  const shapes = new CredentialShapes({ providers, keyPrefix, localToken });
  return mode === 'local' ? localPeople(shapes, parts) : cloudPeople(shapes, parts);
}

function localPeople(shapes: CredentialShapes, { settings, address, findGuest }: PeopleParts): People {
  const { localToken } = settings;
  const callers = localCallers(shapes, localToken, findGuest);
  const cookies = new SessionCookies(address);
  const authenticate = (headers: HeaderList) => callers.identify(headers);
  return {
    shapes,
    callers,
    turnstiles: { local: openTurnstile },
    access: localAccess({ authenticate, localToken, cookies }),
    cookies,
    quota: undefined,
    services: undefined,
  };
}

function cloudPeople(shapes: CredentialShapes, parts: PeopleParts): People {
  const { settings, log, roots, stores, usage, address, findGuest } = parts;
  const services = openAccountServices({ stores, roots, settings, log, address });
  const { keys, tokens } = services;
  const cookies = new SessionCookies(address);
  const callers = cloudCallers(shapes, keys, findGuest);
  const mailbox =
    settings.stores === undefined && settings.dataDir !== inMemory
      ? new Mailbox(settings.dataDir)
      : undefined;
  mailbox?.read(stores.shared.versions, (err) => log.error({ err }, 'changes by the command line wait'));
  const quota = new Quota({
    slots: stores.shared.slots,
    versions: stores.shared.versions,
    clock: systemClock,
    tierLimits: settings.tierLimits,
    upgradeUrl: () => `${address.url}${billingPagePaths.start}`,
    reservations: usage.reservations,
    counted: (accountId, periodStartMs) => usage.counted(accountId, periodStartMs),
    claimed: (accountId, periodStartMs) => usage.claimed(accountId, periodStartMs),
    creditStanding: (accountId, periodStartMs) => stores.database.credits.standing(accountId, periodStartMs),
  });
  return {
    shapes,
    callers,
    turnstiles: { account: new AccountTurnstile({ quota, callers, keys }) },
    access: cloudAccess({ tokens, keys, cookies }),
    cookies,
    quota,
    services,
    gauges: [
      ...keyGauges(keys),
      ...quotaGauges(quota),
      {
        name: 'weir_mails_waiting',
        help: `Mails that are not sent yet, of ${limits.mailsWaiting}`,
        read: () => services.postman?.waiting ?? 0,
      },
    ],
    features: ['accounts', 'api-keys', 'quota', ...(services.recovery.canMail ? ['mail'] : [])],
    async close() {
      await mailbox?.close();
      await services.close();
    },
  };
}

function keyGauges(keys: KeyRing): readonly Gauge[] {
  return [
    {
      name: 'weir_api_keys_remembered',
      help: `API keys whose holder is remembered, of ${limits.keyLookupsKept}`,
      read: () => keys.remembered.keys,
    },
    {
      name: 'weir_api_key_misses_remembered',
      help: `Tokens that are remembered to be no API key, of ${limits.keyMissesKept}`,
      read: () => keys.remembered.misses,
    },
  ];
}

function quotaGauges(quota: Quota): readonly Gauge[] {
  return [
    { name: 'weir_quota_open', help: 'Counted calls that have not ended', read: () => quota.open },
    {
      name: 'weir_quota_not_given_back',
      help: 'Failed calls that stayed counted because the store could not be told',
      read: () => quota.notGivenBack,
    },
  ];
}
