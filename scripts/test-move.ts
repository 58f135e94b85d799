// Moves a large account, and prints memory, time, and how long another writer had to wait; then kills imports: npm run test:move -- --rows 100000 --kills 20
// Reads the memory from /proc: Linux only.
import { spawn } from 'node:child_process';
import {
  cpSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createGunzip } from 'node:zlib';
import { Mover } from '../src/gateway/mover.ts';
import { openDatabase } from '../src/gateway/parts/stores.ts';
import { RootSecrets } from '../src/gateway/secrets.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { systemClock } from '../src/lib/clock.ts';
import { usualSections } from '../src/moving/sections.ts';
import { gzip } from '../src/server/api/routes/export.ts';
import { addCalls, fillAccount } from '../test/support/moving.ts';
import { MeasuredGateway } from './test-move/measured-gateway.ts';

const { values } = parseArgs({ options: { rows: { type: 'string' }, kills: { type: 'string' } } });
const rows = Number(values.rows ?? 1_000_000);
const kills = Number(values.kills ?? 200);
const folder = mkdtempSync(join(tmpdir(), 'weir-move-'));

try {
  const from = { WEIR_DATA_DIR: join(folder, 'from') };
  const file = join(folder, 'account.weir');
  await fillAccount(from, { accountId: 'local', scope: 'local' });
  const source = await openDatabase(readSettings(from));
  const addedAtOnce = 1000;
  for (let added = 0; added < rows; added += addedAtOnce) await addCalls(source, 'local', addedAtOnce);
  await source.close();
  await measure(from, 'export', (gateway) => gateway.export(file));
  console.log(`the file has ${Math.round(statSync(file).size / 1e6)} MB`);
  const to = { WEIR_DATA_DIR: join(folder, 'to') };
  const waits = await watchWriter(to);
  await measure(to, 'import', async (gateway) => {
    console.log(await gateway.import(file));
    // What the answer did not wait for.
    while (isImporting(to.WEIR_DATA_DIR)) await sleep(1000);
  });
  console.log(`another writer waited ${Math.round(await waits())} ms at most`);
  if (kills > 0) await killImports();
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
  clock = systemClock,
): Promise<void> {
  const settings = readSettings(environment);
  const database = await openDatabase(settings);
  const roots = new RootSecrets(settings);
  const modules = new Map();
  try {
    await work(new Mover({ settings, database, roots, modules, clock, renew: async () => undefined }));
  } finally {
    await database.close();
  }
}

/** The memory of a gateway that has served calls and rests, and how much more it takes for this work. */
async function measure(
  environment: Readonly<Record<string, string>>,
  name: string,
  work: (gateway: MeasuredGateway) => Promise<void>,
): Promise<void> {
  await using gateway = await MeasuredGateway.start(environment);
  const started = gateway.memory.now;
  await gateway.serveCalls();
  const rest = gateway.memory.now;
  gateway.forgetPeak();
  const [start, cpu] = [performance.now(), gateway.cpuSeconds];
  await work(gateway);
  const { peak } = gateway.memory;
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    `${name}: ${Math.round(peak - rest)} MB above rest (${Math.round(rest)} MB; ${Math.round(started)} at the start), ` +
      `${seconds} s, ${Math.round(gateway.cpuSeconds - cpu)} s of CPU`,
  );
}

function isImporting(dataDir: string): boolean {
  const database = new DatabaseSync(join(dataDir, 'weir.db'), { readOnly: true });
  try {
    return database.prepare('select 1 from imports').get() !== undefined;
  } finally {
    database.close();
  }
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

interface KillTrial {
  /** A byte of the file, or a part of the last phase, in which usage and log are written. */
  readonly phase: 'byte' | 'part';
  readonly at: number;
}

/**
 * Kills imports at random bytes of the file, before and after each line that begins or ends a section, and between the parts
 * of the last phase. What the next process finds and completes is all of the file or nothing.
 */
async function killImports(): Promise<void> {
  const from = { WEIR_DATA_DIR: join(folder, 'few') };
  await fillAccount(from, { accountId: 'local', scope: 'local' }, 3000);
  const file = join(folder, 'few.weir');
  const plain = join(folder, 'few.jsonl');
  await exportTo(file, from);
  await pipeline(createReadStream(file), createGunzip(), createWriteStream(plain));
  const empty = join(folder, 'empty');
  await (await openDatabase(readSettings({ WEIR_DATA_DIR: empty }))).close();
  const whole = join(folder, 'whole');
  cpSync(empty, whole, { recursive: true });
  await importFrom(plain, { WEIR_DATA_DIR: whole });
  const expected = { all: await linesOf(whole), nothing: await linesOf(empty) };

  const { size } = statSync(plain);
  const trials: readonly KillTrial[] = [
    ...Array.from(
      { length: kills },
      () => ({ phase: 'byte', at: Math.floor(Math.random() * size) }) as const,
    ),
    ...sectionEdges(plain).map((at) => ({ phase: 'byte', at }) as const),
    ...Array.from({ length: 8 }, (_, at) => ({ phase: 'part', at }) as const),
  ];
  // Any process may complete an import that has been silent for long.
  const laterClock = { now: () => systemClock.now() + 86_400_000 };
  const outcomes = { nothing: 0, all: 0 };
  for (const trial of trials) {
    const dataDir = join(folder, 'killed');
    rmSync(dataDir, { recursive: true, force: true });
    cpSync(empty, dataDir, { recursive: true });
    const signal = await killedImport(plain, dataDir, trial);
    if (signal !== 'SIGKILL')
      throw new Error(`${JSON.stringify(trial)}: ended with ${signal} before it was killed`);
    await withMover(
      { WEIR_DATA_DIR: dataDir },
      async (mover) => {
        while (await mover.recoverSome());
      },
      laterClock,
    );
    const lines = await linesOf(dataDir);
    const outcome = lines === expected.all ? 'all' : lines === expected.nothing ? 'nothing' : undefined;
    const isExpected = trial.phase === 'part' ? outcome === 'all' : outcome === 'nothing';
    if (outcome === undefined || !isExpected)
      throw new Error(`${JSON.stringify(trial)}: ${outcome ?? 'a part'} was imported`);
    outcomes[outcome]++;
  }
  console.log(`${trials.length} killed imports: ${outcomes.nothing} left nothing, ${outcomes.all} left all`);
}

/** The export of the account, without its manifest and its digests. */
async function linesOf(dataDir: string): Promise<string> {
  let text = '';
  await withMover({ WEIR_DATA_DIR: dataDir }, async (mover) => {
    for await (const some of mover.export({
      accountId: 'local',
      sections: usualSections,
      passphrase: undefined,
    }))
      text += some;
  });
  return text
    .split('\n')
    .filter((line) => line.startsWith('{"v":'))
    .sort()
    .join('\n');
}

/** The first bytes of lines that begin or end a section, and the bytes before them. */
function sectionEdges(file: string): readonly number[] {
  const edges: number[] = [];
  let at = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (/^\{"(section|end)"/.test(line)) edges.push(at - 1, at);
    at += Buffer.byteLength(line) + 1;
  }
  return edges;
}

function killedImport(
  file: string,
  dataDir: string,
  { phase, at }: KillTrial,
): Promise<string | number | null> {
  const program = join(import.meta.dirname, '..', 'test', 'support', 'killed-import.ts');
  const run = join(import.meta.dirname, '..', 'bin', 'run.js');
  const child = spawn(process.execPath, [run, program, file, dataDir, phase, String(at)], {
    stdio: 'inherit',
  });
  return new Promise((resolve) => void child.on('exit', (code, signal) => resolve(signal ?? code)));
}
