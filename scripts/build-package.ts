// Writes what the npm package carries instead of the sources into dist: JavaScript with types and source maps.
// --into <folder> writes it elsewhere, and --no-types leaves the types out.
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'src');
const { into: built, types } = parseArgs({
  options: {
    into: { type: 'string', default: join(root, 'dist') },
    types: { type: 'boolean', default: true },
  },
  allowNegative: true,
}).values;

rmSync(built, { recursive: true, force: true });
// Types are checked by npm run check.
const settings = ['-p', join(root, 'tsconfig.build.json'), '--outDir', built, '--declaration', String(types)];
execFileSync('tsc', settings, { stdio: 'inherit', shell: process.platform === 'win32' });
for (const program of globSync('**/*.wasm', { cwd: sources }))
  copyFileSync(join(sources, program), join(built, program));
for (const file of globSync('**/*.js', { cwd: built })) nameBuiltFiles(join(built, file));

/** The compiler renames files in imports, and not the threads and processes that are started by their address. */
function nameBuiltFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  const named = text.replace(/(new URL\('\.[^'\n]+)\.ts(', import\.meta\.url\))/g, '$1.js$2');
  const [left] = /['"`]\.[^'"`\n]*\.ts['"`]/.exec(named) ?? [];
  if (left !== undefined) throw new Error(`${file} still names ${left}, which the package doesn't have`);
  // As long as before, so that source maps stay right.
  if (named !== text) writeFileSync(file, named);
}
