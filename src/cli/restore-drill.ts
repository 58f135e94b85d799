import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sealContextOf } from '../accounts/provider-key-vault.ts';
import { Sealer } from '../accounts/sealer.ts';
import { hasSecret } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import type { Database } from '../kernel/ports/records.ts';
import { openSqlite } from '../storage/sql/sqlite.ts';
import { querySqlite, readSchemaVersion, restoreSqlite } from '../storage/sql/sqlite-backup.ts';
import { type NamedResult, reasonOf } from '../telemetry/diagnostics.ts';
import { deleteAgain, readDeletions } from './deleted-again.ts';
import { fail, formatResult, ok, warn } from './doctor/finding.ts';
import { limits } from './limits.ts';
import { describeOrigin, type OpenedBackup, withBackup, withFolder } from './open-backup.ts';
import { existingSecrets, opensBackup } from './restore.ts';

interface Drill {
  readonly settings: Settings;
  readonly file: string;
  readonly passphrase: string | undefined;
  readonly folder: string;
}

/** Restores a backup into a temporary folder, opens and checks it as a gateway would, and removes it. */
export async function drillRestore({ settings, file, passphrase, folder }: Drill): Promise<number> {
  const startedMs = performance.now();
  let findings: readonly NamedResult[];
  try {
    findings = await withBackup({ file, passphrase, folder }, (opened) =>
      withFolder(folder, async (made) => [
        ...describeBackup(settings, opened),
        ...(await checkRestored(settings, opened, made)),
      ]),
    );
  } catch (thrown) {
    findings = [fail('backup', reasonOf(thrown), 'use another backup, or correct the passphrase')];
  }
  for (const finding of findings) console.log(formatResult(finding));
  const isFailed = findings.some(({ status }) => status === 'failing');
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(
    `${isFailed ? 'the drill failed' : `${resolve(file)} can be restored`}; it took ${seconds} s, and nothing was changed`,
  );
  return isFailed ? 1 : 0;
}

function describeBackup(settings: Settings, opened: OpenedBackup): readonly NamedResult[] {
  const { hasChecksum, isEncrypted, schemaVersion, metadata } = opened;
  return [
    ok('backup', `is intact${describeOrigin(metadata)}, schema version ${schemaVersion}`),
    hasChecksum
      ? ok('checksum', 'the SHA-256 checksum beside it matches')
      : warn('checksum', 'there is none beside it', 'keep the .sha256 file that weir backup writes'),
    ok('encryption', isEncrypted ? 'AES-256-GCM; all chunks are authentic' : 'none'),
    secretFinding(settings, metadata),
  ];
}

function secretFinding(settings: Settings, metadata: OpenedBackup['metadata']): NamedResult {
  if (metadata === undefined || metadata.secretFingerprint === '')
    return ok('secret', 'the backup does not say which one it needs');
  const todo = 'put the secret of the backup into WEIR_SECRET or WEIR_SECRET_PREVIOUS';
  if (!hasSecret(settings)) return warn('secret', 'there is none here to compare with', todo);
  return opensBackup(settings, metadata)
    ? ok('secret', 'it is the one of the backup')
    : fail('secret', 'it is not the one of the backup', todo);
}

async function checkRestored(
  settings: Settings,
  { plainFile, schemaVersion }: OpenedBackup,
  folder: string,
): Promise<readonly NamedResult[]> {
  const file = join(folder, 'restored.db');
  await restoreSqlite({ copy: plainFile, file, before: `${file}.before` });
  const startedMs = performance.now();
  const database = await openSqlite({ file });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  let content: readonly NamedResult[];
  try {
    content = [await ledgerFinding(database), await providerKeyFinding(settings, database)];
  } finally {
    await database.close();
  }
  const migrated = await readSchemaVersion(file);
  return [
    ok('migration', `from schema version ${schemaVersion} to ${migrated} in ${seconds} s`),
    await rowFinding(file),
    ...content,
    await deletionFinding(settings, file),
  ];
}

async function rowFinding(file: string): Promise<NamedResult> {
  const tables = await querySqlite(
    file,
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
  );
  const counts = new Map<string, number>();
  for (const table of tables) {
    const name = String(Object(table).name);
    const [row] = await querySqlite(file, `select count(*) as rows from "${name}"`);
    counts.set(name, Number(Object(row).rows));
  }
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const some = ['users', 'api_keys', 'provider_keys', 'usage_days', 'credit_entries', 'requests'];
  const named = some.map((name) => `${name} ${counts.get(name) ?? 0}`).join(', ');
  return ok('rows', `${rows} in ${counts.size} tables; ${named}`);
}

async function ledgerFinding({ credits }: Database): Promise<NamedResult> {
  const faults = await credits.findInconsistencies();
  return faults.length === 0
    ? ok('credits', 'all balances are the sums of their entries')
    : fail('credits', faults.join('; '), 'compare with the payment processor: weir billing reconcile');
}

async function providerKeyFinding(settings: Settings, { providerKeys }: Database): Promise<NamedResult> {
  // No key has this sealing key, so it returns all.
  const rows = await providerKeys.notSealedBy('', limits.drilledKeysMax);
  if (rows.length === 0 || !hasSecret(settings)) return ok('keys', `${rows.length} stored provider keys`);
  const sealer = new Sealer(existingSecrets(settings).deriveKeys('provider keys'));
  const opened = rows.filter((row) => sealer.open(row, sealContextOf(row)) !== undefined).length;
  const found = `the secret opens ${opened} of ${rows.length} stored provider keys`;
  return opened === rows.length ? ok('keys', found) : fail('keys', found, 'restore the secret of the backup');
}

async function deletionFinding({ stores, dataDir }: Settings, restored: string): Promise<NamedResult> {
  const present = join(dataDir, 'weir.db');
  if (stores !== undefined || !existsSync(present))
    return ok('deletions', 'there is no present database to compare with');
  const deletions = await readDeletions(present);
  if (deletions === undefined)
    return warn(
      'deletions',
      'the present database cannot be read',
      'accounts that were deleted after the backup would come back',
    );
  const again = await deleteAgain(restored, deletions);
  return again.length === 0
    ? ok('deletions', 'no account of the backup was deleted after it')
    : ok('deletions', `a restore deletes ${again.length} accounts again: ${again.join(', ')}`);
}
