import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { limits } from './limits.ts';

const run = promisify(execFile);

/** How large the space for new objects was at most in a process that works for a while, of whose objects some are kept for a moment. */
async function largest(first: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
    ${first}
    const size = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
    const kept = Array.from({ length: 200 }, () => []);
    let most = 0;
    for (let turn = 0; turn < 130; turn += 1) {
      for (let made = 0; made < 40; made += 1) kept[(turn * 40 + made) % 200] = Array.from({ length: 500 }, (_, index) => ({ index }));
      most = Math.max(most, size());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log(most);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 });
  return Number(stdout);
}

test('the space for new objects grows with the work, and no further than it may', async () => {
  const module = new URL('./young-generation.ts', import.meta.url);
  const [held, free] = await Promise.all([
    largest(`import { growYoungGeneration } from '${module}'; growYoungGeneration();`),
    largest(`setFlagsFromString('--semi-space-growth-factor=${limits.youngGenerationGrowthMax}');`),
  ]);
  assert.ok(held > limits.youngGenerationBytes / 4, `${held} bytes`);
  assert.ok(held <= limits.youngGenerationBytes, `${held} bytes`);
  assert.ok(free > limits.youngGenerationBytes, `${free} bytes where nobody looks`);
});
