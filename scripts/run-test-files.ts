import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

type RunOptions = Omit<NonNullable<Parameters<typeof run>[0]>, 'files'> & { readonly timeout: number };

/** Runs tests and prints their results. This process fails if one of them does. */
export async function runTestFiles(files: readonly string[], options: RunOptions): Promise<void> {
  const results = run({ ...options, files });
  results.on('test:fail', () => {
    process.exitCode = 1;
  });
  await pipeline(results, new spec(), process.stdout, { end: false });
}
