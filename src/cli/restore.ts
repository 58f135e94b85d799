import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasSecret, RootSecrets, secretFingerprint } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { queryProcesses } from '../process/control-socket.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import { type BackupMetadata, readBackup, restoreSqlite } from '../storage/sql/sqlite-backup.ts';
import { embeddedDatabaseFile } from './backup.ts';
import type { CommandInput } from './command.ts';

/** Replaces the embedded database with a backup. */
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
  // Creates the folder, and a secret if the backup needs none.
  new RootSecrets(settings);
  const before = `${database}.before-restore`;
  const wasThere = existsSync(database);
  await restoreSqlite(file, database, before);
  const from = note === undefined ? '' : `, made at ${new Date(note.madeAtMs).toISOString()}`;
  console.log(`restored ${resolve(database)} from ${resolve(file)}${from}`);
  if (wasThere) console.log(`the previous database is ${resolve(before)}: delete it once the gateway works`);
  return 0;
}

/** Encrypted values in a backup need the secret that it was made with. */
function checkSecret(settings: Settings, file: string, note: BackupMetadata | undefined): void {
  const { secret, dataDir } = settings;
  const secretFile = resolve(dataDir, 'secret');
  if (!hasSecret(settings))
    throw new Error(
      `put the secret of the backup into ${secretFile} or WEIR_SECRET first; --other-secret restores without it`,
    );
  if (note === undefined || note.secretFingerprint === '') return;
  const previous = settings.previousSecret;
  const candidates = [settings, ...(previous === undefined ? [] : [{ ...settings, secret: previous }])];
  if (!candidates.some((each) => secretFingerprint(new RootSecrets(each)) === note.secretFingerprint))
    throw new Error(
      `${file} was made with another secret than the one in ${secret === undefined ? secretFile : 'WEIR_SECRET'}: restore that secret, or put it into WEIR_SECRET_PREVIOUS; --other-secret restores without it`,
    );
}
