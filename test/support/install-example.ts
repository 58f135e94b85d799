import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** As `npm install` would, without a registry: packed with npm's own rules, unpacked where Node looks, with no Weir beside it. */
export function installExample(folder: string, example: string): void {
  const root = join(import.meta.dirname, '..', '..');
  const source = join(root, 'examples', example);
  const shell = process.platform === 'win32';
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, source], {
    encoding: 'utf8',
    shell,
  });
  const installed = join(folder, 'node_modules', `weir-${example}`);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.trim()), '--strip-components=1', '-C', installed]);
}
