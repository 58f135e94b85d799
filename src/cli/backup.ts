import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasSecret, Roots, secretMark } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { version } from '../gateway/version.ts';
import { systemClock } from '../kernel/clock.ts';
import { copySqlite } from '../storage/sql/sqlite-copy.ts';
import type { Given } from './command.ts';
import { settingsBeside } from './settings-from.ts';

/** Copies the embedded database, whether a gateway runs or not. */
export async function backup({ environment, values: [file = ''], flags }: Given): Promise<number> {
  const settings = settingsBeside(environment);
  const from = embeddedDatabase(settings);
  if (!existsSync(from)) throw new Error(`there is no database in ${resolve(settings.dataDir)}`);
  if (resolve(file) === resolve(from)) throw new Error('that is the database itself');
  if (existsSync(file) && !flags.force) throw new Error(`${file} is there already; --force replaces it`);
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  await copySqlite(from, file, {
    madeAtMs: systemClock.now(),
    weirVersion: version,
    secretMark: hasSecret(settings) ? secretMark(new Roots(settings)) : '',
  });
  console.log(`${resolve(file)} has all of ${resolve(from)}, and was checked`);
  console.log(
    `not in it is the secret that stored provider keys open with: keep ${secretPlace(settings)} too`,
  );
  return 0;
}

export function embeddedDatabase({ stores, dataDir }: Settings): string {
  if (stores !== undefined)
    throw new Error('everything is in the database of DATABASE_URL: use pg_dump and pg_restore');
  return join(dataDir, 'weir.db');
}

function secretPlace({ secret, dataDir }: Settings): string {
  return secret === undefined ? resolve(dataDir, 'secret') : 'WEIR_SECRET';
}
