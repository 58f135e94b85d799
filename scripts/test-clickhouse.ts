// The history of calls, read from ClickHouse's own engine, which is the package chdb: npm run test:clickhouse -- [--cache <folder>]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackage } from '../test/support/install-package.ts';
import { runTestFiles } from './run-test-files.ts';

const { values } = parseArgs({ options: { cache: { type: 'string' } } });
const folder = values.cache ?? mkdtempSync(join(tmpdir(), 'weir-clickhouse-'));
try {
  console.error('installing chdb, which has 550 MB');
  const installed = await installPackage({ name: 'chdb', version: '3.4.0' }, folder);
  process.env.CHDB_MODULE = join(installed, 'node_modules', 'chdb', 'index.mjs');
  await runTestFiles(['test/clickhouse/history.ts'], { timeout: 600_000 });
} finally {
  if (values.cache === undefined) rmSync(folder, { recursive: true, force: true });
}
