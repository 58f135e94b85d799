import { spawnSync } from 'node:child_process';
import { onPath } from './programs.ts';

export function isRootOnDebian(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Says so, because it changes the machine. */
export function installOnDebian(packages: readonly string[]): void {
  console.log(`installing what the tests need: apt-get install ${packages.join(' ')}`);
  if (aptGet(['install', ...packages])) return;
  // A fresh machine has no list of packages, an old one an outdated list.
  aptGet(['update']);
  if (!aptGet(['install', ...packages]))
    throw new Error(
      `apt-get could not install ${packages.join(' ')}: install them, then run the tests again`,
    );
}

function aptGet([command = '', ...packages]: readonly string[]): boolean {
  const options = ['-qq', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  const { status } = spawnSync('apt-get', [command, ...options, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}
