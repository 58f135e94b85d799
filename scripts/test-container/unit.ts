import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const unit = join(import.meta.dirname, '..', '..', 'deploy', 'systemd', 'weir.service');
/** Of 100, as systemd counts what a service could still do to the machine; most are above 90. */
const exposureMax = 20;

/** What systemd itself says of the unit, with a program that this machine has. */
export async function checkUnit(folder: string): Promise<void> {
  const file = join(mkdtempSync(join(folder, 'unit-')), 'weir.service');
  writeFileSync(
    file,
    readFileSync(unit, 'utf8').replaceAll('/opt/weir/node_modules/.bin/node', process.execPath),
  );
  execFileSync('systemd-analyze', ['verify', '--man=no', file], { stdio: 'inherit' });
  execFileSync('systemd-analyze', ['security', '--offline=true', `--threshold=${exposureMax}`, file], {
    stdio: 'pipe',
  });
}
