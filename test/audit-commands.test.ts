import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { call } from './support/call.ts';
import { Person, startCloud } from './support/cloud.ts';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

test('operators list, export and verify chains, and verification finds what was done to them', async (t) => {
  const folder = emptyFolder(t);
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: folder };
  const { url } = await startCloud(t, environment);
  const ada = await Person.signUp(url);
  const { id } = await ada.makeKey();
  await runCommand(t, ['users', 'set-tier', ada.email, 'pro'], environment);

  const listed = await runCommand(t, ['audit', 'list', '--account', ada.email, '--json'], environment);
  const entries = listed.said
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)));
  assert.deepEqual(
    entries.map(({ event }) => event),
    ['tier.changed', 'key.created', 'account.created'],
  );
  const table = await runCommand(t, ['audit', 'list', '--event', 'tier.changed'], environment);
  assert.match(table.said, new RegExp(`^number .*\\n1 .* tier.changed  operator  - +${ada.id}\\n$`));
  const created = await runCommand(
    t,
    ['audit', 'list', '--account', ada.id, '--event', 'key.created'],
    environment,
  );
  assert.match(created.said, new RegExp(`127\\.0\\.0\\.1 +${id}\\n$`));
  const wrong = await runCommand(t, ['audit', 'list', '--event', 'key.lost'], environment);
  assert.deepEqual([wrong.code, /no event "key.lost"/.test(wrong.complained)], [1, true]);

  const file = (name: string) => join(emptyFolder(t), name);
  const [jsonl, syslog, keys] = [file('audit.jsonl'), file('audit.log'), file('keys.json')];
  writeFileSync(keys, (await call(url, { path: '/.well-known/jwks.json' })).text);
  await runCommand(t, ['audit', 'export', jsonl, '--account', ada.email], environment);
  await runCommand(t, ['audit', 'export', syslog, '--account', ada.email, '--format', 'syslog'], environment);
  const verify = (...args: readonly string[]) => runCommand(t, ['audit', 'verify', ...args], environment);
  const first = await verify(jsonl, '--keys', keys);
  assert.deepEqual([first.code, first.said], [0, `${ada.id}: valid: 4 entries, 1 to 4\n`], first.complained);
  const both = await verify(syslog, '--earlier', jsonl, '--keys', keys);
  assert.deepEqual([both.code, both.complained], [0, '']);
  assert.match((await runCommand(t, ['audit', 'export'], environment)).said, /"audit":"head"/);

  const whole = await verify();
  assert.equal(whole.code, 0, whole.complained);
  assert.equal(whole.said.split('\n').length, 3);
  const cut = file('cut.jsonl');
  writeFileSync(cut, readFileSync(jsonl, 'utf8').split('\n').toSpliced(2, 1).join('\n'));
  const found = await verify(cut, '--keys', keys);
  assert.deepEqual([found.code, found.complained], [1, `${ada.id}: NOT valid: entry 2 is missing\n`]);
  const database = new DatabaseSync(join(folder, 'weir.db'));
  database.exec(`delete from audit_entries where number = 2 and chain = '${ada.id}'`);
  database.close();
  const tampered = await verify('--account', ada.email);
  assert.deepEqual([tampered.code, tampered.complained], [1, `${ada.id}: NOT valid: entry 2 is missing\n`]);
  assert.equal((await verify()).code, 1);
});
