import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Other systems have other ways of keeping what was freed. */
const onLinux = { skip: process.platform !== 'linux' };

/** In a process of its own, whose memory nobody else uses. */
async function inProcess(program: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const source = `
    const { trimFreedMemory } = await import('${new URL('./freed-memory.ts', import.meta.url)}');
    const rss = () => process.memoryUsage.rss() / 1e6;
    const pieces = Array.from({ length: 2000 }, () => Buffer.allocUnsafeSlow(32 * 1024).fill(1));
    // Some of them stay, so that what lies between them can't be cut off at the end of the heap.
    pieces.forEach((piece, index) => { if (index % 50 > 0) piece.buffer.transfer(0); });
    const full = rss();
    ${program}`;
  return run(process.execPath, ['--input-type=module', '-e', source], { timeout: 60_000 });
}

test('what was freed is given back to the system, and nobody is warned of how', onLinux, async () => {
  const { stdout, stderr } = await inProcess(`
    trimFreedMemory({ freedMemoryLookMs: 10, freedMemoryCpuMs: 0 });
    const looking = setInterval(() => {
      if (full - rss() < 50) return;
      clearInterval(looking);
      console.log('given back', pieces.filter((piece) => piece.length > 0 && piece[9] === 1).length);
    }, 10);`);
  assert.equal(stdout, 'given back 40\n');
  assert.equal(stderr, '');
});

test('who has done nothing since gives nothing back, and nobody is kept alive for it', onLinux, async () => {
  const { stdout } = await inProcess(`
    trimFreedMemory({ freedMemoryLookMs: 10, freedMemoryCpuMs: 60_000 });
    setTimeout(() => console.log(full - rss() < 10), 100);`);
  assert.equal(stdout, 'true\n');
});
