import { createReadStream, createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { evidenceLines } from '../audit/evidence/collect.ts';
import { verifyBundle } from '../audit/evidence/verify-bundle.ts';
import { settingRows } from '../gateway/configuration-file/setting-rows.ts';
import { openEvidence } from '../gateway/evidence.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import { settingPlaces } from '../gateway/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { findStatementProblem } from '../lib/signed-statement.ts';
import { loadAll } from '../process/load-settings.ts';
import { recordAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { findMember, runWithDatabase } from './command-context.ts';
import { readKeySet } from './key-set.ts';

/** Writes a bundle about the instance, or about an account. */
export function exportEvidence({
  environment,
  positionals: [file = '', name],
}: CommandInput): Promise<number> {
  return runWithDatabase(environment, async (context) => {
    const { settings, database } = context;
    const account = name === undefined ? undefined : (await findMember(database, name)).account.id;
    await recordAudit(context, 'evidence.exported', account === undefined ? {} : { account });
    const evidence = await openEvidence({
      ...{ settings, database, clock: systemClock, roots: new RootSecrets(settings) },
      settingRows: settingRows(await loadAll(environment), settingPlaces).map((row) => ({ ...row })),
    });
    await pipeline(evidenceLines(evidence, account), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    console.log(`wrote ${resolve(file)}; verify it with: weir evidence verify ${file} --keys jwks.json`);
  });
}

/** Verifies a bundle offline; resolves to the exit code. */
export async function verify({ positionals: [file = ''], flags }: CommandInput): Promise<number> {
  if (typeof flags.keys !== 'string')
    throw new Error('pass --keys with a JWKS file, or the URL of /.well-known/jwks.json');
  const keys = await readKeySet(flags.keys);
  const { about, lines, signedAt, faults } = await verifyBundle(createReadStream(file), (statement) =>
    findStatementProblem(statement, keys),
  );
  if (faults.length === 0) console.log(`${about}: valid: ${lines} lines, signed at ${signedAt}`);
  for (const fault of faults) console.error(`${about}: NOT valid: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}
