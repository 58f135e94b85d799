import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasSecret, RootSecrets, secretFingerprint } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { queryProcesses } from '../process/control-socket.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import { inMemoryDataDir } from '../storage/settings.ts';
import { type BackupMetadata, restoreSqlite } from '../storage/sql/sqlite-backup.ts';
import { embeddedDatabaseFile, noChecksum } from './backup.ts';
import type { CommandInput } from './command.ts';
import { deleteAgain, readDeletions } from './deleted-again.ts';
import { describeOrigin, type OpenedBackup, plainFolder, readPassphrase, withBackup } from './open-backup.ts';
import { drillRestore } from './restore-drill.ts';

/** Replaces the embedded database with a backup, or only tries whether that would work. */
export async function restore({
  environment,
  positionals: [file = ''],
  flags,
}: CommandInput): Promise<number> {
  const settings = await loadCommandSettings(environment);
  const passphrase = readPassphrase(settings, flags);
  const folder = plainFolder(settings);
  if (flags.drill) return drillRestore({ settings, file, passphrase, folder });
  const database = embeddedDatabaseFile(settings);
  return withBackup({ file, passphrase, folder }, async (opened) => {
    if (!flags['other-secret']) checkSecret(settings, file, opened.metadata);
    const running = await queryProcesses(settings.dataDir, { ask: 'log-level' });
    if (running.length > 0)
      throw new Error(`a gateway is running on ${resolve(settings.dataDir)}: stop it first`);
    // Creates the folder, and a secret if the backup needs none.
    new RootSecrets(settings);
    await replaceDatabase({ database, file, opened, keepsDeleted: flags['with-deleted'] === true });
    return 0;
  });
}

interface Replacement {
  readonly database: string;
  readonly file: string;
  readonly opened: OpenedBackup;
  /** Whether accounts that were deleted since the backup come back. */
  readonly keepsDeleted: boolean;
}

async function replaceDatabase({ database, file, opened, keepsDeleted }: Replacement): Promise<void> {
  const before = `${database}.before-restore`;
  const wasThere = existsSync(database);
  const deletions = await readDeletions(database);
  let deletedAgain: readonly string[] = [];
  await restoreSqlite({
    copy: opened.plainFile,
    file: database,
    before,
    prepare: async (unfinished) => {
      if (!keepsDeleted) deletedAgain = await deleteAgain(unfinished, deletions ?? []);
    },
  });
  console.log(`restored ${resolve(database)} from ${resolve(file)}${describeOrigin(opened.metadata)}`);
  if (!opened.hasChecksum) console.log(noChecksum);
  if (wasThere) console.log(`the previous database is ${resolve(before)}: delete it once the gateway works`);
  if (deletions === undefined)
    console.log(
      'the previous database cannot be read: accounts that were deleted after the backup are back; weir users delete-again deletes them, if you have a list of them',
    );
  else if (deletedAgain.length > 0)
    console.log(
      `deleted again, since they were deleted after the backup: ${deletedAgain.join(', ')}; their data is erased at the next start`,
    );
}

/** Encrypted values in a backup need the secret that it was made with. */
function checkSecret(settings: Settings, file: string, note: BackupMetadata | undefined): void {
  const { secret, dataDir } = settings;
  const secretFile = resolve(dataDir, 'secret');
  if (!hasSecret(settings))
    throw new Error(
      `put the secret of the backup into ${secretFile} or WEIR_SECRET first; --other-secret restores without it`,
    );
  if (note !== undefined && !opensBackup(settings, note))
    throw new Error(
      `${file} was made with another secret than the one in ${secret === undefined ? secretFile : 'WEIR_SECRET'}: restore that secret, or put it into WEIR_SECRET_PREVIOUS; --other-secret restores without it`,
    );
}

/** Whether the present secret or the previous one is that of the backup. */
export function opensBackup(settings: Settings, { secretFingerprint: expected }: BackupMetadata): boolean {
  if (expected === '') return true;
  const previous = settings.previousSecret;
  const candidates = [settings, ...(previous === undefined ? [] : [{ ...settings, secret: previous }])];
  return candidates.some((each) => secretFingerprint(existingSecrets(each)) === expected);
}

/** Does not create a folder or a secret. */
export function existingSecrets(settings: Settings): RootSecrets {
  return new RootSecrets(
    settings.secret === undefined ? settings : { ...settings, dataDir: inMemoryDataDir },
  );
}
