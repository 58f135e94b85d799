import { readFileSync } from 'node:fs';
import { localAccountId } from '../calls/local-setting.ts';
import { openAccountChangeNotifier } from '../gateway/account-change-notifier.ts';
import { Mover } from '../gateway/mover.ts';
import { egressPart } from '../gateway/parts/egress.ts';
import { modulesPart } from '../gateway/parts/modules.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import { systemClock } from '../lib/clock.ts';
import { isSectionName, type SectionName, sectionNames } from '../moving/sections.ts';
import { createLog } from '../telemetry/log.ts';
import type { CommandInput } from './command.ts';
import { type CommandContext, findMember, runWithDatabase } from './command-context.ts';

export interface MovingContext extends CommandContext {
  readonly mover: Mover;
  readonly accountId: string;
  readonly passphrase: string | undefined;
  readonly sections: readonly SectionName[] | undefined;
}

/** Runs a command with the account that it names; resolves to the exit code. */
export function runWithMover(
  { environment, flags }: CommandInput,
  command: (context: MovingContext) => Promise<void>,
): Promise<number> {
  const sections = readSections(flags.sections);
  return runWithDatabase(environment, async (context) => {
    const { settings, database } = context;
    const accountId = await accountOf(context, flags.account);
    const log = createLog('silent', { write() {} });
    const egress = egressPart({ settings, log });
    const { moduleFetches } = egress;
    const loaded = await modulesPart({ settings, log, clock: systemClock, moduleFetches, given: [] });
    const renewals = await openAccountChangeNotifier(settings, () => undefined);
    try {
      const mover = new Mover({
        ...{
          settings,
          database,
          modules: loaded.modules,
          roots: new RootSecrets(settings),
          clock: systemClock,
        },
        renew: async (id) => renewals.renew(id),
      });
      const passphrase = readPassphrase(flags['passphrase-file']);
      await command({ ...context, mover, accountId, passphrase, sections });
    } finally {
      await renewals.close();
      await loaded.close?.(performance.now() + 1000);
      await egress.close?.(performance.now() + 1000);
    }
  });
}

async function accountOf({ settings, database }: CommandContext, name: unknown): Promise<string> {
  if (settings.mode === 'local') {
    if (name !== undefined) throw new Error('a local gateway has one account: leave --account out');
    return localAccountId;
  }
  if (typeof name !== 'string') throw new Error('name the account with --account');
  return (await findMember(database, name)).account.id;
}

function readSections(list: unknown): readonly SectionName[] | undefined {
  if (typeof list !== 'string') return undefined;
  const names = list.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !isSectionName(name));
  if (wrong !== undefined)
    throw new Error(`there is no section "${wrong}"; there are ${sectionNames.join(', ')}`);
  return sectionNames.filter((name) => names.includes(name));
}

function readPassphrase(file: unknown): string | undefined {
  if (typeof file !== 'string') return undefined;
  const passphrase = readFileSync(file, 'utf8').trim();
  if (passphrase.length < passphraseCharactersMin)
    throw new Error(`the passphrase must have at least ${passphraseCharactersMin} characters`);
  return passphrase;
}

const passphraseCharactersMin = 12;
