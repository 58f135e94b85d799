// Everything of a release but publishing it: npm run release -- <version|patch|minor|major> [--dry-run [--skip-tests]]
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withRelease } from './release/changelog.ts';
import { writeReleaseFiles } from './release/files.ts';
import { lockedPackages, unexpected } from './release/licences.ts';
import { nextVersion } from './release/version.ts';

const root = join(import.meta.dirname, '..');
const manifest = 'deploy/kubernetes/kustomization.yaml';
const chart = 'deploy/helm/weir/Chart.yaml';
/** All that a release writes to; put back where it comes to nothing. */
const written = ['package.json', 'package-lock.json', 'CHANGELOG.md', manifest, chart];

try {
  release();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function release(): void {
  const { dryRun, skipTests, version } = asked();
  step('the tree is clean, and the version is new', () => mustBeReady(version, dryRun));
  try {
    step(`version ${version} in package.json, the lock file, ${manifest} and ${chart}`, () =>
      writeVersion(version),
    );
    step('CHANGELOG.md', () => edit('CHANGELOG.md', (text) => withRelease(text, version, today())));
    step('licences', mustHaveFreeLicences);
    step('npm run check', () => run('npm', ['run', 'check']));
    if (!skipTests) step('npm test', () => run('npm', ['test']));
    step('release files', () => console.log(writeReleaseFiles(join(root, 'release'), version).join('\n')));
    if (!dryRun) step(`commit and tag v${version}`, () => commit(version));
  } catch (error) {
    run('git', ['restore', ...written]);
    throw error;
  }
  if (dryRun) run('git', ['restore', ...written]);
  console.log(
    dryRun
      ? 'a dry run: release/ is there to look at, and everything else as it was'
      : `to publish it: git push origin main v${version}`,
  );
}

function asked() {
  const { values, positionals } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      'skip-tests': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const { 'dry-run': dryRun, 'skip-tests': skipTests } = values;
  if (skipTests && !dryRun) throw new Error('--skip-tests is for dry runs');
  const [version] = positionals;
  if (version === undefined) throw new Error('npm run release -- <version|patch|minor|major> [--dry-run]');
  return { dryRun, skipTests, version: nextVersion(versionNow(), version) };
}

function versionNow(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

function mustBeReady(version: string, dryRun: boolean): void {
  if (git('status', '--porcelain') !== '') throw new Error('there are changes that are not committed');
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`there is a tag v${version} already`);
  const branch = git('branch', '--show-current');
  if (branch !== 'main' && !dryRun) throw new Error(`releases are made on main, and this is ${branch}`);
}

function writeVersion(version: string): void {
  run('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts']);
  edit(manifest, (text) => text.replace(/newTag: .*/, `newTag: ${version}`));
  edit(chart, (text) => text.replaceAll(/^(version|appVersion): .*$/gm, `$1: ${version}`));
}

function mustHaveFreeLicences(): void {
  const { shipped, tools } = lockedPackages();
  const odd = [...unexpected(shipped), ...unexpected(tools, true)];
  if (odd.length > 0)
    throw new Error(odd.map(({ name, licence }) => `${name} is licensed under ${licence}`).join('\n'));
}

function commit(version: string): void {
  run('git', ['commit', '--quiet', '--message', `release: ${version}`, '--', ...written]);
  run('git', ['tag', '--annotate', `v${version}`, '--message', `Weir ${version}`]);
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(root, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function step(title: string, work: () => void): void {
  console.log(`== ${title}`);
  work();
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
