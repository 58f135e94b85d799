import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasSecret, RootSecrets, secretFingerprint } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { version } from '../gateway/version.ts';
import { systemClock } from '../lib/clock.ts';
import { loadCommandSettings } from '../process/load-settings.ts';
import { backupSqlite } from '../storage/sql/sqlite-backup.ts';
import type { CommandInput } from './command.ts';

/** Copies the embedded database, whether a gateway runs or not. */
export async function backup({
  environment,
  positionals: [file = ''],
  flags,
}: CommandInput): Promise<number> {
  const settings = loadCommandSettings(environment);
  const from = embeddedDatabaseFile(settings);
  if (!existsSync(from)) throw new Error(`no database in ${resolve(settings.dataDir)}; see WEIR_DATA_DIR`);
  if (resolve(file) === resolve(from)) throw new Error('the backup file must not be the database itself');
  if (existsSync(file) && !flags.force) throw new Error(`${file} exists already; --force replaces it`);
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  await backupSqlite(from, file, {
    madeAtMs: systemClock.now(),
    weirVersion: version,
    secretFingerprint: hasSecret(settings) ? secretFingerprint(new RootSecrets(settings)) : '',
  });
  console.log(`backed up ${resolve(from)} to ${resolve(file)}; the copy was checked`);
  console.log(
    `the backup does not contain the secret that decrypts stored provider keys: keep ${secretLocation(settings)} too`,
  );
  return 0;
}

export function embeddedDatabaseFile({ stores, dataDir }: Settings): string {
  if (stores !== undefined)
    throw new Error('all data is in the database of DATABASE_URL: use pg_dump and pg_restore');
  return join(dataDir, 'weir.db');
}

function secretLocation({ secret, dataDir }: Settings): string {
  return secret === undefined ? resolve(dataDir, 'secret') : 'WEIR_SECRET';
}
