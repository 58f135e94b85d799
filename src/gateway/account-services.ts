import { AccountKeys } from '../accounts/api-keys.ts';
import { keyHashing, passwordHashing } from '../accounts/hashing.ts';
import { KeyRing } from '../accounts/key-ring.ts';
import { KeyUses } from '../accounts/key-uses.ts';
import { Postman } from '../accounts/mail/postman.ts';
import { Recovery } from '../accounts/mail/recovery.ts';
import { SessionTokens } from '../accounts/session-tokens.ts';
import { Accounts } from '../accounts/users.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Stores } from './parts/stores.ts';
import type { Roots } from './secrets.ts';
import type { Settings } from './settings.ts';
import { smtp } from './smtp.ts';

/** What there is for people with accounts, in cloud mode. */
export interface AccountServices {
  readonly accounts: Accounts;
  readonly tokens: SessionTokens;
  readonly accountKeys: AccountKeys;
  readonly keys: KeyRing;
  readonly recovery: Recovery;
  readonly postman: Postman | undefined;
  /** Stores what is only noted yet. */
  close(): Promise<void>;
}

export interface AccountServiceParts {
  readonly stores: Stores;
  readonly roots: Roots;
  readonly settings: Settings;
  readonly log: Log;
  readonly address: { readonly url: string };
}

export function openAccountServices(parts: AccountServiceParts): AccountServices {
  const { stores, roots, settings, log, address } = parts;
  const { users, sessions, mailedTokens, apiKeys } = stores.database;
  const { attempts, versions } = stores.shared;
  const { keyPrefix } = settings;
  const clock = systemClock;
  const hashing = keyHashing();
  const uses = new KeyUses({
    apiKeys,
    clock,
    onFailure: (cause) => log.error({ err: cause }, 'uses of keys are not stored yet'),
  });
  const tokens = new SessionTokens({ keys: roots.derived('sessions'), sessions, clock });
  const passwords = passwordHashing();
  const postman = settings.mail && postmanOf(settings.mail, log);
  const recovery = new Recovery({
    users,
    tokens: mailedTokens,
    passwords,
    attempts,
    versions,
    postman,
    address,
    clock,
  });
  const [cacheKey] = roots.derived('key lookups');
  return {
    accounts: new Accounts({ users, attempts, tokens, passwords, clock }),
    tokens,
    accountKeys: new AccountKeys({ apiKeys, versions, hashing, uses, keyPrefix, clock }),
    keys: new KeyRing({ apiKeys, versions, hashing, uses, keyPrefix, cacheKey, clock }),
    recovery,
    postman,
    async close() {
      await postman?.close();
      await uses.close();
    },
  };
}

function postmanOf(mail: NonNullable<Settings['mail']>, log: Log): Postman {
  return new Postman({
    deliver: smtp(mail),
    onFailure: (cause) => log.error({ err: told(cause) }, 'a mail could not be sent'),
  });
}

/** What a mail server says may name whom the mail was for. */
function told(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('command' in cause || 'responseCode' in cause)) return cause;
  const code = 'code' in cause ? cause.code : null;
  return { name: cause.name, code, responseCode: 'responseCode' in cause ? cause.responseCode : null };
}
