import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { parseArguments } from '../src/cli/command.ts';
import { commands } from '../src/cli/commands.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { builtInProviders } from '../src/providers/index.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { callFile } from './support/batch-calls.ts';
import { converse } from './support/bedrock-dialects.ts';
import { type BillingGateway, deliverAll, startBilling } from './support/billing-gateway.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person } from './support/cloud.ts';
import { blocksIn, commandsIn, documents, root } from './support/documents.ts';
import { endpointAnswer } from './support/endpoint-answers.ts';
import { addMember, createOrganization } from './support/organizations.ts';
import { dialectAt } from './support/provider-dialects.ts';
import { ProviderFiles } from './support/provider-files.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

const run = promisify(execFile);

test('every command in the documentation exists, with its arguments, flags and settings', () => {
  const wrong = documents.flatMap((file) =>
    commandsIn(file)
      .filter((line) => !line.split(/ && | \| |; /).every(isCommand))
      .map((line) => `${file}: ${line}`),
  );
  assert.deepEqual(wrong, []);
});

function isCommand(command: string): boolean {
  const variables = [...command.matchAll(/\b(WEIR_[A-Z_]+)=/g)].map(([, name = '']) => name);
  const ours = /^WEIR_(TOKEN|URL|TALLY_WORD)$/;
  if (variables.some((name) => !ours.test(name) && isUnknown(name))) return false;
  const words = wordsOf(command);
  if (words[0] === 'npm') return isScript(words.slice(1));
  // On npm `weir` is another package.
  if (words[0] === 'npx' && words[1] === 'weir') return false;
  const told = weirWords(command);
  return told === undefined || isWeir(told);
}

/** Without its variables, and where its output goes. */
function wordsOf(command: string): readonly string[] {
  return command
    .replace(/ >.*$/, '')
    .trim()
    .replace(/^(export )?(\w+=\S* *)*/, '')
    .split(/\s+/);
}

/** What `weir` is told; undefined for other programs. */
function weirWords(command: string): readonly string[] | undefined {
  const words = wordsOf(command);
  const [program = '', ...told] = words[0] === 'npx' ? words.slice(1) : words;
  return /^weir(-gateway)?$/.test(program) ? told : undefined;
}

function isWeir(words: readonly string[]): boolean {
  if (words.length === 0 || words[0] === '--help' || words[0] === '--version') return true;
  return commands.some((command) => {
    const name = command.name.split(' ');
    const isMeant = name.every((word, at) => words[at] === word);
    return isMeant && parseArguments(command, words.slice(name.length)) !== undefined;
  });
}

function isScript([verb = '', name = '']: readonly string[]): boolean {
  if (verb !== 'run') return ['ci', 'install', 'i', 'pack', 'start', 'test'].includes(verb);
  const script = new Map(Object.entries(packageJson.scripts)).get(name);
  const programs = script?.match(/\b[\w/.-]+\.(ts|js)\b/g) ?? [];
  return script !== undefined && programs.every((file) => existsSync(join(root, file)));
}

function isUnknown(name: string): boolean {
  try {
    return readSettings({ [name]: '1' }).unknownVariables.includes(name);
  } catch {
    return false;
  }
}

/** Responses that are no success, to calls with made-up ids. */
const refusals = [
  [/\/v1\/agent\/messages/, /^402 .*payment-required/s],
  [/\/v1\/archive\/\w+/, /^404 .*no archived item/s],
  [/\/v1\/recordings\/req_\w+/, /^404 .*no such recording/s],
  [/\/held-tools\/\w+\/\w+/, /^404 .*no such changed definition/s],
  [/\/v1\/requests\/req_\w+/, /^404 .*no such call in the request log/s],
] as const;

function expectedResponse(example: string): RegExp {
  return refusals.find(([form]) => form.test(example))?.[1] ?? /^2/;
}

