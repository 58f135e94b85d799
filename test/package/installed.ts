// npm run test:package: the package as people get it, packed and installed by npm into empty folders, on the Node.js of the
// machine and on the one that it brings.
import assert from 'node:assert/strict';
import { type ExecFileOptions, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import testPackageJson from '../package.json' with { type: 'json' };
import { blocksIn, root } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { requestJson } from '../support/http-client.ts';
import { WeirProcess } from '../support/weir-process.ts';
import { assertPackage, type Packed } from './package-files.ts';

const run = promisify(execFile);
const place = mkdtempSync(join(tmpdir(), 'weir-package-'));
after(() => rmSync(place, { recursive: true, force: true }));
/** As on a machine of somebody who has never seen this project: its own programs are not to be found. */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
const project = join(place, 'project');
const { dependencies: testPackages } = testPackageJson;

test('npm packs it, and the list of files and the size are what they should be', async () => {
  const { stdout } = await npm(root, ['pack', '--json', '--pack-destination', place]);
  const [packed]: Packed[] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  assert.ok(packed !== undefined);
  assertPackage(packed);
  console.log(`${packed.files.length} files, ${mb(packed.size)} packed, ${mb(packed.unpackedSize)} unpacked`);
});

test('npm installs it into an empty folder, with an SDK and an example module', async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}\n');
  for (const example of ['module-stamp', 'module-tally'])
    await npm(place, ['pack', '--silent', join(root, 'examples', example)]);
  const typed = `@types/node@${testPackages['@types/node']}`;
  const sdk = `@anthropic-ai/sdk@${testPackages['@anthropic-ai/sdk']}`;
  await npm(project, [...install, tarball(), sdk, typed, ...examples()]);
});

test('it brings the schema of the configuration file that the command prints', async () => {
  const folder = join(project, 'node_modules', 'weir-gateway');
  const { stdout } = await run('npx', ['--no-install', 'weir', 'config', 'schema'], {
    cwd: project,
    env: { PATH: systemPath, HOME: place },
  });
  assert.equal(readFileSync(join(folder, 'dist', 'weir.schema.json'), 'utf8'), stdout);
});

test('npx starts it, and the first minute of the README works', async (t) => {
  const weir = new WeirProcess(t, {
    command: ['npx', '--no-install', 'weir-gateway'],
    folder: project,
    environment: { PATH: systemPath, HOME: place },
  });
  const url = await weir.listening;
  const readme = readFileSync(join(project, 'node_modules', 'weir-gateway', 'README.md'), 'utf8');
  const [, curl = ''] = /```sh\n(curl .*?)```/s.exec(readme) ?? [];
  const { stdout } = await run('sh', ['-c', curl.replaceAll('http://127.0.0.1:3099', url)]);
  assert.match(stdout, /"type":"message"/);
  for (const path of ['/', '/docs/']) {
    const page = await fetch(url + path, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<!doctype html>/i);
  }
  weir.signal('SIGTERM');
  await weir.exited;
});

test('its models run, in a process of their own', async (t) => {
  const bin = join(project, 'node_modules', 'weir-gateway', 'bin', 'weir.js');
  const weir = new WeirProcess(t, { bin, environment: { WEIR_PIPELINE: 'semantic-cache' } });
  const url = await weir.listening;
  const cached = async (content: string) => {
    const body = { model: 'demo-1', max_tokens: 100, temperature: 0, messages: [{ role: 'user', content }] };
    await requestJson(`${url}/v1/messages`, { body });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return /^weir_embedder_up 1$/m.test(metrics);
  };
  await eventually(async () => (await cached('Translate "good morning" into French')) || undefined);
});

