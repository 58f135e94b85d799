import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from './changelog.ts';
import { thirdParty } from './licences.ts';
import { sbom } from './sbom.ts';

const root = join(import.meta.dirname, '..', '..');

/** Everything that a release consists of, in one folder: the package, its parts, their licences, what is new, and sums. */
export function writeReleaseFiles(folder: string, version: string): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, stdio: 'ignore' });
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom());
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), thirdParty());
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  writeFileSync(join(folder, 'NOTES.md'), `${notesOf(changelog, version)}\n`);
  const names = readdirSync(folder).toSorted();
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    names.map((name) => `${sum(join(folder, name))}  ${name}\n`).join(''),
  );
  return [...names, 'SHA256SUMS'];
}

function sum(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
