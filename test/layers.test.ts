import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';
import testPackage from './package.json' with { type: 'json' };

const services = [
  'accounts',
  'alerts',
  'audit',
  'billing',
  'payments',
  'sandbox',
  'receipts',
  'embeddings',
  'telemetry',
  'moving',
];
const belowMcp = ['lib', 'kernel', 'wire', 'egress', 'providers', 'calls', ...services];
const belowServer = [...belowMcp, 'mcp'];
const belowGateway = [...belowServer, 'http', 'modules', 'server', 'storage'];

/** The rooms that each room may import, besides itself. A file beside the rooms is a room of its own. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  kernel: ['lib'],
  wire: ['lib', 'kernel'],
  storage: ['lib', 'kernel'],
  egress: ['lib', 'kernel'],
  ...Object.fromEntries(services.map((room) => [room, ['lib', 'kernel']])),
  // Only what modules of other packages may use as well.
  modules: ['module-api'],
  'module-api': ['lib', 'kernel', 'wire'],
  providers: ['lib', 'kernel', 'wire', 'egress'],
  calls: ['lib', 'kernel', 'wire', 'egress', 'providers', ...services],
  mcp: belowMcp,
  http: ['lib'],
  server: ['http', ...belowServer],
  gateway: belowGateway,
  process: ['gateway', ...belowGateway],
  workers: ['process', 'gateway', ...belowGateway],
  testing: ['gateway', ...belowGateway],
  cli: ['workers', 'process', 'gateway', ...belowGateway],
  index: ['gateway'],
  main: ['cli'],
};

const source = join(import.meta.dirname, '..', 'src');
const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'));
const imports = files.flatMap((file) =>
  importsOf(file).map((target) => ({ file, target, from: roomOf(file), to: roomOf(target) })),
);

test('every room imports only the rooms that it may', () => {
  const violations = imports
    .filter(({ from, to }) => from !== to && allowed[from]?.includes(to) !== true)
    .map(({ file, target }) => `${file} imports ${target}`);
  assert.deepEqual(violations, []);
});

test('every room is listed', () => {
  assert.deepEqual(Object.keys(allowed).sort(), [...new Set(files.map(roomOf))].sort());
});

test('no room imports itself through others', () => {
  const left = new Set(files.map(roomOf));
  const isIndependent = (room: string) =>
    !imports.some(({ from, to }) => from === room && to !== room && left.has(to));
  let independent = [...left].filter(isIndependent);
  while (independent.length > 0) {
    for (const room of independent) left.delete(room);
    independent = [...left].filter(isIndependent);
  }
  assert.deepEqual([...left], []);
});

test('modules never import each other', () => {
  const violations = files
    .filter((file) => roomOf(file) === 'modules' && file !== join('modules', 'index.ts'))
    .flatMap((file) =>
      importsOf(file).filter((target) => roomOf(target) === 'modules' && unitOf(target) !== unitOf(file)),
    );
  assert.deepEqual(violations, []);
});

test('modules in packages of their own need nothing but Node.js and the entry that is for them', () => {
  const examples = globSync('examples/*/*.js', { cwd: join(source, '..') });
  assert.ok(examples.length >= 2);
  for (const file of examples) {
    const text = readFileSync(join(source, '..', file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g))
      assert.ok(name === 'weir-gateway/module' || name?.startsWith('node:'), `${file} imports ${name}`);
  }
});

test('the dashboard knows the gateway by its HTTP API alone', () => {
  const web = join(source, '..', 'web');
  const pages = globSync('**/*.{ts,tsx}', { cwd: web, exclude: ['dist/**'] });
  assert.ok(pages.length >= 40);
  for (const file of pages)
    for (const [, name = ''] of readFileSync(join(web, file), 'utf8').matchAll(
      /(?:from|import\()\s*'(\.[^']+)'/g,
    ))
      assert.ok(!relative(web, join(web, dirname(file), name)).startsWith('..'), `${file} imports ${name}`);
});

function roomOf(file: string): string {
  return file.split(sep)[0]?.replace(/\.ts$/, '') ?? '';
}

/** A module is a file or a folder below `modules`. */
function unitOf(file: string): string | undefined {
  return file.split(sep)[1]?.replace(/\.ts$/, '');
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(source, file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(
    ([, specifier]) => specifier ?? '',
  );
  return specifiers.map((specifier) => relative(source, join(source, dirname(file), specifier)));
}

test('node:http is imported for types only', () => {
  const violations = files
    .filter((file) => roomOf(file) !== 'testing')
    .filter((file) => /^import (?!type ).* from 'node:http'/m.test(readFileSync(join(source, file), 'utf8')));
  assert.deepEqual(violations, [], 'src/lib/node-http.ts says why');
});

test('the gateway and its builds import no packages of the tests', () => {
  const root = join(source, '..');
  const built = globSync(['bin/*.js', 'site/*.js', 'scripts/build-models/*.ts'], { cwd: root });
  const names = Object.keys(testPackage.dependencies).join('|');
  const ofTests = new RegExp(`^(?:import|export|}).* from '(?:${names})[/']`, 'm');
  const violations = [...built, ...files.map((file) => join('src', file))].filter((file) =>
    ofTests.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(violations, []);
});
