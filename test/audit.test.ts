import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditMessages } from '../src/audit/events.ts';
import { createControlHandlers } from '../src/process/control-handlers.ts';
import { openControlSocket } from '../src/process/control-socket.ts';
import { loadSettings } from '../src/process/load-settings.ts';
import { createLog } from '../src/telemetry/log.ts';
import { openChains, readChain } from './support/audit-chains.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { Person, password, startCloud } from './support/cloud.ts';
import { textOf } from './support/documents.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

const secret = 'sk-ant-api03-a-key-that-no-line-may-have';

function auditLines(lines: readonly string[]) {
  return lines.map((line) => Object(JSON.parse(line))).filter(({ event }) => event !== undefined);
}

test('changes of accounts and keys, and failed logins, have a line with who, whom and where from', async (t) => {
  const { url, logLines } = await startCloud(t);
  const ada = await Person.signUp(url);
  const { key, id } = await ada.makeKey({ name: 'first' });
  const user = `user:${ada.id}`;
  const logIn = (given: string, email = ada.email) =>
    call(url, { path: '/v1/users/login', body: { email, password: given } });
  await logIn('a wrong password');
  await logIn('a wrong password', 'typed-a-secret-here');
  await logIn(password);
  await ada.call({ path: `/v1/keys/${id}`, method: 'PATCH', body: { name: 'second', pipelineConfig: null } });
  const byok = { path: '/v1/byok/anthropic', method: 'PUT', body: { key: secret } };
  await call(url, { ...byok, headers: ['authorization', `Bearer ${key}`] });
  const second = await ada.call({ path: `${byok.path}/keys`, body: { key: `${secret}-2` } });
  const providerKey = String(second.json.id);
  await ada.call({ path: `${byok.path}/keys/${providerKey}`, method: 'DELETE' });
  await ada.call({ path: byok.path, method: 'DELETE' });
  await ada.call({ path: `/v1/keys/${id}`, method: 'DELETE' });
  await ada.call({ path: '/v1/users/me/export' });
  await ada.call({ path: '/v1/users/me', method: 'DELETE', body: { password: 'a wrong password' } });
  await ada.call({ path: '/v1/users/me', method: 'DELETE', body: { password } });

  const lines = auditLines(logLines);
  assert.deepEqual(
    lines.map(({ level, time, msg, id: request, address, account, ...facts }) => {
      assert.match(`${level} ${request} ${address}`, /^info req_\w+ 127\.0\.0\.1$/);
      assert.equal(msg, auditMessages[facts.event as keyof typeof auditMessages]);
      assert.equal(account, facts.event === 'login.failed' ? undefined : ada.id);
      return facts;
    }),
    [
      { event: 'account.created', actor: user },
      { event: 'key.created', actor: user, key: id },
      { event: 'login.failed', reason: 'wrong_login', user: ada.id },
      { event: 'login.failed', reason: 'wrong_login' },
      { event: 'login.succeeded', actor: user },
      { event: 'key.changed', actor: user, key: id, changed: ['name'] },
      { event: 'provider_key.stored', actor: `key:${id}`, provider: 'anthropic' },
      { event: 'provider_key.stored', actor: user, provider: 'anthropic', providerKey },
      { event: 'provider_key.deleted', actor: user, provider: 'anthropic', providerKey },
      { event: 'provider_key.deleted', actor: user, provider: 'anthropic' },
      { event: 'key.revoked', actor: user, key: id },
      { event: 'account.exported', actor: user },
      { event: 'login.failed', reason: 'wrong_password', user: ada.id },
      { event: 'account.deleted', actor: user },
    ],
  );
  for (const text of [secret, key, ada.token, ada.email, password, 'typed-a-secret-here'])
    assert.ok(!logLines.join('').includes(text), text);
});

