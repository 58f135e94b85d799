import type { MovedOwner, MovedRow, MovedRows } from '../kernel/ports/moving.ts';
import { encrypt } from './passphrase.ts';
import { type SectionName, tablesOf } from './sections.ts';
import { writeFile } from './write-file.ts';

export interface ExportParts {
  readonly rows: Pick<MovedRows, 'read'>;
  readonly product: string;
  readonly mode: 'local' | 'cloud';
}

export interface ExportQuestion {
  readonly owner: MovedOwner;
  readonly sections: readonly SectionName[];
  /** For provider keys. */
  readonly passphrase: string | undefined;
  readonly atMs: number;
}

/** The file of an account, in pieces of text. Reads page by page. */
export function exportAccount(
  { rows, product, mode }: ExportParts,
  { owner, sections, passphrase, atMs }: ExportQuestion,
): AsyncIterable<string> {
  const manifest = { product, mode, account: owner.accountId, created_at: new Date(atMs).toISOString() };
  return writeFile(
    manifest,
    sections.map((name) => ({
      name,
      rows: () =>
        name === 'provider_keys' ? readSecrets(rows, owner, passphrase) : readSection(name, rows, owner),
    })),
  );
}

async function* readSection(name: SectionName, moved: ExportParts['rows'], owner: MovedOwner) {
  for (const table of tablesOf(name))
    for await (const rows of moved.read(table, owner)) yield { table, rows };
}

/** All keys are encrypted together: a key is made from a passphrase once. */
async function* readSecrets(
  moved: ExportParts['rows'],
  owner: MovedOwner,
  passphrase: string | undefined,
): AsyncIterable<{ readonly table: string; readonly rows: readonly MovedRow[] }> {
  const keys: MovedRow[] = [];
  for (const table of ['provider_keys', 'further_provider_keys'])
    for await (const rows of moved.read(table, owner)) keys.push(...rows);
  if (keys.length === 0 || passphrase === undefined) return;
  yield {
    table: 'provider_keys',
    rows: [{ age: await encrypt(JSON.stringify(keys.sort(byName)), passphrase) }],
  };
}

function byName(one: MovedRow, other: MovedRow): number {
  const nameOf = ({ provider, id }: MovedRow) => Buffer.from(`${provider}\n${id}`);
  return Buffer.compare(nameOf(one), nameOf(other));
}
