import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { SigningKey } from './signing-key.ts';
import { sampleReceiptDetails, signedReceipt } from './testing.ts';

/** The key of RFC 8037, appendix A. */
const secret = Buffer.from('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', 'base64url');
const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const thumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

test('a secret is an Ed25519 key, and its id is the thumbprint of its public half', async () => {
  const { id, publicJwk } = await SigningKey.from(secret);
  assert.equal(id, thumbprint);
  assert.deepEqual(publicJwk, { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprint, alg: 'EdDSA', use: 'sig' });
});

test('a signature is a compact JWS that names its algorithm and key, over the bytes of the payload', async () => {
  const payload = '{"receipt_id": "ü"}';
  const jws = await (await SigningKey.from(secret)).sign(payload);
  assert.match(jws, /^[\w-]+\.[\w-]+\.[\w-]{86}$/);
  const [head = '', body = '', signature = ''] = jws.split('.');
  assert.equal(Buffer.from(head, 'base64url').toString(), `{"alg":"EdDSA","kid":"${thumbprint}"}`);
  assert.equal(Buffer.from(body, 'base64url').toString(), payload);
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const isSigned = (text: string) =>
    verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  assert.equal(isSigned(`${head}.${body}`), true);
  assert.equal(isSigned(`${head}.${body}x`), false);
});

test('the signed text has all fields of a receipt, in the same order each time', async () => {
  const { row, key } = await signedReceipt();
  const { signature, ...fields } = row;
  const [, body = ''] = signature.split('.');
  const expected = {
    receipt_id: `rcpt_${'0'.repeat(32)}`,
    session_ref: 'ref',
    visibility: 'public_demo',
    created_at: '2025-11-13T02:13:20.123Z',
    model: 'demo-1',
    provider: 'demo',
    status: 'complete',
    input_tokens: 3,
    output_tokens: null,
    cost_usd: '0.0001',
    request_sha256: 'a'.repeat(64),
    response_sha256: 'b'.repeat(64),
    modules: ['cost-guard', 'other'],
    key_id: key.id,
  };
  assert.equal(Buffer.from(body, 'base64url').toString(), JSON.stringify(expected));
  assert.deepEqual(fields, expected);
  assert.equal((await signedReceipt(sampleReceiptDetails())).row.signature, signature);
});
