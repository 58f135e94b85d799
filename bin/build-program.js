// Builds the gateway's programs into dist, of as few files as they can be: loading one takes half a millisecond and 25 KB, and from
// its sources a gateway loads 1,300. An installation without the bundler (npm ci --omit=dev) runs from its sources.
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { licensesOf } from './licenses.js';
import { isBuilt } from './program.js';

const root = join(import.meta.dirname, '..');
const sources = join(root, 'src');
/** Packages of which every start needs something. The others are loaded where they are used. */
const joined = ['@pydantic/genai-prices', 'find-my-way', 'jose', 'kysely', 'zod'];
/** Stands for the folder that everything is built into. */
const mark = 'built:';

if (process.argv[1] === import.meta.filename && !isBuilt()) await buildProgram(join(root, 'dist'));

/** Without the bundler it leaves what is there.
 * @param {string} into
 * @param {readonly string[]} also Sources that somebody wants to load by themselves. */
export async function buildProgram(into, also = []) {
  const bundler = await import('rolldown').catch(() => undefined);
  if (bundler === undefined) return;
  const startedAt = new Date();
  const beside = `${into}-${process.pid}`;
  const { output } = await bundler.build({
    cwd: root,
    input: Object.fromEntries([...programs(), ...also].map((file) => [builtName(file), join(root, file)])),
    platform: 'node',
    external: loadedApart(),
    plugins: [{ name: 'addresses', transform: markAddresses }],
    output: {
      dir: beside,
      sourcemap: true,
      chunkFileNames: 'parts/[name]-[hash].js',
      // The log tells of errors by the names of their classes.
      keepNames: true,
    },
  });
  const chunks = output.filter((part) => part.type === 'chunk');
  for (const { fileName, code } of chunks)
    if (code.includes(mark)) writeFileSync(join(beside, fileName), withAddresses(code, fileName));
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.wasm')) cpSync(join(sources, file), join(beside, file));
  writeFileSync(join(beside, 'licenses.txt'), licensesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
  // What is changed while it is built is newer than this.
  utimesSync(join(beside, 'main.js'), startedAt, startedAt);
  // Somebody may be starting just now.
  if (existsSync(into)) renameSync(into, `${beside}-before`);
  renameSync(beside, into);
  rmSync(`${beside}-before`, { recursive: true, force: true });
}

/** @returns {readonly string[]} */
function programs() {
  return JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')).files;
}

/** `src/storage/sql/sqlite-worker.ts` is `storage/sql/sqlite-worker`.
 * @param {string} file */
function builtName(file) {
  return posix.relative('src', file).replace(/\.ts$/, '');
}

function loadedApart() {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .filter((name) => !joined.includes(name))
    .map((name) => new RegExp(`^${name}(/|$)`));
}

/** Files, threads and processes are named as seen from a source; what is built of it will be elsewhere.
 * @param {string} code
 * @param {string} file */
function markAddresses(code, file) {
  if (!file.startsWith(sources) || !code.includes('import.meta.url')) return;
  const folder = relative(sources, dirname(file)).split(sep).join('/');
  const marked = code.replace(
    /new URL\('(\.[^']*)', import\.meta\.url\)/g,
    (_, path) => `new URL('${mark}${posix.join(folder, path).replace(/\.ts$/, '.js')}', import.meta.url)`,
  );
  // Lines stay where they are.
  return { code: marked, map: null };
}

/** @param {string} code
 * @param {string} file */
function withAddresses(code, file) {
  const up = '../'.repeat(file.split('/').length - 1);
  return code.replace(new RegExp(`(new URL\\(["'\`])${mark}`, 'g'), `$1./${up}`);
}
