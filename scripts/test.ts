// Runs every test, or those whose files are named: npm test -- src/lib/json.test.ts
// With --times it lists the CPU time of each file afterwards.
import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTestFiles } from './run-test-files.ts';
import { allFiles, isAlone } from './test-files.ts';
import { makeQueue } from './test-queue.ts';
import { buildChanged } from './test-servers/changed.ts';
import { makeMemoryFolder } from './test-servers/memory-folder.ts';
import { makePostgresTemplate } from './test-servers/postgres-template.ts';
import { makeSqliteFile } from './test-servers/sqlite-file.ts';
import { bringUp } from './test-servers.ts';
import { recordTimes } from './test-times.ts';

const named = process.argv.slice(2).filter((arg) => arg !== '--times');
// More than there are cores: most wait for something now and then.
const concurrency = availableParallelism() + 2;
const isTimed = process.argv.includes('--times');

// Several processes, and the threads of gateways in them: all but the first find their code compiled.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
const memory = makeMemoryFolder();
if (memory !== undefined) process.env.TMPDIR = memory.folder;

try {
  const files = named.length > 0 ? [...new Set(named.flatMap(found))] : allFiles();
  buildChanged();
  const servers = await bringUp(process.env);
  Object.assign(process.env, servers.environment);
  const sqlite = await makeSqliteFile();
  const postgres = await makePostgresTemplate();
  Object.assign(process.env, { TEST_SQLITE_FILE: sqlite.file, TEST_DATABASE_TEMPLATE: postgres.name });
  const queue = makeQueue(
    files.filter((file) => !isAlone(file)),
    concurrency,
  );
  const times = isTimed ? recordTimes() : undefined;
  await runTests([...files.filter(isAlone), ...queue.programs], times?.execArgv);
  times?.print();
  const untaken = queue.untaken();
  queue.remove();
  sqlite.remove();
  await postgres.remove();
  await servers.stop();
  if (untaken > 0) throw new Error(`${untaken} files of tests were not run, because processes ended before`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  memory?.remove();
}

function found(pattern: string): readonly string[] {
  const files = globSync(pattern).toSorted();
  if (files.length === 0) throw new Error(`there is no ${pattern}`);
  return files;
}

async function runTests(files: readonly string[], timesArgv: string[] = []): Promise<void> {
  // Whoever ends this process ends the tests; what follows here still ends the servers.
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
  const execArgv = ['--import', join(import.meta.dirname, 'test-hooks.ts'), ...timesArgv];
  const timeout = Number(process.env.TEST_MINUTES ?? 5) * 60_000;
  await runTestFiles(files, { concurrency, execArgv, timeout, signal: ending.signal });
}
