import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedHasher } from './keyed-hasher.ts';

const key = Uint8Array.from({ length: 16 }, (_, at) => at);

test('names are SipHash-2-4 of 128 bits, as its authors have it', () => {
  const names = new KeyedHasher(key);
  const text = (length: number) => String.fromCharCode(...Array.from({ length }, (_, at) => at));
  for (const [length, expected] of [
    [0, 'a3817f04ba25a8e66df67214c7550293'],
    [1, 'da87c1d86b99af44347659119b22fc45'],
    [8, '3b62a9ba6258f5610f83e264f31497b4'],
    [63, '5150d1772f50834a503e069a973fbd7c'],
  ] as const)
    assert.equal(Buffer.from(names.hashText(text(length)), 'utf16le').toString('hex'), expected);
  for (const length of [0, 1, 63, 128])
    assert.equal(names.hashBytes(Buffer.from(text(length))), names.hashText(text(length)));
});

test('bytes that differ in one place have another name, however many they are', () => {
  const names = new KeyedHasher(key);
  for (const length of [1, 9, 1000, 16_384, 16_385, 100_000]) {
    const bytes = Buffer.alloc(length, 'x');
    const name = names.hashBytes(bytes);
    assert.equal(names.hashBytes(Buffer.from(bytes)), name);
    for (const at of [0, length >> 1, length - 1]) {
      const other = Buffer.from(bytes);
      other[at] = 0;
      assert.notEqual(names.hashBytes(other), name, `${at} of ${length}`);
    }
    assert.notEqual(names.hashBytes(Buffer.alloc(length + 1, 'x')), name);
  }
});

test('another key and another secret have another name, also where they are long or not in English', () => {
  const secrets = [
    'gw_live_a',
    'gw_live_b',
    'x'.repeat(256),
    'x'.repeat(257),
    'x'.repeat(10_000),
    'schlüssel',
  ];
  const names = [key, key.toReversed()].flatMap((one) =>
    secrets.map((secret) => new KeyedHasher(one).hashText(secret)),
  );
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    names.slice(0, secrets.length),
    secrets.map((secret) => new KeyedHasher(key).hashText(secret)),
  );
});
