import { execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** `npm ci` has built the gateway, its models, the dashboard and the documentation; whoever works on them needn't think of that. */
export function buildChanged(): void {
  run('build-models.js');
  run('build-program.js');
  buildPages('build-web.js', 'web', ['web/**/*.{ts,tsx,css,html,svg}']);
  buildPages('build-docs.js', 'site', ['site/**/*.{js,css}', '*.md', 'docs/**/*']);
}

function buildPages(program: string, folder: string, sources: readonly string[]): void {
  const files = globSync(sources, { cwd: root, exclude: [`${folder}/dist/**`] });
  const newest = Math.max(...files.map((file) => modifiedAt(join(root, file))));
  if (modifiedAt(join(root, folder, 'dist', 'index.html')) < newest) run(program);
}

function run(program: string): void {
  execFileSync(process.execPath, [join(root, 'bin', program)], { stdio: 'inherit' });
}

function modifiedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
