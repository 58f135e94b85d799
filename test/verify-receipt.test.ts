import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { Guest } from './support/sandbox.ts';
import { WeirProcess } from './support/weir-process.ts';

const root = join(import.meta.dirname, '..');

/** A receipt and the keys of a gateway that is gone since, in files. */
async function keptReceipt(t: TestContext): Promise<{ readonly folder: string; readonly receipt: object }> {
  // Inside of the project, so that a script there finds its packages.
  const folder = mkdtempSync(join(root, 'node_modules', '.weir-receipt-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const weir = await startTestGateway();
  const guest = await Guest.begin(weir.url);
  const answer = await guest.ask();
  const path = `/v1/receipts/${answer.headers['x-weir-receipt']}`;
  const { json: receipt } = await call(weir.url, { path });
  const { text: keys } = await call(weir.url, { path: '/.well-known/jwks.json' });
  const online = await weirSays(t, ['verify-receipt', weir.url + path]);
  assert.equal(online.code, 0, online.stderr);
  const page = await call(weir.url, { path, headers: ['accept', 'text/html,application/xhtml+xml'] });
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/);
  assert.ok(page.text.includes(String(receipt.signature)));
  await weir.close();
  writeFileSync(join(folder, 'receipt.json'), JSON.stringify(receipt));
  writeFileSync(join(folder, 'list.json'), JSON.stringify({ receipts: [receipt, receipt] }));
  writeFileSync(join(folder, 'jwks.json'), keys);
  return { folder, receipt };
}

async function weirSays(t: TestContext, args: readonly string[], folder?: string) {
  const weir = new WeirProcess(t, folder === undefined ? { args } : { args, folder });
  const { code } = await weir.exited;
  return { code, stdout: weir.stdout, stderr: weir.stderr };
}

test('a receipt is checked offline, by the command line and by what the docs say', async (t) => {
  const { folder, receipt } = await keptReceipt(t);
  const keys = ['--keys', 'jwks.json'];
  for (const file of ['receipt.json', 'list.json']) {
    const { code, stdout } = await weirSays(t, ['verify-receipt', file, ...keys], folder);
    assert.equal(code, 0);
    assert.match(stdout, /^rcpt_\w+: valid$/m);
  }
  const scripts = [
    ...readFileSync(join(root, 'docs', 'guides', 'receipts.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g),
  ];
  assert.equal(scripts.length, 2);
  const runs = scripts.map(([, script = ''], at) => {
    const file = join(folder, `check-${at}.mjs`);
    writeFileSync(file, script);
    return () => promisify(execFile)(process.execPath, [file], { cwd: folder });
  });
  for (const run of runs) assert.match((await run()).stdout, /is valid/);

  writeFileSync(join(folder, 'receipt.json'), JSON.stringify({ ...receipt, cost_usd: '100' }));
  for (const run of runs) await assert.rejects(run(), /it was changed/);
  const forged = await weirSays(t, ['verify-receipt', 'receipt.json', ...keys], folder);
  assert.equal(forged.code, 1);
  assert.match(forged.stderr, /NOT valid: fields were modified: cost_usd/);
});

test('what can not be checked is said in one line', async (t) => {
  for (const [args, words] of [
    [[], /weir verify-receipt <file or URL>/],
    [['nothing.json', '--keys', 'none.json'], /nothing\.json/],
    [['http://127.0.0.1:1/v1/receipts/x'], /weir: /],
  ] as const) {
    const { code, stderr } = await weirSays(t, ['verify-receipt', ...args]);
    assert.equal(code, 1);
    assert.match(stderr, words);
    assert.doesNotMatch(stderr, /\n\s+at /);
  }
});
