import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const module = join(import.meta.dirname, 'stdout-writer.ts');

/** Runs code that can write lines, and reads what it writes to its standard output. */
async function written(code: string, reader: ReadOptions = {}): Promise<ProcessOutput> {
  const source = `import { createStdoutWriter, pipeChunkBytesMax } from ${JSON.stringify(module)};\n${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  let read = 0;
  let errors = '';
  const mayEnd = () => {
    if (reader.hasAll?.(read, errors) === true) child.stdin.end();
  };
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
    mayEnd();
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await sleep(reader.startsAfterMs ?? 0);
  child.stdout.on('data', (chunk: Buffer) => {
    pieces.push(chunk);
    read += chunk.byteLength;
    mayEnd();
  });
  await ended;
  return { text: Buffer.concat(pieces).toString(), errors };
}

interface ReadOptions {
  readonly startsAfterMs?: number;
  /** Whether the bytes and errors read so far are complete; then the standard input of the process is closed. */
  hasAll?(bytes: number, errors: string): boolean;
}

interface ProcessOutput {
  readonly text: string;
  readonly errors: string;
}

test('lines arrive whole and in order, also at a reader that starts late', async () => {
  const all = Array.from({ length: 20_000 }, (_, at) => `line ${at} é\n`).join('');
  const { text, errors } = await written(
    `const lines = createStdoutWriter();
    for (let at = 0; at < 20_000; at++) lines.write('line ' + at + ' é\\n');
    process.stdin.resume();`,
    { startsAfterMs: 300, hasAll: (bytes) => bytes >= Buffer.byteLength(all) },
  );
  assert.equal(errors, '');
  assert.equal(text, all);
});

test('a line is written soon, without another that pushes it out', async () => {
  const { text } = await written(
    `createStdoutWriter().write('alone\\n');
    process.stdin.resume();`,
    { hasAll: (bytes) => bytes > 0 },
  );
  assert.equal(text, 'alone\n');
});

for (const [ending, code] of [
  ['a crash', "throw new Error('crash');"],
  ['an exit', 'process.exit(1);'],
  ['a flush before an exit', 'lines.flush(); process.exit(0);'],
] as const)
  test(`the last lines before ${ending} are written`, async () => {
    const { text } = await written(
      `const lines = createStdoutWriter();
      setTimeout(() => {
        for (let at = 0; at < 500; at++) lines.write('line ' + at + '\\n');
        ${code}
      }, 20);`,
    );
    assert.equal(text, Array.from({ length: 500 }, (_, at) => `line ${at}\n`).join(''));
  });

test('a reader that is far behind loses lines, and gets their number', async () => {
  const { text, errors } = await written(
    `const lines = createStdoutWriter();
    const line = 'x'.repeat(1023) + '\\n';
    for (let at = 0; at < 40 * 1024; at++) lines.write(line);
    process.stderr.write(String(lines.lost));
    process.stdin.resume();`,
    { hasAll: (bytes, lost) => lost !== '' && bytes + Number(lost) * 1024 >= 40 * 1024 * 1024 },
  );
  const lost = Number(errors);
  const kept = text.split('\n').length - 1;
  assert.ok(lost > 20 * 1024 && lost < 26 * 1024, `${lost} of 40960 lines were lost`);
  assert.equal(kept + lost, 40 * 1024);
});

for (const pieceBytes of [65_536, 4096])
  test(`a pipe without a reader costs bounded memory, and the process ends (pieces of ${pieceBytes} bytes)`, async () => {
    const { errors } = await piped(
      `const lines = createStdoutWriter(${pieceBytes});
      for (let round = 0; round < 100; round++) {
        for (let at = 0; at < 1024; at++) lines.write('x'.repeat(1023) + '\\n');
        await new Promise(setImmediate);
      }
      const held = process.memoryUsage().arrayBuffers;
      const startedAtMs = performance.now();
      lines.flush();
      const ms = performance.now() - startedAtMs;
      process.stderr.write(JSON.stringify({ held, ms, lost: lines.lost }) + '\\n');`,
    );
    const { held, ms, lost } = JSON.parse(errors);
    assert.ok(held < 40 * 1024 * 1024, `${held} bytes`);
    // A reader that doesn't read at all isn't waited for as one that is slow.
    assert.ok(ms < 30_000, `${ms} ms`);
    // What a pipe holds was taken.
    assert.ok(lost >= 100 * 1024 - 64 && lost <= 100 * 1024, `${lost} lines`);
  });

test('whoever else has the same pipe finds it as it was', async () => {
  const { errors } = await piped(
    `import { readFileSync } from 'node:fs';
    const flags = () => readFileSync('/proc/self/fdinfo/1', 'utf8').match(/flags:.*/)[0];
    const before = flags();
    const lines = createStdoutWriter();
    lines.write('a line\\n');
    lines.flush();
    process.stderr.write(before === flags() ? 'as it was' : flags());`,
  );
  assert.equal(errors, 'as it was');
});

/** Runs code that has `createStdoutWriter` with a pipe that is open but never read. */
function piped(code: string): Promise<{ readonly errors: string }> {
  const source = `import { createStdoutWriter } from ${JSON.stringify(module)};\n${code}`;
  const command = `folder=$(mktemp -d); mkfifo "$folder/pipe"; exec 3<>"$folder/pipe"; rm -r "$folder"
    "$0" --input-type=module -e "$1" >&3; exec 3<&-`;
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', command, process.execPath, source], (fault, _, errors) => {
      if (fault === null) resolve({ errors });
      else reject(fault);
    });
  });
}
