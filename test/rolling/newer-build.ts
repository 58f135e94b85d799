import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

/** What a later release might add to tables that every call writes to. */
const migration = `
export const later = {
  name: 'later',
  async up(db, { text, integer, tableEnd }) {
    for (const table of ['requests', 'users', 'api_keys'])
      await db.schema.alterTable(table).addColumn('later', text).execute();
    await db.schema
      .alterTable('users')
      .addColumn('later_count', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.createTable('later').addColumn('id', text, (column) => column.primaryKey()).modifyEnd(tableEnd).execute();
    await db.schema.createIndex('requests_later').on('requests').column('later').execute();
  },
};
`;

/** The program of a copy of this project with one more migration. */
export function newerBuild(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-newer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['bin', 'src', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['node_modules', 'models']) symlinkSync(join(root, name), join(folder, name));
  const migrations = join(folder, 'src', 'storage', 'sql', 'migrations');
  writeFileSync(join(migrations, 'later.ts'), migration);
  const index = join(migrations, 'index.ts');
  const text = readFileSync(index, 'utf8')
    .replace('import { accounts }', "import { later } from './later.ts';\nimport { accounts }")
    .replace(/\n\];/, '\n  later,\n];');
  writeFileSync(index, text);
  return join(folder, 'bin', 'weir.js');
}
