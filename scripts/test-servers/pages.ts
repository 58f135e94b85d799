import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** `npm ci` has built the dashboard; whoever works on it needn't think of that. */
export function buildPages(): void {
  const sources = globSync('web/**/*.{ts,tsx,css,html,svg}', { cwd: root, exclude: ['web/dist/**'] });
  const newest = Math.max(...sources.map((file) => modifiedAt(join(root, file))));
  if (modifiedAt(join(root, 'web', 'dist', 'index.html')) < newest)
    execFileSync(process.execPath, [join(root, 'bin', 'build-web.js')], { stdio: 'inherit' });
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
