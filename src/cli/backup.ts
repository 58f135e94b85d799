import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasSecret, RootSecrets, secretFingerprint } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { version } from '../gateway/version.ts';
import { systemClock } from '../lib/clock.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import { checksumFileOf, writeChecksum } from '../storage/backup-checksum.ts';
import { encryptFile } from '../storage/backup-encryption.ts';
import { backupSqlite } from '../storage/sql/sqlite-backup.ts';
import type { CommandInput } from './command.ts';
import { describeOrigin, plainFolder, readPassphrase, withBackup, withFolder } from './open-backup.ts';

/** Copies the embedded database, whether a gateway runs or not, or checks such a copy. */
export async function backup({
  environment,
  positionals: [file = ''],
  flags,
}: CommandInput): Promise<number> {
  const settings = await loadCommandSettings(environment);
  const passphrase = readPassphrase(settings, flags);
  if (flags.check) return checkBackup(settings, file, passphrase);
  const from = embeddedDatabaseFile(settings);
  if (!existsSync(from)) throw new Error(`no database in ${resolve(settings.dataDir)}; see WEIR_DATA_DIR`);
  if (resolve(file) === resolve(from)) throw new Error('the backup file must not be the database itself');
  if (existsSync(file) && !flags.force) throw new Error(`${file} exists already; --force replaces it`);
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  // An earlier one does not fit the new file.
  rmSync(checksumFileOf(file), { force: true });
  await (passphrase === undefined
    ? copyDatabase(settings, from, file)
    : copyEncrypted({ settings, from, file, passphrase }));
  await writeChecksum(file);
  const how = passphrase === undefined ? '' : 'encrypted ';
  console.log(
    `backed up ${resolve(from)} to the ${how}file ${resolve(file)}; the copy was checked, its SHA-256 checksum is beside it`,
  );
  console.log(
    `the backup does not contain the secret that decrypts stored provider keys: keep ${secretLocation(settings)} too`,
  );
  return 0;
}

function copyDatabase(settings: Settings, from: string, to: string): Promise<void> {
  return backupSqlite(from, to, {
    madeAtMs: systemClock.now(),
    weirVersion: version,
    secretFingerprint: hasSecret(settings) ? secretFingerprint(new RootSecrets(settings)) : '',
  });
}

interface EncryptedCopy {
  readonly settings: Settings;
  readonly from: string;
  readonly file: string;
  readonly passphrase: string;
}

/** The plain copy never leaves the data folder. */
function copyEncrypted({ settings, from, file, passphrase }: EncryptedCopy): Promise<void> {
  return withFolder(plainFolder(settings), async (folder) => {
    const [plainFile, unfinished] = [join(folder, 'weir.db'), `${file}.part`];
    try {
      await copyDatabase(settings, from, plainFile);
      await encryptFile({ from: plainFile, to: unfinished, passphrase });
      renameSync(unfinished, file);
    } finally {
      rmSync(unfinished, { force: true });
    }
  });
}

function checkBackup(settings: Settings, file: string, passphrase: string | undefined): Promise<number> {
  return withBackup({ file, passphrase, folder: plainFolder(settings) }, async (opened) => {
    const { hasChecksum, isEncrypted, schemaVersion, metadata } = opened;
    const encrypted = isEncrypted ? 'the encrypted backup ' : '';
    console.log(
      `${encrypted}${resolve(file)} is intact${describeOrigin(metadata)}, schema version ${schemaVersion}`,
    );
    if (!hasChecksum) console.log(noChecksum);
    return 0;
  });
}

export const noChecksum =
  'it has no SHA-256 checksum beside it: damage that SQLite does not notice would be missed';

export function embeddedDatabaseFile({ stores, dataDir }: Settings): string {
  if (stores !== undefined)
    throw new Error('all data is in the database of DATABASE_URL: use pg_dump and pg_restore');
  return join(dataDir, 'weir.db');
}

function secretLocation({ secret, dataDir }: Settings): string {
  return secret === undefined ? resolve(dataDir, 'secret') : 'WEIR_SECRET';
}
