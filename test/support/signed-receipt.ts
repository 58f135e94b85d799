import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { call } from './call.ts';

/** With nothing but what Node.js has: the signature holds, and is over all of the other fields. */
export async function assertSigned(url: string, { signature, ...told }: JsonObject): Promise<void> {
  const [head = '', payload = '', mark = ''] = String(signature).split('.');
  const { json } = await call(url, { path: '/.well-known/jwks.json' });
  assert.ok(Array.isArray(json.keys));
  const key: unknown = json.keys.find((one: unknown) => isJsonObject(one) && one.kid === told.key_id);
  assert.ok(isJsonObject(key));
  assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url').toString()), { alg: 'EdDSA', kid: told.key_id });
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
  assert.ok(verify(null, Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(mark, 'base64url')));
  assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()), told);
}
