import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../gateway/settings.ts';
import { verifyChecksum } from '../storage/backup-checksum.ts';
import { decryptFile, isEncryptedBackup } from '../storage/backup-encryption.ts';
import { limits as storageLimits } from '../storage/limits.ts';
import { type BackupMetadata, readBackup, readSchemaVersion } from '../storage/sql/sqlite-backup.ts';
import type { CommandInput } from './command.ts';

/** A backup whose checksum, encryption and content were verified. */
export interface OpenedBackup {
  /** The database; a temporary file if the backup is encrypted. */
  readonly plainFile: string;
  readonly hasChecksum: boolean;
  readonly isEncrypted: boolean;
  readonly schemaVersion: number;
  /** Undefined if another program made the copy. */
  readonly metadata: BackupMetadata | undefined;
}

interface OpenOptions {
  readonly file: string;
  readonly passphrase: string | undefined;
  /** Where an encrypted backup is decrypted for the duration of `work`. */
  readonly folder: string;
}

/** Verifies a backup, and decrypts it if necessary; throws a one-line error if it can't be used. */
export async function withBackup<Result>(
  { file, passphrase, folder }: OpenOptions,
  work: (opened: OpenedBackup) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const hasChecksum = await verifyChecksum(file);
  const isEncrypted = await isEncryptedBackup(file);
  const openPlain = async (plainFile: string) => {
    const metadata = await readBackup(plainFile);
    const schemaVersion = (await readSchemaVersion(plainFile)) ?? 0;
    return work({ plainFile, hasChecksum, isEncrypted, schemaVersion, metadata });
  };
  if (!isEncrypted) return openPlain(file);
  if (passphrase === undefined)
    throw new Error(`${file} is encrypted: set WEIR_BACKUP_PASSPHRASE or --key-file`);
  return withFolder(folder, async (made) => {
    const plainFile = join(made, 'weir.db');
    await decryptFile(file, plainFile, passphrase);
    return openPlain(plainFile);
  });
}

/** Runs `work` with a new folder that only its owner can read, and removes it. */
export async function withFolder<Result>(
  parent: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(parent, 'weir-backup-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For plain copies: the data folder, which has plain data already, or that for temporary files. */
export function plainFolder({ dataDir }: Settings): string {
  return existsSync(dataDir) ? dataDir : tmpdir();
}

/** From the key file, or from the settings; undefined if backups are not encrypted. */
export function readPassphrase(
  { backupPassphrase }: Settings,
  flags: CommandInput['flags'],
): string | undefined {
  const keyFile = flags['key-file'];
  if (typeof keyFile !== 'string') return backupPassphrase?.reveal();
  const passphrase = readFileSync(keyFile, 'utf8').replace(/\r?\n$/, '');
  if ([...passphrase].length < storageLimits.backupPassphraseCharactersMin)
    throw new Error(
      `${keyFile} must have at least ${storageLimits.backupPassphraseCharactersMin} characters`,
    );
  return passphrase;
}

/** `, made at 2026-11-17T09:00:00.000Z by Weir 1.1.0` */
export function describeOrigin(metadata: BackupMetadata | undefined): string {
  if (metadata === undefined) return '';
  return `, made at ${new Date(metadata.madeAtMs).toISOString()} by Weir ${metadata.weirVersion}`;
}
