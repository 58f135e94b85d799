import { AccountKeys } from '../accounts/api-keys.ts';
import { keyHashing, passwordHashing } from '../accounts/hashing.ts';
import { KeyRing } from '../accounts/key-ring.ts';
import { KeyUses } from '../accounts/key-uses.ts';
import { SessionTokens } from '../accounts/session-tokens.ts';
import { Accounts } from '../accounts/users.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Stores } from './parts/stores.ts';
import type { Roots } from './secrets.ts';
import type { Settings } from './settings.ts';

/** What there is for people with accounts, in cloud mode. */
export interface AccountServices {
  readonly accounts: Accounts;
  readonly tokens: SessionTokens;
  readonly accountKeys: AccountKeys;
  readonly keys: KeyRing;
  /** Stores what is only noted yet. */
  close(): Promise<void>;
}

export interface AccountServiceParts {
  readonly stores: Stores;
  readonly roots: Roots;
  readonly settings: Settings;
  readonly log: Log;
}

export function openAccountServices({ stores, roots, settings, log }: AccountServiceParts): AccountServices {
  const { users, endedSessions, apiKeys } = stores.database;
  const { attempts, versions } = stores.shared;
  const { keyPrefix } = settings;
  const clock = systemClock;
  const hashing = keyHashing();
  const uses = new KeyUses({
    apiKeys,
    clock,
    onFailure: (cause) => log.error({ err: cause }, 'uses of keys are not stored yet'),
  });
  const tokens = new SessionTokens({ keys: roots.derived('sessions'), endedSessions, clock });
  const [cacheKey] = roots.derived('key lookups');
  return {
    accounts: new Accounts({ users, attempts, tokens, passwords: passwordHashing(), clock }),
    tokens,
    accountKeys: new AccountKeys({ apiKeys, versions, hashing, uses, keyPrefix, clock }),
    keys: new KeyRing({ apiKeys, versions, hashing, uses, keyPrefix, cacheKey, clock }),
    close: () => uses.close(),
  };
}
