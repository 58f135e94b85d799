import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { requestJson } from './support/http-client.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

const root = join(import.meta.dirname, '..');
const demo = { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

// All of it, as npm packs and installs it: npm run test:package.
test('the package runs below node_modules, where Node.js takes JavaScript only', async (t) => {
  const bin = join(packageIn(t), 'bin', 'weir.js');
  const weir = new WeirProcess(t, { bin, environment: { WEIR_WORKERS: '2' } });
  const url = await weir.listening;
  assert.equal((await requestJson(`${url}/v1/messages`, { body: demo })).status, 200);
  const counted = await requestJson(`${url}/v1/messages/count_tokens`, { body: demo });
  assert.match(counted.text, /^{"input_tokens":\d+/);
  for (const path of ['/', '/docs/']) {
    const page = await fetch(url + path, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<!doctype html>/i);
  }
});

test('every entry and program of the package is built, and installing it runs no script', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
  const { '.': main, './testing': testing, './module': module } = packageJson.exports;
  for (const entry of [main.types, testing.types, module])
    assert.ok(files.includes(entry.replace('./dist/', 'src/').replace(/(\.d\.ts|\.js)$/, '.ts')), entry);
  for (const entry of [main, testing]) assert.ok(packageJson.files.includes(entry.default.slice(2)));
  for (const name of ['preinstall', 'install', 'postinstall'])
    assert.ok(!(name in packageJson.scripts), name);
});

test('the entries for programs and tests have what their types say, and name an old Node.js in one line', (t) => {
  const folder = packageIn(t);
  const entries = ['weir-gateway', 'weir-gateway/testing'];
  const printed = (program: string) => {
    const file = join(folder, '..', '..', 'program.mjs');
    writeFileSync(file, program);
    return execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim().split('\n');
  };
  const print = 'console.log(Object.keys(await import(name)).sort().join(" "))';
  assert.deepEqual(printed(`for (const name of ${JSON.stringify(entries)}) ${print};`), [
    'SettingsError createGateway',
    'FakeUpstream runModule startTestGateway',
  ]);
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.19.0' });`;
  const complaints = printed(
    `${old} for (const name of ${JSON.stringify(entries)}) await import(name).catch(({ message }) => console.log(message));`,
  );
  assert.equal(complaints.length, 2);
  for (const [at, name] of entries.entries())
    assert.match(
      String(complaints[at]),
      new RegExp(`^${name} needs Node\\.js 24 or newer and this is 20\\.19\\.0: `),
    );
});

test('a clone runs what was built of it, until a source is changed, added or taken out, or packages are', async (t) => {
  const clone = emptyFolder(t);
  for (const folder of ['bin', 'dist', 'node_modules', 'src/kernel'])
    mkdirSync(join(clone, folder), { recursive: true });
  writeFileSync(join(clone, 'package.json'), '{"type": "module"}');
  cpSync(join(root, 'bin', 'program.js'), join(clone, 'bin', 'program.js'));
  const file = (name: string) => join(clone, name);
  const [built, sources] = [file('dist/main.js'), file('src/main.ts')];
  const [module, packages] = [file('src/kernel/module.ts'), file('node_modules/.package-lock.json')];
  for (const name of [built, sources, module, packages]) writeFileSync(name, '');
  const { programFile } = await import(pathToFileURL(file('bin/program.js')).href);
  const [before, then] = [new Date(1_000_000), new Date(2_000_000)];
  const build = () => {
    const all = readdirSync(file('src'), { recursive: true, encoding: 'utf8' }).map((name) =>
      file(`src/${name}`),
    );
    for (const name of [...all, file('src'), packages]) utimesSync(name, before, before);
    utimesSync(built, then, then);
    assert.equal(programFile(), built);
  };
  for (const change of [
    () => writeFileSync(module, 'changed'),
    () => writeFileSync(file('src/kernel/added.ts'), ''),
    () => rmSync(file('src/kernel/added.ts')),
    () => writeFileSync(packages, 'changed'),
    () => rmSync(built),
  ]) {
    build();
    change();
    assert.equal(programFile(), sources);
  }
  writeFileSync(built, '');
  rmSync(file('src'), { recursive: true });
  assert.equal(programFile(), built, 'as in the package');
});

/** Built and laid out as npm would install it, with links to what isn't built by the same step. */
function packageIn(t: TestContext): string {
  const folder = join(emptyFolder(t), 'node_modules', packageJson.name);
  mkdirSync(folder, { recursive: true });
  const build = join(root, 'scripts', 'build-package.ts');
  execFileSync(process.execPath, [build, '--no-types', '--into', join(folder, 'dist')]);
  for (const file of packageJson.files.filter((path) => path.startsWith('bin/')))
    cpSync(join(root, file), join(folder, file));
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const name of ['models', 'web', 'site', 'node_modules'])
    symlinkSync(join(root, name), join(folder, name), 'dir');
  return folder;
}
