import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { test } from 'node:test';

const services = [
  'accounts',
  'billing',
  'payments',
  'sandbox',
  'receipts',
  'embeddings',
  'patterns',
  'telemetry',
];

/** Which layers each layer may import, besides itself; those of `everywhere` may import all. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  wire: ['kernel'],
  storage: ['kernel'],
  accounts: ['kernel'],
  billing: ['kernel'],
  payments: ['kernel'],
  sandbox: ['kernel'],
  receipts: ['kernel'],
  embeddings: ['kernel'],
  patterns: ['kernel'],
  telemetry: ['kernel'],
  // What a module of somebody else's may use, and nothing more.
  modules: ['module-api'],
  'module-api': ['kernel'],
  providers: ['kernel', 'wire'],
  calls: ['kernel', 'wire', 'providers', ...services],
  http: ['kernel'],
  server: ['http', 'kernel', 'wire', 'providers', 'modules', 'calls', ...services],
};

const everywhere = ['gateway', 'workers', 'cli', 'testing'];

const source = join(import.meta.dirname, '..', 'src');
const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'));

test('every import stays within its layer', () => {
  const trespasses = files.flatMap((file) => {
    const layer = layerOf(file);
    const mayImport = layer === undefined ? undefined : allowed[layer];
    if (layer === undefined || mayImport === undefined) return [];
    return importsOf(file)
      .filter((target) => {
        const other = layerOf(target);
        return other !== layer && (other === undefined || !mayImport.includes(other));
      })
      .map((target) => `${file} imports ${target}`);
  });
  assert.deepEqual(trespasses, []);
});

test('modules never import each other', () => {
  const trespasses = files
    .filter((file) => layerOf(file) === 'modules' && file !== join('modules', 'index.ts'))
    .flatMap((file) =>
      importsOf(file).filter((target) => layerOf(target) === 'modules' && unitOf(target) !== unitOf(file)),
    );
  assert.deepEqual(trespasses, []);
});

test('modules in packages of their own need nothing but the entry that is for them', () => {
  const examples = globSync('examples/*/*.js', { cwd: join(source, '..') });
  assert.ok(examples.length >= 2);
  for (const file of examples) {
    const text = readFileSync(join(source, '..', file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import\()\s*'([^']+)'/g))
      assert.equal(name, 'weir-gateway/module', file);
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

test('every folder under src is a known layer', () => {
  const layers = new Set(files.map(layerOf).filter((layer) => layer !== undefined));
  for (const layer of layers) assert.ok(layer in allowed || everywhere.includes(layer), layer);
});

function layerOf(file: string): string | undefined {
  const [first = '', ...rest] = file.split(sep);
  if (rest.length > 0) return first;
  return file === 'module-api.ts' ? 'module-api' : undefined;
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
