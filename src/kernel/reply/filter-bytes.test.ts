import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ByteFilter, filterBytes } from './filter-bytes.ts';
import type { PullResult } from './source.ts';

/** Holds everything back until a piece that ends in a full stop. */
function sentences(): ByteFilter {
  let held = '';
  const take = () => {
    const all = held;
    held = '';
    return all === '' ? undefined : Buffer.from(all);
  };
  return {
    push(chunk) {
      held += Buffer.from(chunk).toString();
      return held.endsWith('.') ? take() : undefined;
    },
    end: take,
  };
}

function pulling(pieces: readonly string[], waits: (at: number) => boolean): () => PullResult<Uint8Array> {
  let next = 0;
  return () => {
    const piece = pieces[next];
    const chunk = piece === undefined ? undefined : Buffer.from(piece);
    return waits(next++) ? Promise.resolve(chunk) : chunk;
  };
}

async function all(pull: () => PullResult<Uint8Array>): Promise<readonly string[]> {
  const found: string[] = [];
  for (let chunk = await pull(); chunk !== undefined; chunk = await pull())
    found.push(Buffer.from(chunk).toString());
  return found;
}

for (const [how, waits] of Object.entries({
  'that are there': () => false,
  'that are waited for': () => true,
  'of which some are there': (at: number) => at % 3 === 1,
}))
  test(`a filter gets pieces ${how} until it lets something through, and gives the rest at the end`, async () => {
    const pieces = ['a', 'b.', 'c.', 'd', 'e', 'f.', 'g', 'h'];
    assert.deepEqual(await all(filterBytes(pulling(pieces, waits), sentences())), [
      'ab.',
      'c.',
      'def.',
      'gh',
    ]);
    assert.deepEqual(await all(filterBytes(pulling([], waits), sentences())), []);
  });

test('any number of pieces may pass before the first that is let through', async () => {
  const pieces = Array.from({ length: 20_000 }, () => '-');
  for (const waits of [() => false, (at: number) => at % 2 === 0]) {
    const [only, ...none] = await all(filterBytes(pulling(pieces, waits), sentences()));
    assert.deepEqual([only?.length, none.length], [20_000, 0]);
  }
});

test('what breaks on the way is told', async () => {
  const broken = filterBytes(() => Promise.reject(new Error('cut')), sentences());
  await assert.rejects(async () => broken(), /cut/);
});
