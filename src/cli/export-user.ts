import { createWriteStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { exportedRows } from '../gateway/exported-rows.ts';
import { openCallRecordings } from '../gateway/parts/recordings.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import { systemClock } from '../lib/clock.ts';
import { exportLines, gzip } from '../server/api/routes/export.ts';
import { recordAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { findMember, runWithDatabase } from './command-context.ts';

/** Prints all data of an account, or writes it compressed to a file: the same lines that its owner can download. */
export function exportUser({ environment, positionals: [name = '', file] }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async ({ database, settings }) => {
    const { identity, account } = await findMember(database, name);
    if (file !== undefined && existsSync(file)) throw new Error(`${file} exists already`);
    const recordings = openCallRecordings({
      settings,
      log: { info() {}, error() {} },
      roots: new RootSecrets(settings),
      table: database.recordings,
      clock: systemClock,
    });
    const lines = exportLines(exportedRows(database, recordings), account.id);
    await recordAudit({ settings, database }, 'account.exported', { account: account.id });
    if (file === undefined) {
      for await (const some of lines) if (some !== '') console.log(some.replace(/\n$/, ''));
      return;
    }
    await pipeline(gzip(lines), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    console.log(`wrote the data of ${identity.email} to ${resolve(file)}: gzipped JSON lines`);
  });
}
