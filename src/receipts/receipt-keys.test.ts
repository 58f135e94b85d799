import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VerificationKey } from '../kernel/ports/receipts.ts';
import { ReceiptKeys } from './receipt-keys.ts';
import { SigningKey } from './signing-key.ts';

const secretOf = (number: number) => new Uint8Array(32).fill(number);

test('the first secret signs, and the keys of all secrets are published without their private half', async () => {
  const stored: VerificationKey[] = [];
  const receipts = {
    addKey: async (key: VerificationKey) => void stored.push(key),
    keys: async () => stored.toReversed(),
  };
  const keys = await ReceiptKeys.open([secretOf(3), secretOf(2), secretOf(1)], receipts, { now: () => 7 });
  const [first, second, third] = await Promise.all([3, 2, 1].map((at) => SigningKey.from(secretOf(at))));
  assert.equal(keys.current.id, first?.id);
  assert.deepEqual(
    stored.map(({ id, createdAtMs }) => [id, createdAtMs]),
    [second, third, first].map((key) => [key?.id, 7]),
  );
  assert.deepEqual(await keys.publicKeySet(), {
    keys: [first, third, second].map((key) => key?.publicJwk),
  });
});
