import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What podman's runtime can't work with: both versions of cgroups side by side. */
const hybrid = '/sys/fs/cgroup/unified';

const withOneVersion = `mount --make-rprivate /
umount --recursive /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
exec "$@"`;

/** On such a machine this program is started anew with a view of its own, where there is one version; true where that was so. */
export function startedAnew(): boolean {
  if (!existsSync(hybrid)) return false;
  const [file = '', ...args] = process.argv.slice(1);
  const again = ['--mount', 'sh', '-c', withOneVersion, 'sh', process.execPath, file, ...args];
  process.exitCode = spawnSync('unshare', again, { stdio: 'inherit' }).status ?? 1;
  return true;
}
