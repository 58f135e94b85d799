import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/** Installs a package of npm into a folder of its own below this one, unless it is there already; resolves to that folder. */
export async function installPackage({ name, version }: PackageVersion, below: string): Promise<string> {
  const folder = join(below, `${name.replaceAll('/', '-')}-${version}`);
  const manifest = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const args = ['install', `${name}@${version}`, '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', args, { cwd: folder });
  return folder;
}
