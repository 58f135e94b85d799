// Installs what tests, checks and measurements import besides the packages of the gateway: test/package.json lists it, and a clone that
// only runs the gateway doesn't need it. It goes to node_modules/.test, with links in node_modules for Node.js, TypeScript and npm.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const packages = join(root, 'node_modules');
const installed = join(packages, '.test');
const lists = ['package.json', 'package-lock.json'];

if (process.argv[1] === import.meta.filename) installTestPackages();

/** Does nothing where all of them are installed. */
export function installTestPackages() {
  if (!existsSync(installed) && isComplete()) return;
  if (!lists.every((name) => isSame(join(root, 'test', name), join(installed, name)))) install();
  if (!isComplete()) link('');
}

/** Whether node_modules has every listed package in its version. A package under another name has the version `npm:<package>@<version>`. */
function isComplete() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'test', 'package.json'), 'utf8'));
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(packages, name, 'package.json');
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version.split('@').at(-1);
  });
}

function install() {
  console.error('installing the packages of the tests, which takes a minute');
  const beside = `${installed}-${process.pid}`;
  mkdirSync(beside, { recursive: true });
  for (const name of lists) cpSync(join(root, 'test', name), join(beside, name));
  const args = ['ci', '--prefix', beside, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', args, { cwd: beside, stdio: ['ignore', 'ignore', 'inherit'] });
  unlink('');
  rmSync(installed, { recursive: true, force: true });
  renameSync(beside, installed);
}

/** Links what node_modules doesn't have. Scopes and `.bin` are folders of packages.
 * @param {string} folder */
function link(folder) {
  for (const name of readdirSync(join(installed, 'node_modules', folder))) {
    const path = join(folder, name);
    if (isFolderOfPackages(path)) link(path);
    else if (!name.startsWith('.') && !existsSync(join(packages, path))) {
      const place = join(packages, path);
      mkdirSync(dirname(place), { recursive: true });
      rmSync(place, { force: true });
      symlinkSync(relative(dirname(place), join(installed, 'node_modules', path)), place);
    }
  }
}

/** Removes the links of an earlier installation.
 * @param {string} folder */
function unlink(folder) {
  for (const entry of readdirSync(join(packages, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      if (readlinkSync(join(packages, path)).includes('.test/')) rmSync(join(packages, path));
    } else if (isFolderOfPackages(path)) unlink(path);
  }
}

/** @param {string} path */
function isFolderOfPackages(path) {
  return /^(@[^/\\]+|\.bin)$/.test(path);
}

/** @param {string} one @param {string} other */
function isSame(one, other) {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other));
}
