import type { FindGuest } from '../../calls/caller-authenticator.ts';
import { createGuestFinder } from '../../calls/guests.ts';
import { AnonymousSessions } from '../../sandbox/anonymous-sessions.ts';
import type { Log } from '../../telemetry/log.ts';
import { anthropicMessages } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface AnonymousPart extends Part {
  readonly sessions: AnonymousSessions;
  readonly findGuest: FindGuest;
}

interface AnonymousParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: RootSecrets;
  readonly stores: Stores;
}

/** Anonymous sessions. */
export function anonymousPart({ settings, log, roots: rootSecrets, stores }: AnonymousParts): AnonymousPart {
  const [addressKey] = rootSecrets.deriveKeys('anonymous addresses');
  const [refKey] = rootSecrets.deriveKeys('anonymous session refs');
  const sessions = new AnonymousSessions({
    sessions: stores.database.anonSessions,
    rateLimiter: stores.shared.rateLimiter,
    clock: stores.clock,
    tokenKeys: rootSecrets.deriveKeys('anonymous tokens'),
    addressKey,
    refKey,
    terms: settings.sandbox,
    onFault: (err) => log.error({ err }, 'could not undo the count of a failed sandbox call'),
  });
  return {
    sessions,
    findGuest: createGuestFinder(sessions, anthropicMessages),
    close: () => sessions.waitForRefunds(),
  };
}
