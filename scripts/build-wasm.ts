// Builds what is written in AssemblyScript; with --check only says whether the files beside it are what they would be.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Program {
  readonly source: string;
  readonly built: string;
  /** Pages of 64 KiB, at first and at most. */
  readonly pages: readonly [number, number];
}

const programs: readonly Program[] = [
  // What the source lays out takes up most of it, and there is never more.
  { source: 'src/kernel/scan/assembly/scanner.ts', built: 'src/kernel/scan/scanner.wasm', pages: [4, 4] },
  { source: 'src/accounts/assembly/sip-hash.ts', built: 'src/accounts/sip-hash.wasm', pages: [1, 1] },
  // Grows with the vectors, up to what the limits say and a little.
  {
    source: 'src/embeddings/vectors/assembly/products.ts',
    built: 'src/embeddings/vectors/products.wasm',
    pages: [1, 16_384],
  },
  // One block of vectors, what it is multiplied with, and what comes of it.
  {
    source: 'src/modules/mcp-optimizer/choice/assembly/products.ts',
    built: 'src/modules/mcp-optimizer/choice/products.wasm',
    pages: [11, 11],
  },
];

const project = join(import.meta.dirname, '..');

if (process.argv.includes('--check')) {
  const temporary = mkdtempSync(join(tmpdir(), 'weir-wasm-'));
  const again = join(temporary, 'built.wasm');
  try {
    for (const program of programs) {
      build(program, again);
      if (!readFileSync(again).equals(readFileSync(join(project, program.built)))) {
        console.error(`${program.built} is not what its source makes: npm run build:wasm`);
        process.exitCode = 1;
      }
    }
  } finally {
    rmSync(temporary, { recursive: true });
  }
} else for (const program of programs) build(program, join(project, program.built));

function build({ source, pages: [atFirst, atMost] }: Program, outFile: string): void {
  const memory = ['--initialMemory', String(atFirst), '--maximumMemory', String(atMost)];
  const speed = ['-O3', '--noAssert', '--enable', 'simd', '--runtime', 'stub'];
  execFileSync('asc', [join(project, source), '--outFile', outFile, ...speed, ...memory], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
