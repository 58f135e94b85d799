import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnedReceipt } from '../kernel/ports/receipts.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { findStatementProblem } from '../lib/signed-statement.ts';
import { receiptRow } from './receipt.ts';
import { ReceiptIssuer } from './receipt-issuer.ts';
import { SigningKey } from './signing-key.ts';
import { sampleReceiptDetails } from './testing.ts';

const signingKey = SigningKey.from(new Uint8Array(32));

/** An issuer whose database fails a given number of times. */
async function office(failures: number) {
  const tries: (readonly OwnedReceipt[])[] = [];
  const events: string[] = [];
  let left = failures;
  const made = new ReceiptIssuer({
    receipts: {
      async add(receipts) {
        tries.push(receipts);
        if (left-- > 0) throw storageUnavailable('the database is away');
      },
    },
    key: await signingKey,
    onError: () => events.push('error'),
    onDrop: () => events.push('drop'),
  });
  return { made, tries, events };
}

const order = (id: string) => ({ details: sampleReceiptDetails({ id }), accountId: 'ada' });

test('who waits has a receipt that is stored', async () => {
  const { made, tries } = await office(0);
  await made.issue(order('one'));
  const [stored] = tries.flat();
  assert.ok(stored);
  const { jws, ...row } = stored;
  const { id, sessionRef, visibility, createdAtMs } = sampleReceiptDetails({ id: 'one' });
  assert.deepEqual(row, { id, sessionRef, visibility, createdAtMs, accountId: 'ada' });
  const { publicJwk } = await signingKey;
  assert.equal(await findStatementProblem(receiptRow({ jws }), { keys: [publicJwk] }), undefined);
  assert.deepEqual([tries.length, made.waiting], [1, 0]);
});

test('one that could not be stored is stored later, and who waits is not kept', async () => {
  const { made, tries, events } = await office(1);
  await made.issue(order('one'));
  assert.deepEqual([made.waiting, events], [1, ['error']]);
  assert.equal(await made.flush(5000), true);
  assert.deepEqual([made.waiting, tries.length], [0, 2]);
});

test('those that wait are signed once and stored together, however often that is tried', async () => {
  const { made, tries } = await office(2);
  for (const id of ['one', 'two', 'three']) made.order(order(id));
  assert.equal(made.waiting, 3);
  assert.equal(await made.drain(5000), true);
  assert.equal(tries.length, 3);
  assert.equal(tries[0], tries[2]);
  assert.equal(new Set(tries.flat().map(({ jws }) => jws)).size, 3);
  assert.deepEqual([made.waiting, made.dropped], [0, 0]);
});
