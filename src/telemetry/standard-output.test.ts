import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const module = join(import.meta.dirname, 'standard-output.ts');

/** Runs code that has `lines`, and reads what it writes to its standard output. */
async function written(code: string, reader: { readonly startsAfterMs?: number } = {}): Promise<Written> {
  const source = `import { standardOutput, pipePieceBytes } from ${JSON.stringify(module)};\n${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: Buffer[] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += String(chunk);
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await sleep(reader.startsAfterMs ?? 0);
  child.stdout.on('data', (chunk: Buffer) => pieces.push(chunk));
  await ended;
  return { text: Buffer.concat(pieces).toString(), errors };
}

interface Written {
  readonly text: string;
  readonly errors: string;
}

test('lines arrive whole and in order, also at a reader that starts late', async () => {
  const { text, errors } = await written(
    `const lines = standardOutput();
    for (let at = 0; at < 20_000; at++) lines.write('line ' + at + ' é\\n');
    const timer = setInterval(() => {}, 1000);
    setTimeout(() => { lines.flush(); clearInterval(timer); }, 600);`,
    { startsAfterMs: 300 },
  );
  assert.equal(errors, '');
  assert.equal(text, Array.from({ length: 20_000 }, (_, at) => `line ${at} é\n`).join(''));
});

test('a line is written soon, without another that pushes it out', async () => {
  const { text } = await written(
    `standardOutput().write('alone\\n');
    setTimeout(() => process.exit(), 600);`,
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
      `const lines = standardOutput();
      setTimeout(() => {
        for (let at = 0; at < 500; at++) lines.write('line ' + at + '\\n');
        ${code}
      }, 20);`,
    );
    assert.equal(text, Array.from({ length: 500 }, (_, at) => `line ${at}\n`).join(''));
  });

test('a reader that is far behind loses lines, and how many is told', async () => {
  const { text, errors } = await written(
    `const lines = standardOutput();
    const line = 'x'.repeat(1023) + '\\n';
    for (let at = 0; at < 40 * 1024; at++) lines.write(line);
    process.stderr.write(String(lines.lost));
    setTimeout(() => { lines.flush(); }, 500);`,
  );
  const lost = Number(errors);
  const kept = text.split('\n').length - 1;
  assert.ok(lost > 20 * 1024 && lost < 26 * 1024, `${lost} of 40960 lines were lost`);
  assert.equal(kept + lost, 40 * 1024);
});
