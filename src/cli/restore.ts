import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasSecret, RootSecrets, secretFingerprint } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { type BackupMetadata, readBackup, restoreSqlite } from '../storage/sql/sqlite-backup.ts';
import { embeddedDatabaseFile } from './backup.ts';
import type { CommandInput } from './command.ts';
import { queryProcesses } from './control-socket.ts';
import { loadCommandSettings } from './load-settings.ts';

/** Puts a backup in the place of the embedded database. */
export async function restore({
  environment,
  positionals: [file = ''],
  flags,
}: CommandInput): Promise<number> {
  const settings = loadCommandSettings(environment);
  const database = embeddedDatabaseFile(settings);
  const note = await readBackup(file);
  if (!flags['other-secret']) checkSecret(settings, file, note);
  const running = await queryProcesses(settings.dataDir, { ask: 'log-level' });
  if (running.length > 0)
    throw new Error(`a gateway is running on ${resolve(settings.dataDir)}: stop it first`);
  // Makes the folder, and a secret where none is needed from before.
  new RootSecrets(settings);
  const before = `${database}.before-restore`;
  const wasThere = existsSync(database);
  await restoreSqlite(file, database, before);
  const from = note === undefined ? '' : `, from ${new Date(note.madeAtMs).toISOString()}`;
  console.log(`${resolve(database)} is what ${resolve(file)} has${from}`);
  if (wasThere)
    console.log(`what was there is ${resolve(before)}: delete it when the gateway runs as it should`);
  return 0;
}

/** What is sealed in a backup opens with the secret that it was made under and no other. */
function checkSecret(settings: Settings, file: string, note: BackupMetadata | undefined): void {
  const { secret, dataDir } = settings;
  const place = resolve(dataDir, 'secret');
  if (!hasSecret(settings))
    throw new Error(
      `put the secret of the backup into ${place} or WEIR_SECRET first; --other-secret goes on without`,
    );
  if (note === undefined || note.secretFingerprint === '') return;
  const previous = settings.previousSecret;
  const known = [settings, ...(previous === undefined ? [] : [{ ...settings, secret: previous }])];
  if (!known.some((each) => secretFingerprint(new RootSecrets(each)) === note.secretFingerprint))
    throw new Error(
      `${file} was made under another secret than the one in ${secret === undefined ? place : 'WEIR_SECRET'}: put that one back, or into WEIR_SECRET_PREVIOUS; --other-secret goes on without`,
    );
}