test('every call in the documentation is answered as it stands there', async (t) => {
  const { local, cloud } = await startGateways(t);
  const variables = await readerOf(cloud.url);
  const folder = readerFolder(t);
  const calls = documents.flatMap((file) =>
    commandsIn(file)
      .filter((line) => line.startsWith('curl '))
      .map((line) => ({ file, line, url: needsAccount(file, line) ? cloud.url : local })),
  );
  assert.ok(calls.length > 80);
  const inOrder = calls.toSorted((one, other) => Number(isLast(one.line)) - Number(isLast(other.line)));
  const told = 'curl() { command curl -sS --max-time 30 -w "%{stderr}%{http_code} " "$@"; }';
  const wrong: string[] = [];
  const tryAll = async (url: string) => {
    for (const { file, line } of inOrder.filter((one) => one.url === url)) {
      const { stdout, stderr } = await run('sh', ['-c', `${told}\n${fillIn(line, url)}`], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...variables },
      }).catch((failure) => failure);
      if (line.includes('/billing/checkout')) await pay(cloud, JSON.parse(stdout));
      const answered = `${stderr}${stdout}`;
      if (!expectedResponse(line).test(answered)) wrong.push(`${file}: ${line}\n${answered.slice(0, 300)}`);
    }
  };
  await Promise.all([tryAll(local), tryAll(cloud.url)]);
  assert.deepEqual(wrong, []);
});

test('every call in TypeScript in the documentation runs, and is answered as it stands there', async (t) => {
  const { local, cloud } = await startGateways(t);
  Object.assign(process.env, await readerOf(cloud.url));
  t.mock.method(console, 'log', () => undefined);
  const wrong: string[] = [];
  const { fetch } = globalThis;
  let example = '';
  t.mock.method(globalThis, 'fetch', async (...sent: Parameters<typeof fetch>) => {
    const response = await fetch(...sent);
    const text = await response.clone().text();
    if (response.url.endsWith('/billing/checkout')) await pay(cloud, JSON.parse(text));
    const answered = `${response.status} ${text}`;
    if (!expectedResponse(response.url).test(answered)) wrong.push(`${example}\n${answered.slice(0, 300)}`);
    return response;
  });
  const folder = readerFolder(t);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const examples = documents.flatMap((file) =>
    blocksIn(file, 'ts')
      .filter((block) => block.includes('127.0.0.1:3099') && block.includes('await '))
      .map((block) => ({ file, block })),
  );
  assert.ok(examples.length > 60);
  const inOrder = examples.toSorted((one, other) => Number(isLast(one.block)) - Number(isLast(other.block)));
  for (const [number, { file, block }] of inOrder.entries()) {
    example = `${file}: ${block}`;
    const program = join(folder, `example-${number}.mts`);
    const inFolder = block.replaceAll(/'(river\.pdf|calls\.jsonl)'/g, (_, name: string) =>
      JSON.stringify(join(folder, name)),
    );
    writeFileSync(program, fillIn(inFolder, needsAccount(file, block) ? cloud.url : local));
    await import(pathToFileURL(program).href).catch((failure) => wrong.push(`${example}\n${failure}`));
  }
  assert.deepEqual(wrong, []);
});

/** A gateway for one's own machine, whose providers are all played by one server, and one with accounts. */
async function startGateways(t: TestContext): Promise<{ local: string; cloud: BillingGateway }> {
  const files = new ProviderFiles();
  const provider = await FakeUpstream.start((request) => {
    const { url } = request;
    if (/\/files\b/.test(url)) return files.answer(request);
    if (/fine_tuning|skills/.test(url)) return { body: { data: [], has_more: false } };
    return {
      body: endpointAnswer(url) ?? (url.endsWith('/converse') ? converse : dialectAt(url)).whole('Hello'),
    };
  });
  cleanUp(t, () => provider.close());
  const settings = builtInProviders
    .filter(({ answerLocally }) => answerLocally === undefined)
    .flatMap(({ name, keyless, keyForm, keyPrefixes: [prefix = ''] }) => [
      [`WEIR_${name.toUpperCase()}_BASE_URL`, provider.url],
      ...(keyless || keyForm !== undefined ? [] : [[`${name.toUpperCase()}_API_KEY`, `${prefix}AbCd`]]),
    ]);
  const local = await startTestGateway(
    {
      ...Object.fromEntries(settings),
      WEIR_LMSTUDIO_BASE_URL: provider.url,
      WEIR_PASS_THROUGH: 'openai/v1/fine_tuning/*,anthropic/v1/skills*',
    },
    { reload: async () => ({ version: '5f2c9a0b1d34', changed: [] }) },
  );
  cleanUp(t, () => local.close());
  const chat = ['x-weir-conversation', 'my-chat-1', 'x-weir-pipeline', 'patterns'];
  const body = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
  assert.equal((await call(local.url, { path: '/v1/messages', headers: chat, body })).status, 200);
  return { local: local.url, cloud: await startBilling(t) };
}

/** A folder with the files that examples send. */
function readerFolder(t: TestContext): string {
  const folder = emptyFolder(t);
  writeFileSync(join(folder, 'river.pdf'), '%PDF-1.4');
  writeFileSync(join(folder, 'calls.jsonl'), callFile(['Hello'], { model: 'demo-1' }));
  return folder;
}

