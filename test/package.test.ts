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
  const { '.': main, './package.json': _, ...others } = packageJson.exports;
  for (const entry of [main.types, ...Object.values(others)])
    assert.ok(files.includes(entry.replace('./dist/', 'src/').replace(/(\.d\.ts|\.js)$/, '.ts')), entry);
  assert.ok(packageJson.files.includes(main.default.slice(2)));
  for (const name of ['preinstall', 'install', 'postinstall'])
    assert.ok(!(name in packageJson.scripts), name);
});

test('the entry for programs has what its types say, and runs', async (t) => {
  const folder = packageIn(t);
  const program = "import * as weir from 'weir-gateway'; console.log(Object.keys(weir).sort().join(' '));";
  writeFileSync(join(folder, '..', '..', 'program.mjs'), program);
  const printed = execFileSync(process.execPath, [join(folder, '..', '..', 'program.mjs')], {
    encoding: 'utf8',
  });
  assert.equal(printed.trim(), 'SettingsError createGateway');
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
