import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { Mover } from '../src/gateway/mover.ts';
import { openDatabase } from '../src/gateway/parts/stores.ts';
import { RootSecrets } from '../src/gateway/secrets.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { systemClock } from '../src/lib/clock.ts';
import { usualSections } from '../src/moving/sections.ts';
import { gzip } from '../src/server/api/routes/export.ts';
import { addCalls, fillAccount } from '../test/support/moving.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string' }, kills: { type: 'string' }, database: { type: 'string' } },
});
const rows = Number(values.rows ?? 1_000_000);
const kills = Number(values.kills ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'weir-move-'));

/** Moves a large account, and prints memory, time, and how long another writer had to wait; then kills imports. */
try {
  const from = { WEIR_DATA_DIR: join(folder, 'from') };
  const file = join(folder, 'account.weir');
  await fillAccount(from, { accountId: 'local', scope: 'local' });
  const source = await openDatabase(readSettings(from));
  const addedAtOnce = 1000;
  for (let added = 0; added < rows; added += addedAtOnce) await addCalls(source, 'local', addedAtOnce);
  await source.close();
  await measured('export', () => exportTo(file, from));
  console.log(`the file has ${Math.round(statSync(file).size / 1e6)} MB`);
  const to =
    values.database === undefined
      ? { WEIR_DATA_DIR: join(folder, 'to') }
      : {
          WEIR_DATA_DIR: join(folder, 'to'),
          DATABASE_URL: values.database,
          REDIS_URL: 'redis://127.0.0.1:1',
        };
  const waits = await watchWriter(to);
  await measured('import', () => importFrom(file, to));
  console.log(`another writer waited ${Math.round(await waits())} ms at most`);
  await killImports();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function exportTo(file: string, environment: Readonly<Record<string, string>>): Promise<void> {
  await withMover(environment, async (mover) => {
    const choice = { accountId: 'local', sections: usualSections, passphrase: undefined };
    await pipeline(gzip(mover.export(choice)), createWriteStream(file));
  });
}

async function importFrom(file: string, environment: Readonly<Record<string, string>>): Promise<void> {
  await withMover(environment, async (mover) => {
    const report = await mover.import(createReadStream(file), {
      ...{ accountId: 'local', sections: undefined, passphrase: undefined },
      ...{ isDryRun: false, replaces: false },
    });
    console.log(
      report.sections.map(({ section, added, refused }) => `${section} ${added}/${refused}`).join(', '),
    );
  });
}

async function withMover(
  environment: Readonly<Record<string, string>>,
  work: (mover: Mover) => Promise<void>,
): Promise<void> {
  const settings = readSettings(environment);
  const database = await openDatabase(settings);
  const roots = new RootSecrets(settings);
  const modules = new Map();
  try {
    await work(
      new Mover({ settings, database, roots, modules, clock: systemClock, renew: async () => undefined }),
    );
  } finally {
    await database.close();
  }
}

async function measured(name: string, work: () => Promise<void>): Promise<void> {
  globalThis.gc?.();
  const rest = process.memoryUsage().rss;
  let peak = rest;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  const start = performance.now();
  const cpu = process.cpuUsage();
  await work();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    `${name}: ${Math.round((peak - rest) / 1e6)} MB above rest, ${seconds} s, ${Math.round((user + system) / 1e6)} s of CPU`,
  );
}

async function watchWriter(environment: Readonly<Record<string, string>>): Promise<() => Promise<number>> {
  const database = await openDatabase(readSettings(environment));
  let longest = 0;
  let isEnded = false;
  const writing = (async () => {
    while (!isEnded) {
      const start = performance.now();
      await database.logRetentions.put({ accountId: 'writer', days: 7 });
      longest = Math.max(longest, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    isEnded = true;
    await writing;
    await database.close();
    return longest;
  };
}

/** Kills the command at random bytes of the file: the account then has nothing of it, or all of it once another import ran. */
async function killImports(): Promise<void> {
  const from = { WEIR_DATA_DIR: join(folder, 'few') };
  await fillAccount(from, { accountId: 'local', scope: 'local' }, 3000);
  const file = join(folder, 'few.weir');
  await exportTo(file, from);
  const size = statSync(file).size;
  const outcomes = { nothing: 0, all: 0 };
  const to = { WEIR_DATA_DIR: join(folder, 'killed') };
  await (await openDatabase(readSettings(to))).close();
  for (let kill = 0; kill < kills; kill++) {
    const at = Math.floor(Math.random() * (size + 1));
    await killedImport(file, to.WEIR_DATA_DIR, at);
    const database = await openDatabase(readSettings(to));
    const page = await database.requests.page({ accountId: 'local', filter: {}, limit: 1 });
    const days = await database.usage.days({ accountId: 'local', from: '2000-01-01', to: '9' });
    const retention = await database.logRetentions.find('local');
    await database.close();
    const found = [page.calls.length > 0, days.length > 0, retention !== undefined];
    if (new Set(found).size > 1) throw new Error(`killed at byte ${at}: half imported: ${found}`);
    outcomes[found[0] ? 'all' : 'nothing']++;
    if (found[0]) break;
    await forgetImports(to.WEIR_DATA_DIR);
  }
  console.log(`${kills} killed imports: ${outcomes.nothing} left nothing, ${outcomes.all} left all`);
}

async function forgetImports(dataDir: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(dataDir, 'weir.db'));
  database.exec('delete from imports; delete from import_rows');
  database.close();
}

function killedImport(file: string, dataDir: string, at: number): Promise<void> {
  const program = join(import.meta.dirname, '..', 'test', 'support', 'killed-import.ts');
  const run = join(import.meta.dirname, '..', 'bin', 'run.js');
  const child = spawn(process.execPath, [run, program, file, dataDir, String(at)], { stdio: 'inherit' });
  return new Promise((resolve) => void child.on('exit', () => resolve()));
}
