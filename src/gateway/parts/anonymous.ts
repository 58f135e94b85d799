import type { FindGuest } from '../../calls/callers.ts';
import { guestsOf } from '../../calls/guests.ts';
import { systemClock } from '../../kernel/clock.ts';
import { AnonymousSessions } from '../../sandbox/anonymous-sessions.ts';
import type { Log } from '../../telemetry/log.ts';
import { anthropicMessages } from '../../wire/index.ts';
import type { Part } from '../part.ts';
import type { Roots } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import type { Stores } from './stores.ts';

interface Anonymous extends Part {
  readonly sessions: AnonymousSessions;
  readonly findGuest: FindGuest;
}

interface AnonymousParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly roots: Roots;
  readonly stores: Stores;
}

/** People without an account. */
export function anonymousPart({ settings, log, roots, stores }: AnonymousParts): Anonymous {
  const [addressKey] = roots.derived('anonymous addresses');
  const [refKey] = roots.derived('anonymous session refs');
  const sessions = new AnonymousSessions({
    sessions: stores.database.anonSessions,
    attempts: stores.shared.attempts,
    clock: systemClock,
    tokenKeys: roots.derived('anonymous tokens'),
    addressKey,
    refKey,
    terms: settings.sandbox,
    onFault: (err) => log.error({ err }, 'a failed call of the sandbox stayed counted'),
  });
  return {
    sessions,
    findGuest: guestsOf(sessions, anthropicMessages),
    close: () => sessions.settled(),
  };
}
