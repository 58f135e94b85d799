// Builds the JSON scanner from AssemblyScript; with --check only says whether the file beside it is what it would be.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'src', 'kernel', 'scan');
const kept = join(folder, 'scanner.wasm');

if (process.argv.includes('--check')) {
  const temporary = mkdtempSync(join(tmpdir(), 'weir-scan-'));
  const built = join(temporary, 'scanner.wasm');
  try {
    build(built);
    if (!readFileSync(built).equals(readFileSync(kept))) {
      console.error('src/kernel/scan/scanner.wasm is not what its source makes: npm run build:scan');
      process.exitCode = 1;
    }
  } finally {
    rmSync(temporary, { recursive: true });
  }
} else build(kept);

function build(outFile: string): void {
  // Four pages of memory: what the source lays out takes up most of it, and there is never more.
  const memory = ['--initialMemory', '4', '--maximumMemory', '4'];
  const speed = ['-O3', '--noAssert', '--enable', 'simd', '--runtime', 'stub'];
  execFileSync('asc', [join(folder, 'assembly', 'scanner.ts'), '--outFile', outFile, ...speed, ...memory], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
