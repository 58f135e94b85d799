import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { runCommand } from './support/run-command.ts';
import { emptyFolder } from './support/weir-process.ts';

const secret = 'a secret of this test, which is long enough';

test('backups have a checksum, may be encrypted, and are tried in a drill', async (t) => {
  const folder = emptyFolder(t);
  const data = join(folder, 'data');
  const [plain, sealed, keyFile] = ['plain', 'sealed', 'key'].map((name) => join(folder, name));
  assert.ok(plain && sealed && keyFile);
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: data, WEIR_SECRET: secret };
  const weir = (...args: readonly string[]) => runCommand(t, args, environment);
  const fails = async (...args: readonly string[]) => {
    const { code, complained } = await weir(...args);
    assert.equal(code, 1);
    assert.match(complained, /^weir: .*\n$/);
    return complained;
  };
  const idOf = (said: string) => /created the account (\S+) /.exec(said)?.[1] ?? '';
  const ada = idOf((await weir('users', 'create', 'ada@example.com')).said);
  const grace = idOf((await weir('users', 'create', 'grace@example.com')).said);
  const files = () => readdirSync(data).toSorted();
  const before = files();

  assert.match((await weir('backup', plain)).said, /SHA-256 checksum is beside it/);
  assert.match(readFileSync(`${plain}.sha256`, 'utf8'), /^[0-9a-f]{64} {2}plain\n$/);
  assert.match(
    (await weir('backup', '--check', plain)).said,
    /plain is intact, made at .*schema version \d+\n$/,
  );
  // A page that SQLite does not use.
  const damaged = readFileSync(plain);
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  writeFileSync(plain, damaged);
  for (const command of [['backup', '--check'], ['restore'] as const])
    assert.match(await fails(...command, plain), /plain is damaged: it does not match the SHA-256 checksum/);

  writeFileSync(keyFile, 'too short');
  assert.match(await fails('backup', sealed, '--key-file', keyFile), /at least 16 characters/);
  writeFileSync(keyFile, 'a passphrase of some length\n');
  assert.match((await weir('backup', sealed, '--key-file', keyFile)).said, /to the encrypted file/);
  assert.equal(statSync(sealed).mode & 0o777, 0o600);
  assert.equal(readFileSync(sealed).includes('ada@example.com'), false);
  assert.match(await fails('restore', sealed), /is encrypted: set WEIR_BACKUP_PASSPHRASE or --key-file/);
  const other = { ...environment, WEIR_BACKUP_PASSPHRASE: 'another passphrase of some length' };
  const wrong = await runCommand(t, ['restore', sealed], other);
  assert.match(wrong.complained, /^weir: the passphrase does not open \S+\n$/);
  assert.deepEqual(files(), before, 'nothing was touched, and nothing plain is left');

  assert.equal((await weir('backup', plain, '--force')).code, 0);
  await weir('users', 'delete', grace, '--yes');
  const drill = await weir('restore', '--drill', sealed, '--key-file', keyFile);
  assert.equal(drill.code, 0, drill.said);
  for (const line of [
    /^ok +checksum +the SHA-256 checksum beside it matches$/m,
    /^ok +encryption +AES-256-GCM/m,
    /^ok +secret +it is the one of the backup$/m,
    /^ok +migration +from schema version (\d+) to \1 in /m,
    /^ok +rows +\d+ in \d+ tables; users 2, api_keys 0, /m,
    /^ok +credits +all balances/m,
    new RegExp(`^ok +deletions +a restore deletes 1 accounts again: ${grace}$`, 'm'),
    /sealed can be restored; it took \d+\.\d s, and nothing was changed\n$/,
  ])
    assert.match(drill.said, line);
  const elsewhere = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: join(folder, 'none'), WEIR_SECRET: `${secret}!` };
  rmSync(`${plain}.sha256`);
  const failed = await runCommand(t, ['restore', '--drill', plain], elsewhere);
  assert.equal(failed.code, 1);
  assert.match(failed.said, /^degraded +checksum +there is none beside it\n/m);
  assert.match(failed.said, /^failing +secret +it is not the one of the backup\n/m);
  assert.equal(existsSync(elsewhere.WEIR_DATA_DIR), false);

  const people = async () => (await weir('users', 'list')).said.match(/\S+@example\.com/g);
  const restored = await weir('restore', sealed, '--key-file', keyFile);
  assert.match(
    restored.said,
    new RegExp(`deleted again, since they were deleted after the backup: ${grace};`),
  );
  assert.deepEqual(await people(), ['ada@example.com']);
  const list = join(folder, 'deleted.jsonl');
  writeFileSync(list, (await weir('users', 'deleted', '--json')).said);
  assert.equal(Object(JSON.parse(readFileSync(list, 'utf8'))).id, grace);
  assert.equal((await weir('restore', plain, '--with-deleted')).code, 0);
  assert.deepEqual(await people(), ['ada@example.com', 'grace@example.com']);
  assert.match((await weir('users', 'delete-again', list)).said, /1 of 1 accounts were there/);
  assert.deepEqual(await people(), ['ada@example.com']);
  assert.ok(ada !== grace);
});

test('the file of the database shrinks, also one of an earlier version once its gateway is stopped', async (t) => {
  const data = emptyFolder(t);
  const environment = { WEIR_MODE: 'cloud', WEIR_DATA_DIR: data };
  const weir = (...args: readonly string[]) => runCommand(t, args, environment);
  await weir('users', 'create', 'ada@example.com');
  const file = join(data, 'weir.db');
  const fill = () => {
    const database = new DatabaseSync(file);
    database.exec(`pragma journal_mode = wal; create table filler (content blob); insert into filler
      with recursive rows(n) as (select 1 union all select n + 1 from rows where n < 3000)
      select randomblob(4000) from rows; drop table filler; pragma wal_checkpoint(truncate)`);
    return database;
  };
  const used = fill();
  assert.ok(statSync(file).size > 12e6);
  const { said } = await weir('shrink');
  assert.match(said, /weir\.db had 1\d\.\d MB and has [01]\.\d MB\n$/);
  // The schema alone is about 1 MB.
  assert.ok(statSync(file).size < 2e6);
  used.exec(
    'pragma locking_mode = exclusive; pragma journal_mode = delete; pragma auto_vacuum = none; vacuum',
  );
  used.close();
  const open = fill();
  open.prepare('select count(*) from users').get();
  assert.match((await weir('shrink')).complained, /open in another program: stop the gateway first/);
  open.close();
  assert.match((await weir('shrink')).said, /had 1\d\.\d MB and has [01]\.\d MB\n$/);
  assert.match((await weir('users', 'list')).said, /ada@example\.com/);
  fill().close();
  assert.match((await weir('shrink')).said, /had 1\d\.\d MB and has [01]\.\d MB\n$/);
});
