import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompactSign, exportJWK, generateKeyPair } from 'jose';
import { findStatementProblem } from '../lib/signed-statement.ts';
import { SigningKey } from './signing-key.ts';
import { signedReceipt } from './testing.ts';

test('a receipt holds with its key, also among others', async () => {
  const { row, key } = await signedReceipt();
  const other = await SigningKey.from(new Uint8Array(32).fill(2));
  assert.equal(await findStatementProblem(row, { keys: [other.publicJwk, key.publicJwk] }), undefined);
  assert.match(
    String(await findStatementProblem(row, { keys: [other.publicJwk] })),
    /key is not in the given key set/,
  );
});

test('the same secret makes the same key, and no other does', async () => {
  const keys = await Promise.all([1, 1, 2].map((number) => SigningKey.from(new Uint8Array(32).fill(number))));
  const [one, same, other] = keys.map(({ id }) => id);
  assert.equal(one, same);
  assert.notEqual(one, other);
  assert.equal('d' in (keys[0]?.publicJwk ?? {}), false);
});

test('no field can be changed, left out or added', async () => {
  const { row, key } = await signedReceipt();
  const keys = { keys: [key.publicJwk] };
  for (const [name, value] of Object.entries(row)) {
    const changed =
      typeof value === 'string' ? `${value}x` : typeof value === 'number' ? value + 1 : 'changed';
    assert.notEqual(await findStatementProblem({ ...row, [name]: changed }, keys), undefined, name);
    assert.notEqual(await findStatementProblem({ ...row, [name]: undefined }, keys), undefined, name);
  }
  assert.match(String(await findStatementProblem({ ...row, more: 1 }, keys)), /modified: more/);
  assert.match(String(await findStatementProblem({ ...row, cost_usd: '0' }, keys)), /modified: cost_usd/);
});

test('calls of tools are signed, and a receipt without any is as it was before there were tools', async () => {
  const toolCalls = [
    { tool: 'github__search', argumentsSha256: 'c'.repeat(64), resultSha256: 'd'.repeat(64) },
    { tool: 'github__search', argumentsSha256: 'e'.repeat(64), resultSha256: null },
  ];
  const { row, key } = await signedReceipt({ toolCalls });
  const keys = { keys: [key.publicJwk] };
  assert.equal(await findStatementProblem(row, keys), undefined);
  assert.equal(row.tool_calls?.length, 2);
  const fewer = { ...row, tool_calls: row.tool_calls?.slice(1) };
  assert.match(String(await findStatementProblem(fewer, keys)), /modified: tool_calls/);
  assert.equal('tool_calls' in (await signedReceipt()).row, false);
});

test('no other signature does, whatever it says of itself', async () => {
  const { row, key } = await signedReceipt();
  const { row: forged } = await signedReceipt({}, 2);
  const keys = { keys: [key.publicJwk] };
  const [head = '', payload = '', mark = ''] = row.signature.split('.');
  const [, , foreign = ''] = forged.signature.split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none', kid: key.id })).toString('base64url');
  for (const signature of [
    `${head}.${payload}.${foreign}`,
    `${head}.${payload}.`,
    `${none}.${payload}.`,
    `${none}.${payload}.${mark}`,
    `${head}.${payload}`,
    'x',
  ])
    assert.notEqual(await findStatementProblem({ ...row, signature }, keys), undefined, signature);
});

test('a signature of another algorithm is invalid, though its key is in the key set', async () => {
  const { signature, ...signed } = (await signedReceipt()).row;
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const fields = { ...signed, key_id: 'es' };
  const other = await new CompactSign(Buffer.from(JSON.stringify(fields)))
    .setProtectedHeader({ alg: 'ES256', kid: 'es' })
    .sign(privateKey);
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'es' }] };
  const problem = await findStatementProblem({ ...fields, signature: other }, keys);
  assert.equal(problem, 'the signature is invalid');
});

test('a payload that names another key than its signature is refused', async () => {
  const { row, key } = await signedReceipt();
  const { signature, ...signed } = row;
  const fields = { ...signed, key_id: 'another' };
  const receipt = { ...fields, signature: await key.sign(JSON.stringify(fields)) };
  const problem = await findStatementProblem(receipt, { keys: [key.publicJwk] });
  assert.equal(problem, 'the signed payload names another key');
});

test('a signed payload that is no JSON object is no receipt', async () => {
  const { row, key } = await signedReceipt();
  const problemOf = async (payload: string) =>
    findStatementProblem({ ...row, signature: await key.sign(payload) }, { keys: [key.publicJwk] });
  for (const payload of ['null', '[]', '1', '"text"'])
    assert.equal(await problemOf(payload), 'the signed payload names another key', payload);
  assert.equal(await problemOf('{'), 'the signature is invalid');
});

test('a receipt without a signature is refused', async () => {
  const { row, key } = await signedReceipt();
  for (const signature of [undefined, null, 1])
    assert.equal(
      await findStatementProblem({ ...row, signature }, { keys: [key.publicJwk] }),
      'it has no signature',
    );
});
