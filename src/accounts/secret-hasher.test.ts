import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from './limits.ts';
import { createKeyHasher, createPasswordHasher } from './secret-hasher.ts';

for (const [what, secretHasher] of [
  ['password', createPasswordHasher()],
  ['key', createKeyHasher()],
] as const) {
  test(`a ${what} is recognised by an argon2id hash that is new each time`, async () => {
    const [hashed, again] = [
      await secretHasher.hash('correct horse'),
      await secretHasher.hash('correct horse'),
    ];
    assert.match(hashed, /^\$argon2id\$v=19\$/);
    assert.notEqual(hashed, again);
    assert.equal(await secretHasher.verify(hashed, 'correct horse'), true);
    assert.equal(await secretHasher.verify(hashed, 'Correct horse'), false);
  });

  test(`the decoy for a ${what} costs what a real hash does, and nothing fits it`, async () => {
    const hashed = await secretHasher.hash('correct horse');
    const cost = (hash: string) => hash.split('$').slice(0, 4).join('$');
    assert.equal(cost(secretHasher.decoyHash), cost(hashed));
    assert.equal(secretHasher.decoyHash.length, hashed.length);
    assert.equal(await secretHasher.verify(secretHasher.decoyHash, 'correct horse'), false);
  });
}

test('passwords are made as dear as OWASP asks', async () => {
  assert.match(await createPasswordHasher().hash('correct horse'), /\$m=19456,t=2,p=1\$/);
});

test('past the limit hashing is rejected as busy, and the waiting ones are served', async () => {
  const hashing = createKeyHasher();
  const room = limits.keyHashesAtOnce + limits.keyHashesWaiting;
  const rush = await Promise.allSettled(Array.from({ length: room + 5 }, () => hashing.hash('x')));
  const refused = rush.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refused.length, 5);
  for (const reason of refused) {
    assert.ok(GatewayError.is(reason));
    assert.equal(reason.status, 503);
    assert.equal(reason.code, 'busy');
    assert.equal(reason.details.retryAfterSeconds, 1);
  }
  assert.match(await hashing.hash('x'), /^\$argon2id/);
});

test('work that fails gives its place on', async () => {
  const hashing = createKeyHasher();
  const rounds = limits.keyHashesAtOnce * 3;
  for (let round = 0; round < rounds; round++) await assert.rejects(hashing.verify('no hash at all', 'x'));
  assert.match(await hashing.hash('x'), /^\$argon2id/);
});
