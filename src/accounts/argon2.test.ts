import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadArgon2, nodeArgon2 } from './argon2.ts';

const cost = { memoryCost: 64, timeCost: 1, parallelism: 1 };

test('what one argon2 has hashed the other recognises, so that a binary may be missing now or later', async () => {
  const native = await loadArgon2();
  assert.notEqual(native, nodeArgon2);
  for (const [hashing, checking] of [
    [native, nodeArgon2],
    [nodeArgon2, native],
    [nodeArgon2, nodeArgon2],
  ] as const) {
    const hashed = await hashing.hash('pässword', cost);
    assert.match(hashed, /^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    assert.equal(await checking.verify(hashed, 'pässword'), true);
    assert.equal(await checking.verify(hashed, 'password'), false);
  }
});
