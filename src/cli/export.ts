import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sectionNames, usualSections } from '../moving/sections.ts';
import { gzip } from '../server/api/routes/export.ts';
import { recordAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { runWithMover } from './moving.ts';
import { ProgressLine } from './progress-line.ts';

/** Writes an account to a file, which appears when it is whole. */
export function exportFile(input: CommandInput): Promise<number> {
  const { positionals, flags } = input;
  const [file = ''] = positionals;
  return runWithMover(input, async ({ mover, accountId, passphrase, settings, database, sections }) => {
    if (existsSync(file) && !flags.force) throw new Error(`${file} exists already; --force replaces it`);
    const hasKeys = flags.secrets === true || sections?.includes('provider_keys') === true;
    if (hasKeys && passphrase === undefined)
      throw new Error('provider keys need a passphrase: give --passphrase-file');
    const chosen = sectionNames.filter(
      (name) => (sections ?? usualSections).includes(name) || (name === 'provider_keys' && hasKeys),
    );
    await recordAudit({ settings, database }, 'account.exported', { account: accountId });
    const unfinished = `${file}.part`;
    const progress = new ProgressLine();
    try {
      const pieces = mover.export({ accountId, sections: chosen, passphrase });
      const counted = countLines(pieces, (rows) => progress.show(`${rows.toLocaleString('en')} rows`));
      await pipeline(gzip(counted), createWriteStream(unfinished, { mode: 0o600 }));
      renameSync(unfinished, file);
    } finally {
      progress.clear();
      rmSync(unfinished, { force: true });
    }
    console.log(`wrote the account to ${resolve(file)}; import it elsewhere with: weir import ${file}`);
  });
}

async function* countLines(
  pieces: AsyncIterable<string>,
  onProgress: (rows: number) => void,
): AsyncIterable<string> {
  let rows = 0;
  for await (const piece of pieces) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) rows++;
    onProgress(rows);
    yield piece;
  }
}
