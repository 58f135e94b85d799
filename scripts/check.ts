// Format, lint, types, layers, built files and dead code, side by side; each speaks only when it finds something.
import { spawn } from 'node:child_process';

/** Only warns. */
const agesOfPrices = 'ages of prices';

const checks: readonly (readonly [string, string, readonly string[]])[] = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '--reporter=summary', '.']],
  ['types', 'tsc', ['-p', '.']],
  ['types of pages', 'tsc', ['-p', 'web']],
  ['types of measurements', 'tsc', ['-p', 'measure']],
  ['layers', 'node', ['--test', '--test-reporter=dot', 'test/layers.test.ts']],
  ['generated pages', 'node', ['scripts/reference-docs.ts', '--check']],
  ['types of the API', 'node', ['scripts/web-types.ts', '--check']],
  ['built programs', 'node', ['scripts/build-wasm.ts', '--check']],
  ['dead code', 'knip', ['--no-progress']],
  [agesOfPrices, 'node', ['scripts/price-age.ts']],
];

const results = await Promise.all(checks.map(([name, command, args]) => check(name, command, args)));
for (const { name, passed, output, seconds } of results) {
  const isWarning = passed && name === agesOfPrices && output !== '';
  console.log(`${isWarning ? 'WARN' : passed ? 'ok  ' : 'FAIL'} ${name} (${seconds.toFixed(1)} s)`);
  if (!passed || isWarning) console.log(output);
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;

interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
}

function check(name: string, command: string, args: readonly string[]): Promise<Result> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { shell: process.platform === 'win32' });
    let output = '';
    const finish = (passed: boolean) =>
      resolve({ name, passed, output, seconds: (performance.now() - startedAt) / 1000 });
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', (error) => {
      output += error.message;
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}
