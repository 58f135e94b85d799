import { createReadStream, statSync } from 'node:fs';
import type { ImportReport } from '../moving/import-account.ts';
import { changeWithAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { formatTable } from './command-context.ts';
import { runWithMover } from './moving.ts';
import { ProgressLine, progressBar } from './progress-line.ts';

/** Imports a file into an account, or says what that would do. */
export function importFile(input: CommandInput): Promise<number> {
  const { positionals, flags } = input;
  const [file = ''] = positionals;
  return runWithMover(input, async ({ mover, accountId, passphrase, settings, database, sections }) => {
    const bytes = statSync(file).size;
    const progress = new ProgressLine();
    // Completes what a stopped import has left, which may be of this account.
    while (await mover.recoverSome());
    let read = 0;
    const isDryRun = flags['dry-run'] === true;
    let report: ImportReport | undefined;
    const load = async () => {
      const chunks = countBytes(file, (count) => {
        read = count;
      });
      report = await mover.import(chunks, {
        ...{ accountId, sections, passphrase, isDryRun },
        replaces: flags.replace === true,
        onProgress: (rows) =>
          progress.show(`${progressBar(read / bytes)}  ${rows.toLocaleString('en')} rows`),
        onFinish: (rows) => progress.show(`writing usage and log: ${rows.toLocaleString('en')} rows`),
      });
      return true;
    };
    try {
      const record = { event: 'account.imported', account: accountId } as const;
      await (isDryRun ? load() : changeWithAudit({ settings, database }, record, load));
    } finally {
      progress.clear();
    }
    if (report === undefined) return;
    if (flags.json === true) console.log(JSON.stringify(report));
    else printReport(report);
  });
}

async function* countBytes(file: string, onRead: (bytes: number) => void): AsyncIterable<Uint8Array> {
  let read = 0;
  for await (const chunk of createReadStream(file)) {
    if (!(chunk instanceof Uint8Array)) continue;
    read += chunk.byteLength;
    onRead(read);
    yield chunk;
  }
}

function printReport({ dry_run, file, sections }: ImportReport): void {
  console.log(`a file of ${file.created_at}, by Weir ${file.product} in ${file.mode} mode`);
  const [added, replaced] = dry_run ? ['would be added', 'would be replaced'] : ['added', 'replaced'];
  const rows = sections.map((one) => [
    one.section,
    ...[one.rows, one.added, one.unchanged, one.replaced, one.conflicts, one.refused, one.left].map(String),
  ]);
  const head = ['section', 'rows', added, 'unchanged', replaced, 'conflicts', 'refused', 'left'];
  console.log(formatTable([head, ...rows]));
  for (const { section, conflicting, reasons } of sections) {
    for (const name of conflicting) console.log(`${section}: ${name} differs from the one here`);
    for (const { reason, rows: many, first } of reasons)
      console.log(`${section}: ${many} × ${reason}${first === null ? '' : `, such as ${first}`}`);
  }
  if (dry_run) console.log('nothing was changed: this was a dry run');
}