test('attempts over a limit have a few lines, and then their number', async (t) => {
  const gateway = await startCloud(t);
  for (let attempts = 0; attempts < 20; attempts++)
    await call(gateway.url, {
      path: '/v1/users/login',
      body: { email: 'ada@example.com', password: 'a wrong password' },
    });
  await gateway.close();
  const failures = auditLines(gateway.logLines);
  const limited = failures.filter(({ reason }) => reason === 'too_many_attempts');
  assert.deepEqual(
    limited.map(({ more }) => more),
    [undefined, undefined, undefined, undefined, undefined, 20 - failures.length + 1],
  );
});

test('what an operator does is in the log of the running gateway, in the log file, or on standard error', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
  const file = join(emptyFolder(t), 'weir.log');
  const alone = await runCommand(t, ['users', 'create', 'ada@example.com'], environment);
  await runCommand(t, ['users', 'set-tier', 'ada@example.com', 'pro'], {
    ...environment,
    WEIR_LOG_FILE: file,
  });
  const { gateway } = await startCloud(t, environment);
  const settings = await loadSettings(environment);
  const lines: string[] = [];
  // At a level without lines for calls.
  const log = createLog('error', { write: (line) => void lines.push(line) });
  const control = await openControlSocket(
    settings.dataDir,
    createControlHandlers({ settings, log, gateway }),
  );
  cleanUp(t, () => control?.close());
  const disabled = await runCommand(t, ['users', 'disable', 'ada@example.com'], environment);
  const account = /the account (\S+) for/.exec(alone.said)?.[1];
  const written = [alone.complained, readFileSync(file, 'utf8'), lines.join('')];
  assert.deepEqual(
    written.map((text) => auditLines([text]).map((line) => [line.event, line.account, line.tier])),
    [
      [['account.created', account, undefined]],
      [['tier.changed', account, 'pro']],
      [['account.disabled', account, undefined]],
    ],
  );
  for (const line of auditLines(written)) assert.match(line.actor, /^operator:./);
  assert.equal(disabled.complained, '');
});

test('what happens is in a chain of its account or of the instance, without personal values', async (t) => {
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: emptyFolder(t) };
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  const { id } = await ada.makeKey();
  const logIn = (email: string) =>
    call(url, {
      path: '/v1/users/login',
      body: { email, password: 'wrong' },
      headers: ['user-agent', 'a-browser/1.0'],
    });
  await logIn(ada.email);
  await logIn('nobody@example.com');
  await runCommand(t, ['users', 'set-tier', ada.email, 'pro'], environment);
  const audit = await openChains(t, environment);
  const [own, ofInstance] = [await readChain(audit, ada.id), await readChain(audit, 'instance')];
  const facts = (entries: typeof own) =>
    entries.map(({ fields: { event, actor, key, reason, account, tier } }) =>
      Object.values({ event, actor, key, reason, account, tier }).filter((value) => value !== undefined),
    );
  assert.deepEqual(facts(own), [
    ['account.created', `user:${ada.id}`],
    ['key.created', `user:${ada.id}`, id],
    ['login.failed', 'wrong_login'],
    ['tier.changed', 'operator', 'pro'],
  ]);
  assert.deepEqual(facts(ofInstance), [
    ['login.failed', 'wrong_login'],
    ['tier.changed', 'operator', ada.id, 'pro'],
  ]);
  const [, , failed] = own;
  assert.deepEqual(failed?.personal, { address: '127.0.0.1', client: 'a-browser/1.0' });
  for (const { text } of [...own, ...ofInstance])
    for (const personal of [ada.email, '127.0.0.1', 'a-browser', userInfo().username])
      assert.ok(!text.includes(`"${personal}`), text);
});

test('the table of events in the docs has all of them', () => {
  const documented = [...textOf('docs/guides/observability.md').matchAll(/^\| `(\w+\.\w+)` \|/gm)];
  assert.deepEqual(documented.map(([, event]) => event).toSorted(), Object.keys(auditMessages).toSorted());
});