test('modules of packages are loaded, and find the entry that is for them', async (t) => {
  const weir = new WeirProcess(t, {
    bin: join(project, 'node_modules', 'weir-gateway', 'bin', 'weir.js'),
    folder: project,
    environment: { WEIR_MODULES: 'weir-module-stamp,weir-module-tally', WEIR_PIPELINE: 'stamp,tally' },
  });
  const body = { model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
  const { json } = await requestJson(`${await weir.listening}/v1/messages`, { body });
  assert.match(JSON.stringify(json), /Sent through Weir/);
});

test('a program uses its entries, and the compiler knows their types', async () => {
  writeFileSync(join(project, 'program.ts'), program);
  const examples = blocksIn('docs/guides/in-programs.md', 'ts').map((block, number) => [
    `example-${number}.ts`,
    block,
  ]);
  assert.ok(examples.length > 0);
  for (const [name = '', block] of examples)
    writeFileSync(
      join(project, name),
      `import Anthropic from '@anthropic-ai/sdk';\nexport { Anthropic };\n${block}`,
    );
  for (const settings of [{ module: 'nodenext' }, { module: 'esnext', moduleResolution: 'bundler' }]) {
    const compilerOptions = { strict: true, target: 'esnext', types: ['node'], noEmit: true, ...settings };
    const config = { compilerOptions, include: ['program.ts', 'example-*.ts'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
    const checked = await run('tsc', ['-p', project]).catch((failure) => failure);
    assert.equal(checked.stdout, '');
  }
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project });
  assert.equal(stdout, 'You wrote: Hello HI\n');
});

test('a program in JavaScript uses it, and keeps its own signals', async () => {
  writeFileSync(join(project, 'program.js'), plainProgram);
  const { stdout, stderr } = await run(process.execPath, ['program.js'], { cwd: project });
  assert.deepEqual([stdout, stderr], ['200, then SIGTERM\n', '']);
});

test('installed globally it is the command weir, also where the Node.js of the machine is older', async () => {
  const everywhere = join(place, 'global');
  await npm(place, [...install, '--global', '--prefix', everywhere, tarball()]);
  const { stdout } = await run(join(everywhere, 'bin', 'weir'), ['--version'], { env: { PATH: systemPath } });
  assert.equal(stdout, `${packageJson.version}\n`);
});

test('npx brings it into an empty folder, also where the Node.js of the machine is older', async () => {
  const empty = mkdtempSync(join(place, 'empty-'));
  const { stdout } = await run(
    'npx',
    ['--yes', '--prefer-offline', '--package', tarball(), 'weir-gateway', '--version'],
    {
      cwd: empty,
      env: { ...process.env, PATH: systemPath },
    },
  );
  assert.equal(stdout, `${packageJson.version}\n`);
  assert.deepEqual(readdirSync(empty), []);
});

const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];

const program = `
import Anthropic from '@anthropic-ai/sdk';
import { createGateway, type GatewayOptions } from 'weir-gateway';
import { defineModule, type Module } from 'weir-gateway/module';
import { FakeUpstream, runModule, startTestGateway } from 'weir-gateway/testing';

const shout: Module<object> = defineModule({
  api: 1,
  name: 'shout',
  summary: 'Puts answers in capitals.',
  status: 'preview',
  protective: false,
  ifBroken: 'skip',
  touches: ['reply'],
  options: { '~standard': { version: 1, vendor: 'here', validate: () => ({ value: {} }) } },
  async handle(exchange, next) {
    const reply = await next(exchange);
    return reply.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta'
        ? { ...event, delta: { type: 'text_delta', text: event.delta.text.toUpperCase() } }
        : event,
    );
  },
});
const said: string[] = [];
const options: GatewayOptions = { modules: [shout], log: (line: string) => void said.push(line) };
await using gateway = createGateway(options);
const client = new Anthropic({ baseURL: await gateway.start(), apiKey: 'any' });
const answer = await client.messages.create({
  model: 'demo-1',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
});
const [block] = answer.content;
const tried = await runModule(shout)({ model: 'demo-1', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] });
const capitals = JSON.stringify(tried.answer?.content).includes('HI') ? 'HI' : '';
const fake: FakeUpstream = await FakeUpstream.start();
const whole = await startTestGateway({ WEIR_OPENAI_BASE_URL: fake.url });
await whole.close();
await fake.close();
console.log(block?.type === 'text' ? block.text.slice(block.text.lastIndexOf('You wrote')) : '', capitals);
`;

const plainProgram = `
import { createGateway } from 'weir-gateway';
const gateway = createGateway();
const address = await gateway.start();
const { status } = await fetch(address + '/ready');
process.once('SIGTERM', async (signal) => {
  await gateway.stop();
  console.log(status + ', then ' + signal);
});
process.kill(process.pid, 'SIGTERM');
`;

function tarball(): string {
  return join(place, `${packageJson.name}-${packageJson.version}.tgz`);
}

function examples(): readonly string[] {
  return ['stamp', 'tally'].map((name) => join(place, `weir-module-${name}-1.0.0.tgz`));
}

/** As it runs for anybody. */
function npm(cwd: string, args: readonly string[]) {
  const environment: ExecFileOptions = { cwd, env: { ...process.env, npm_config_loglevel: 'error' } };
  return run('npm', [...args], { ...environment, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
}

function mb(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