/** Whether an example needs a gateway with accounts; all others are for one's own machine. */
function needsAccount(file: string, example: string): boolean {
  const credential =
    /\b(TOKEN|OWNER_TOKEN|ORGANIZATION_TOKEN|SERVICE_TOKEN|SESSION|API_KEY|ANON_TOKEN|KEY_ID)\b|\/v1\/users\/|\/anon\//;
  return credential.test(example) || /\busage\.md$/.test(file);
}

/** The example with the address of a gateway, and with something in the place of what a reader fills in. */
function fillIn(example: string, url: string): string {
  return example.replaceAll(/\b(http:\/\/)?(localhost|127\.0\.0\.1):3099/g, url).replaceAll('…', 'AbCd');
}

/** A deleted account can make no more calls. */
function isLast(example: string): boolean {
  return /DELETE .*\/users\/me\b|\/users\/me',.*DELETE/s.test(example);
}

async function pay(cloud: BillingGateway, checkout: unknown): Promise<void> {
  cloud.stripe.billing.pay(String(at(checkout, 'sessionId')));
  await deliverAll(cloud);
}

/** What somebody who reads the pages has by then, by the names that are used there. */
async function readerOf(url: string): Promise<Readonly<Record<string, string>>> {
  const person = await Person.signUp(url);
  const { id, key } = await person.makeKey();
  const app = await person.makeKey();
  const { json } = await call(url, { path: '/v1/anon/sessions', body: {} });
  const owner = await Person.signUp(url);
  const organization = await createOrganization(owner, 'Example');
  const { organizationId, token } = organization;
  const organizationKey = await organization.call({ path: '/v1/keys', body: {} });
  const project = await organization.call({ path: '/v1/organization/projects', body: { name: 'Example' } });
  const services = '/v1/organization/service-accounts';
  const service = await organization.call({ path: services, body: { name: 'docs', role: 'admin' } });
  const serviceToken = await organization.call({ path: `${services}/${service.json.id}/tokens`, body: {} });
  return {
    WEIR: url,
    TOKEN: person.token,
    SESSION: person.token,
    OWNER_TOKEN: owner.token,
    ORGANIZATION: organizationId,
    ORGANIZATION_TOKEN: token,
    ORGANIZATION_KEY_ID: String(organizationKey.json.id),
    PROJECT: String(project.json.id),
    SERVICE_ACCOUNT: String(service.json.id),
    SERVICE_TOKEN: String(serviceToken.json.token),
    MEMBER: (await addMember(organization, 'member')).person.id,
    KEY: key,
    API_KEY: key,
    KEY_ID: id,
    APP_KEY_ID: app.id,
    ANON_TOKEN: String(json.anon_token),
    SESSION_ID: String(json.session_id),
  };
}

test('every command tells how it is used', async (t) => {
  for (const { name } of commands) {
    const { code, said } = await runCommand(t, [...name.split(' '), '--help']);
    assert.ok(code === 0 && said.includes(`weir ${name}`), name);
  }
});

test('examples in the documentation can be read: JSON, YAML, TypeScript, JavaScript and Python', async () => {
  for (const file of documents) {
    for (const block of blocksIn(file, 'json'))
      assert.doesNotThrow(() => JSON.parse(block), `${file}: ${block}`);
    for (const block of blocksIn(file, 'yaml'))
      assert.doesNotThrow(() => parse(block, { strict: true }), `${file}: ${block}`);
    for (const block of [...blocksIn(file, 'ts'), ...blocksIn(file, 'js')])
      assert.ok(isCode(block) || isCode(`({ ${block} })`), `${file}: ${block}`);
  }
  assert.deepEqual(await pythonFaults(documents.flatMap((file) => blocksIn(file, 'python'))), []);
});

/** What a Python finds wrong with programs; nothing on a machine without one. */
async function pythonFaults(programs: readonly string[]): Promise<readonly string[]> {
  const checker = `import ast, json, sys
for program in json.load(sys.stdin):
    try:
        ast.parse(program)
    except SyntaxError as fault:
        print(json.dumps(str(fault) + "\\n" + program))`;
  const python = run('python3', ['-c', checker]);
  python.child.stdin?.end(JSON.stringify(programs));
  const { stdout } = await python.catch((failure) => {
    if (failure.code === 'ENOENT') return { stdout: '' };
    throw failure;
  });
  return stdout.split('\n').filter((line: string) => line !== '');
}

function isCode(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}
