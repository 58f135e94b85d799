import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { runCommand } from '../../test/support/run-command.ts';
import { usageOf } from './command.ts';
import { commands } from './commands.ts';

test('every command has a page of help that fits a terminal, by --help and by help', async (t) => {
  const { said: all } = await runCommand(t, ['--help']);
  for (const command of commands) {
    assert.match(all, new RegExp(`^ {2}weir ${command.name} {2,}\\S`, 'm'));
    const words = command.name.split(' ');
    const { code, said } = await runCommand(t, [...words, '--help']);
    assert.equal(code, 0);
    assert.ok(said.startsWith(`${usageOf(command)}\n`), said);
    assert.deepEqual(await runCommand(t, ['help', ...words]), { code: 0, said, complained: '' });
    for (const flag of Object.keys(command.flags ?? {}))
      assert.match(said, new RegExp(`^ {2}--${flag} `, 'm'));
  }
  assert.ok(all.split('\n').every((line) => line.length <= 100));
  assert.equal((await runCommand(t, ['users', '--help'])).code, 0);
});

test('what a command does not take is answered with what it takes', async (t) => {
  for (const [args, usage] of [
    [['backup'], 'weir backup <file> [--force] [--check] [--key-file <file>]'],
    [['backup', 'one', 'two'], 'weir backup <file> [--force] [--check] [--key-file <file>]'],
    [['backup', 'one', '--quickly'], 'weir backup <file> [--force] [--check] [--key-file <file>]'],
    [['log-level', 'loud'], 'weir log-level [debug|info|warn|error|silent]'],
    [['completion'], 'weir completion bash|zsh|fish'],
    [['verify-receipt', 'one', '--keys'], 'weir verify-receipt <file or URL> [--keys <file or URL>]'],
  ] as const)
    assert.deepEqual(await runCommand(t, args), { code: 1, said: '', complained: `weir: ${usage}\n` });
});

test('bash completes commands, their parts, choices and flags', async (t) => {
  const { said } = await runCommand(t, ['completion', 'bash']);
  const completed = (...words: readonly string[]) => {
    const line = ['weir', ...words].map((word) => `'${word}'`).join(' ');
    const script = `${said}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _weir; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd: '/' }).trim().split(' ');
  };
  assert.deepEqual(completed('ba'), ['backup']);
  assert.deepEqual(completed('users', 'set'), ['set-tier']);
  assert.deepEqual(completed('users', 'set-tier', 'ada@example.com', 'p'), ['pro']);
  assert.deepEqual(completed('doctor', '--'), ['--json', '--offline', '--help']);
  assert.deepEqual(completed('backup', 'et'), ['etc']);
  assert.ok(completed('').includes('users'));
  for (const shell of ['zsh', 'fish']) {
    const script = (await runCommand(t, ['completion', shell])).said;
    for (const { name } of commands) assert.ok(script.includes(name.split(' ').at(-1) ?? ''), name);
  }
});
