import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../scripts/test-servers/server-process.ts';
import { limits } from '../src/workers/limits.ts';
import { eventually } from './support/eventually.ts';
import { requestJson } from './support/http-client.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const demo = { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

for (const workers of ['1', '2']) {
  test(`a log that can't be written costs lines and nothing else (${workers} of WEIR_WORKERS)`, async (t) => {
    const { weir, url } = await serving(t, { output: openSync('/dev/full', 'w'), workers });
    const before = await eventually(async () => {
      await calls(url, 5);
      return (await lost(url)) || undefined;
    });
    await calls(url, 20);
    await eventually(async () => ((await lost(url)) >= before + 20 ? true : undefined));
    weir.signal('SIGTERM');
    await endsSoon(weir);
  });

  test(`the last line before SIGTERM is in a file and in a pipe (${workers} of WEIR_WORKERS)`, async (t) => {
    for (const place of [file(t), pipe(t)]) {
      const { weir, url } = await serving(t, { output: place.output, workers });
      const [id = ''] = await calls(url, 1);
      weir.signal('SIGTERM');
      await endsSoon(weir);
      await eventually(() => (place.text().includes(id) ? true : undefined));
      assert.deepEqual(idsOf(place.text()), [id]);
    }
  });

  test(`a reader that has stopped is not waited for at the end (${workers} of WEIR_WORKERS)`, async (t) => {
    const { output, reader } = pipe(t);
    const { weir, url } = await serving(t, { output, workers });
    reader.kill('SIGSTOP');
    await calls(url, 300);
    weir.signal('SIGTERM');
    await endsSoon(weir);
  });
}

for (const [what, output] of [
  ["that can't be written", (_: TestContext) => openSync('/dev/full', 'w')],
  ['that nobody reads', stuckPipe],
] as const)
  test(`processes end with the one that started them, with a log ${what}`, async (t) => {
    const { weir, url } = await serving(t, { output: output(t), workers: '2' });
    await calls(url, 300);
    weir.signal('SIGKILL');
    // The errors of all of them go to one place, which is closed when the last is over.
    assert.deepEqual(await weir.exited, { code: null, signal: 'SIGKILL' });
  });

test('processes do not wait at the end for the reader of a socket that has stopped', async (t) => {
  // Node.js gives a child process a socket as its standard output.
  const weir = new WeirProcess(t, { environment: { WEIR_WORKERS: '2' } });
  const url = await weir.listening;
  weir.stopReading();
  await calls(url, 1000);
  weir.signal('SIGTERM');
  await endsSoon(weir);
});

test('a reader that stops for a while gets every line, and each is whole', async (t) => {
  const { output, reader, text } = pipe(t);
  const { weir, url } = await serving(t, { output });
  reader.kill('SIGSTOP');
  const ids = await calls(url, 300);
  reader.kill('SIGCONT');
  ids.push(...(await calls(url, 5)));
  await eventually(() => (idsOf(text()).length === ids.length ? true : undefined));
  assert.deepEqual(idsOf(text()).sort(), ids.sort());
  assert.equal(await lost(url), 0);
  weir.signal('SIGTERM');
  await endsSoon(weir);
});

test('a reader that is gone costs lines and nothing else', async (t) => {
  const { output, reader } = pipe(t);
  const { weir, url } = await serving(t, { output });
  reader.kill('SIGKILL');
  await once(reader, 'exit');
  await eventually(async () => {
    await calls(url, 5);
    return (await lost(url)) > 0 ? true : undefined;
  });
  weir.signal('SIGTERM');
  await endsSoon(weir);
});

test('a disk that is full and then has room again has whole lines on it, before and after', async (t) => {
  const disk = smallDisk(t);
  if (disk === undefined) return t.skip('no file system can be mounted here');
  const { output, text } = file(t, disk);
  const { weir, url } = await serving(t, { output });
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(200 * 1024));
  const first = await calls(url, 1);
  await eventually(async () => {
    await calls(url, 50);
    return (await lost(url)) > 0 ? true : undefined;
  });
  rmSync(filler);
  const later: string[] = [];
  const arrived = await eventually(async () => {
    later.push(...(await calls(url, 1)));
    return later.find((id) => text().includes(id));
  });
  weir.signal('SIGTERM');
  await endsSoon(weir);
  const ids = idsOf(text());
  for (const id of [...first, arrived, ...later.slice(-1)]) assert.ok(ids.includes(id));
});

interface Serving {
  readonly output: number;
  readonly workers?: string;
}

/** A gateway whose output is elsewhere, when it answers. */
async function serving(t: TestContext, { output, workers = '1' }: Serving) {
  const port = await freePort();
  const environment = { PORT: String(port), WEIR_WORKERS: workers };
  const weir = new WeirProcess(t, { output, environment });
  closeSync(output);
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    const isThere = (await requestJson(`${url}/health`).catch(() => undefined))?.status === 200;
    // All of them: before that there is nobody to hear a signal.
    return isThere && (workers === '1' || (await figure(url, 'weir_workers')) === Number(workers))
      ? true
      : undefined;
  });
  return { weir, url };
}

/** Far less than a call would take that waits for whoever reads the log, and far more than one does on a busy machine. */
const callMsMax = 20_000;

/** Makes calls one after the other, none of which takes long, and tells their ids. */
async function calls(url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const startedAtMs = performance.now();
    const { status, headers } = await requestJson(`${url}/v1/messages`, { body: demo });
    assert.equal(status, 200);
    assert.ok(performance.now() - startedAtMs < callMsMax);
    ids.push(headers.get('x-request-id') ?? '');
  }
  return ids;
}

function lost(url: string): Promise<number> {
  return figure(url, 'weir_log_lines_lost_total');
}

async function figure(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function endsSoon(weir: WeirProcess): Promise<void> {
  const startedAtMs = performance.now();
  assert.deepEqual(await weir.exited, { code: 0, signal: null });
  const ms = performance.now() - startedAtMs;
  // Well before the first process kills those that don't end.
  assert.ok(ms < limits.workerEndMs - 5000, `${ms} ms`);
  assert.equal(weir.stderr, '');
}

/** The calls that a log tells of, every line of which is whole. */
function idsOf(log: string): string[] {
  // The last may still be on its way.
  const lines = log.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line).id).filter((id) => id !== undefined);
}

function file(t: TestContext, folder = emptyFolder(t)) {
  const path = join(folder, 'log');
  return { output: openSync(path, 'a'), text: () => readFileSync(path, 'utf8') };
}

/** A pipe with a process that reads it, which can be stopped. */
function pipe(t: TestContext): {
  readonly output: number;
  readonly reader: ChildProcess;
  text(): string;
} {
  const folder = emptyFolder(t);
  const [way, path] = [join(folder, 'pipe'), join(folder, 'log')];
  execFileSync('mkfifo', [way]);
  const to = openSync(path, 'w');
  const reader = spawn('cat', [way], { stdio: ['ignore', to, 'inherit'] });
  closeSync(to);
  t.after(() => reader.kill('SIGKILL'));
  return { output: openSync(way, 'w'), reader, text: () => readFileSync(path, 'utf8') };
}

function stuckPipe(t: TestContext): number {
  const { output, reader } = pipe(t);
  reader.kill('SIGSTOP');
  return output;
}

/** A file system of a quarter of a megabyte; undefined for those who may not mount one. */
function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'weir-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  t.after(() => {
    // There may still be a process with a file on it.
    execFileSync('umount', ['--lazy', folder]);
    rmdirSync(folder);
  });
  return folder;
}
