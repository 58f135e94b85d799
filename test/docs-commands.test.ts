import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { parseArguments } from '../src/cli/command.ts';
import { commands } from '../src/cli/commands.ts';
import { readSettings } from '../src/gateway/settings.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { deliverAll, startBilling } from './support/billing-house.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person } from './support/cloud.ts';
import { commanded } from './support/commanded.ts';
import { blocksIn, commandsIn, documents, root } from './support/documents.ts';
import { recordedCompletion, saysCompletion } from './support/recorded-completions.ts';
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
  const programs = script?.match(/\b[\w/-]+\.(ts|js)\b/g) ?? [];
  return script !== undefined && programs.every((file) => existsSync(join(root, file)));
}

function isUnknown(name: string): boolean {
  try {
    return readSettings({ [name]: '1' }).unknownVariables.includes(name);
  } catch {
    return false;
  }
}

/** Pages about accounts; all others are for one's own machine. */
const cloudPages = /docs\/(accounts|billing|receipts|sandbox|usage)\.md/;
/** What calls are answered that are no success, with names that were made up. */
const refusals = [
  [/\/v1\/agent\/messages/, /^402 .*payment-required/s],
  [/\/v1\/archive\/\w+/, /^404 .*no archived item/s],
  [/\/v1\/requests\/\w+/, /^404 .*no such call in the request log/s],
] as const;

test('every call in the documentation is answered as it stands there', async (t) => {
  const provider = await FakeUpstream.start(saysCompletion(recordedCompletion));
  cleanUp(t, () => provider.close());
  const local = await startTestGateway({
    WEIR_AZURE_BASE_URL: `${provider.url}/openai`,
    WEIR_EMBEDDINGS: 'off',
  });
  cleanUp(t, () => local.close());
  const cloud = await startBilling(t);
  const variables = await readerOf(cloud.url);
  const chat = ['x-weir-conversation', 'my-chat-1', 'x-weir-pipeline', 'patterns'];
  const body = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
  assert.equal((await call(local.url, { path: '/v1/messages', headers: chat, body })).status, 200);
  const folder = emptyFolder(t);
  const calls = documents.flatMap((file) =>
    commandsIn(file)
      .filter((line) => line.startsWith('curl '))
      .map((line) => ({ file, line, url: cloudPages.test(file) ? cloud.url : local.url })),
  );
  assert.ok(calls.length > 30);
  // Who has left can call no more.
  const inOrder = calls.toSorted((one, other) => Number(isLast(one.line)) - Number(isLast(other.line)));
  const told = 'curl() { command curl -sS --max-time 30 -w "%{stderr}%{http_code} " "$@"; }';
  const wrong: string[] = [];
  const tryAll = async (url: string) => {
    for (const { file, line } of inOrder.filter((one) => one.url === url)) {
      const here = line.replaceAll(/\b(http:\/\/)?(localhost|127\.0\.0\.1):3099/g, url).replace('…', 'AbCd');
      const { stdout, stderr } = await run('sh', ['-c', `${told}\n${here}`], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...variables },
      }).catch((failure) => failure);
      if (line.includes('/billing/checkout')) {
        cloud.stripe.billing.pay(String(at(JSON.parse(stdout), 'sessionId')));
        await deliverAll(cloud);
      }
      const expected = refusals.find(([form]) => form.test(line))?.[1] ?? /^2/;
      const answered = `${stderr}${stdout}`;
      if (!expected.test(answered)) wrong.push(`${file}: ${line}\n${answered.slice(0, 300)}`);
    }
  };
  await Promise.all([tryAll(local.url), tryAll(cloud.url)]);
  assert.deepEqual(wrong, []);
});

function isLast(line: string): boolean {
  return /DELETE .*\/users\/me/.test(line);
}

/** What somebody who reads the pages has by then, by the names that are used there. */
async function readerOf(url: string): Promise<Readonly<Record<string, string>>> {
  const person = await Person.signUp(url);
  const { id, key } = await person.makeKey();
  const { json } = await call(url, { path: '/v1/anon/sessions', body: {} });
  return {
    WEIR: url,
    TOKEN: person.token,
    SESSION: person.token,
    KEY: key,
    API_KEY: key,
    KEY_ID: id,
    ANON_TOKEN: String(json.anon_token),
    SESSION_ID: String(json.session_id),
  };
}

test('every command tells how it is used', async (t) => {
  for (const { name } of commands) {
    const { code, said } = await commanded(t, [...name.split(' '), '--help']);
    assert.ok(code === 0 && said.includes(`weir ${name}`), name);
  }
});

test('examples in the documentation can be read: JSON, YAML, TypeScript and JavaScript', () => {
  for (const file of documents) {
    for (const block of blocksIn(file, 'json'))
      assert.doesNotThrow(() => JSON.parse(block), `${file}: ${block}`);
    for (const block of blocksIn(file, 'yaml'))
      assert.doesNotThrow(() => parse(block, { strict: true }), `${file}: ${block}`);
    for (const block of [...blocksIn(file, 'ts'), ...blocksIn(file, 'js')])
      assert.ok(isCode(block) || isCode(`({ ${block} })`), `${file}: ${block}`);
  }
});

function isCode(text: string): boolean {
  try {
    stripTypeScriptTypes(text);
    return true;
  } catch {
    return false;
  }
}
