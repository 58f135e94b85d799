import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import type { ReceiptRow } from '../receipt.ts';
import { signedReceipt } from '../testing.ts';
import { receiptPageCsp, renderReceiptPage } from './receipt-page.ts';

const entities: Readonly<Record<string, string>> = { 38: '&', 60: '<', 62: '>', 34: '"', 39: "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => entities[code] ?? '');
}

/** What the page's own script comes to say, in a context that has what browsers have and the elements of the page. */
async function verdictOf(page: string, keys: readonly object[]): Promise<readonly [string, string]> {
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
  const verdict = { textContent: '', className: '' };
  const [, jws = ''] = /<pre id="jws">([^<]*)<\/pre>/.exec(page) ?? [];
  const cells = [...page.matchAll(/<td data-field="([^"]*)">([^<]*)<\/td>/g)].map(([, name, text = '']) => ({
    textContent: unescaped(text),
    getAttribute: () => name,
  }));
  const document = {
    getElementById: (id: string) => (id === 'jws' ? { textContent: jws } : verdict),
    querySelectorAll: () => cells,
  };
  const fetch = async (address: string) => {
    assert.equal(
      new URL(address, 'https://weir.example/v1/receipts/rcpt_1').pathname,
      '/.well-known/jwks.json',
    );
    return { json: async () => ({ keys }) };
  };
  await runInNewContext(script, {
    document,
    fetch,
    crypto,
    atob,
    TextDecoder,
    TextEncoder,
    Uint8Array,
    JSON,
  });
  return [verdict.className, verdict.textContent];
}

test('the page checks its own signature', async () => {
  const { row, key } = await signedReceipt();
  const [how, words] = await verdictOf(renderReceiptPage(row), [key.publicJwk]);
  assert.equal(how, 'good', words);
});

test('it says so where anything that it shows was not signed', async () => {
  const { row, key } = await signedReceipt();
  const { row: other } = await signedReceipt({ model: 'another' }, 2);
  const forgeries: readonly ReceiptRow[] = [
    { ...row, model: 'another' },
    { ...row, input_tokens: 4 },
    { ...row, modules: [] },
    { ...row, signature: other.signature },
    { ...other, key_id: row.key_id },
  ];
  for (const forged of forgeries)
    assert.equal((await verdictOf(renderReceiptPage(forged), [key.publicJwk]))[0], 'bad');
  assert.equal((await verdictOf(renderReceiptPage(row), []))[0], 'bad');
});

test('it says so where it can not be checked', async () => {
  const { row } = await signedReceipt();
  const [how, words] = await verdictOf(renderReceiptPage({ ...row, signature: 'x' }), []);
  assert.equal(how, 'open');
  assert.match(words, /could not check/);
});

test('what a receipt says is text and nothing else', async () => {
  const hostile = `<script>alert("1")</script><img src=x onerror='alert(2)'>&amp;`;
  const { row, key } = await signedReceipt({ model: hostile, modules: [hostile] });
  const page = renderReceiptPage(row);
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.ok(!page.includes('<img'));
  assert.equal((await verdictOf(page, [key.publicJwk]))[0], 'good');
});

test('nothing may run or look like anything but what the page came with', async () => {
  const { row } = await signedReceipt();
  const page = renderReceiptPage(row);
  for (const element of ['script', 'style']) {
    const [, text = ''] = new RegExp(`<${element}>([^\\0]*)</${element}>`).exec(page) ?? [];
    assert.ok(receiptPageCsp.includes(`${element}-src 'sha256-${hash('sha256', text, 'base64')}'`));
  }
  assert.match(receiptPageCsp, /^default-src 'none'; /);
  assert.doesNotMatch(receiptPageCsp, /unsafe/);
  assert.doesNotMatch(page, / (on\w+|style)=/);
});
