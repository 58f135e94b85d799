import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/** What may be in what we ship: nothing that asks more of users than to keep a notice. */
const free = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1',
];

/** What may be used in making it, besides. */
const forTools = ['BlueOak-1.0.0', 'CC0-1.0', 'MPL-2.0', 'Python-2.0', 'Unlicense'];

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** Every package of the lock files, apart: what runs with Weir, and what only its makers use. */
export function lockedPackages(): {
  readonly shipped: readonly Licensed[];
  readonly tools: readonly Licensed[];
} {
  const own = lockedIn('package-lock.json');
  const licensed = (packages: readonly (readonly [string, Locked])[]) =>
    packages.map(([path, locked]) => licensedOf(path, locked));
  return {
    shipped: licensed(own.filter(([, { dev }]) => dev !== true)),
    tools: licensed([...own.filter(([, { dev }]) => dev === true), ...lockedIn('test/package-lock.json')]),
  };
}

function lockedIn(file: string): readonly (readonly [string, Locked])[] {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8'));
  return Object.entries<Locked>(packages).filter(([path]) => path !== '');
}

function licensedOf(path: string, { version, license }: Locked): Licensed {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { name, version, licence: license ?? inFiles.get(`${name}@${version}`) ?? 'none' };
}

/** Licences that a package has in its file LICENSE alone. */
const inFiles: ReadonlyMap<string, string> = new Map([['cohere-ai@8.1.0', 'MIT']]);

/** Those whose licence nobody has agreed to. Of alternatives, one is enough. */
export function unexpected(packages: readonly Licensed[], areTools = false): readonly Licensed[] {
  const expected = new Set(areTools ? [...free, ...forTools] : free);
  return packages.filter(({ licence }) => !alternatives(licence).some((one) => expected.has(one)));
}

function alternatives(licence: string): readonly string[] {
  return licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
}

export interface Bundled extends Licensed {
  readonly text: string;
}

/** What the documentation's pages carry, besides what the dashboard has, too. */
const inSite = ['minisearch'];

/** What the dashboard's files have in them, as its build wrote it down, and the documentation's. */
export function bundledPackages(): readonly Bundled[] {
  const site = lockedPackages().tools.filter(({ name }) => inSite.includes(name));
  return [...inDashboard(), ...site.map((one) => ({ ...one, text: textOf(one.name) }))];
}

function inDashboard(): readonly Bundled[] {
  const listed = JSON.parse(readFileSync(join(root, 'web', 'dist', 'licenses.json'), 'utf8'));
  return listed.map(({ name, version, identifier, text }: Record<string, string | null>) => ({
    name,
    version,
    licence: identifier ?? 'none',
    text: text ?? '',
  }));
}

/** The licences of all that is shipped, with their texts. */
export function thirdParty(): string {
  const installed = lockedPackages().shipped.map((one) => ({ ...one, text: textOf(one.name) }));
  return [
    'Weir is licensed under Apache-2.0. These packages run with it, or are part of its pages.',
    ...[...installed, ...bundledPackages()]
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map(({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}`),
  ].join(`\n\n${'-'.repeat(80)}\n\n`);
}

/** Packages for other platforms are not installed here, and some packages have no file of it. */
function textOf(name: string): string {
  const folder = join(root, 'node_modules', name);
  try {
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  } catch {
    return '';
  }
}
