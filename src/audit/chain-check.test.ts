import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ChainPoint, chainStart, type LinkedEntry, type PersonalValues } from '../kernel/ports/audit.ts';
import { canonicalJson } from './canonical-json.ts';
import { ChainCheck } from './chain-check.ts';
import { linkEntry, prepareEntry } from './entry.ts';
import { hashOf } from './hash-of.ts';

/** A chain of five entries, each with a personal value. */
function someChain(): readonly LinkedEntry[] {
  const entries: LinkedEntry[] = [];
  let end: ChainPoint = chainStart;
  for (let at = 1; at <= 5; at++) {
    const record = {
      event: 'key.changed',
      actor: 'user:u',
      key: `k${at}`,
      address: `192.0.2.${at}`,
    } as const;
    const entry = linkEntry(prepareEntry(record, 'c', at * 1000), end);
    entries.push(entry);
    end = entry;
  }
  return entries;
}

function valuesOf({ values }: LinkedEntry): PersonalValues {
  return Object.assign({}, ...values.map((group) => group.values));
}

function faultsOf(
  entries: readonly { readonly text: string; readonly values: PersonalValues }[],
  newest: ChainPoint | undefined,
): readonly string[] {
  const check = new ChainCheck({ chain: 'c' });
  for (const { text, values } of entries) check.add(text, values);
  if (newest !== undefined) check.finish(newest);
  return check.faults;
}

describe('a chain', () => {
  const chain = someChain();
  const newest = chain.at(-1);
  const shown = chain.map((entry) => ({ text: entry.text, values: valuesOf(entry) }));
  const at = (index: number) => shown[index] ?? { text: '', values: {} };

  test('that nobody touched has no fault, also without the values of people who are erased', () => {
    assert.deepEqual(faultsOf(shown, newest), []);
    assert.deepEqual(
      faultsOf(
        shown.map(({ text }) => ({ text, values: {} })),
        newest,
      ),
      [],
    );
    for (const { text } of shown) assert.ok(!text.includes('192.0.2.'), text);
  });

  test('shows every change of a line, wherever it is', () => {
    for (const [index, { text }] of shown.entries()) {
      const forged = canonicalJson({ ...JSON.parse(text), key: 'other' });
      const lines = shown.with(index, { ...at(index), text: forged });
      assert.deepEqual(faultsOf(lines, newest), [`entry ${index + 1} was changed`]);
    }
  });

  test('shows a line that is missing, added, doubled or in another place', () => {
    assert.deepEqual(faultsOf(shown.toSpliced(2, 1), newest), ['entry 3 is missing']);
    assert.deepEqual(faultsOf(shown.slice(2), newest), ['entries 1 to 2 are missing']);
    assert.deepEqual(faultsOf(shown.slice(0, 3), newest), ['entries 4 to 5 are missing']);
    assert.deepEqual(faultsOf(shown.toSpliced(2, 0, at(1)), newest), [
      'entry 2 stands after entry 2: it was moved or added',
    ]);
    assert.notDeepEqual(faultsOf([at(0), at(2), at(1), at(3), at(4)], newest), []);
    const added = linkEntry(prepareEntry({ event: 'key.created' }, 'c', 9000), newest ?? chainStart);
    assert.deepEqual(faultsOf([...shown, { text: added.text, values: {} }], newest), [
      'what follows entry 5 was not added by Weir',
    ]);
    assert.deepEqual(faultsOf([...shown, { text: '{"a', values: {} }], newest), [
      'what follows entry 5 is no entry',
    ]);
  });

  test('shows a rewritten past if it differs from what was signed', () => {
    const rewritten: LinkedEntry[] = [];
    for (const { text } of shown) {
      const end: ChainPoint = rewritten.at(-1) ?? chainStart;
      const forged = canonicalJson({ ...JSON.parse(text), key: 'other', previous: end.hash });
      const [original] = chain;
      if (original !== undefined)
        rewritten.push({ ...original, number: end.number + 1, text: forged, hash: hashOf(forged) });
    }
    const check = new ChainCheck({ chain: 'c', signed: new Map([[4, chain[3]?.hash ?? '']]) });
    for (const { text } of rewritten) check.add(text, {});
    assert.deepEqual(check.faults, ['entry 4 or one before it differs from what was signed']);
  });

  test('shows a changed personal value, and an entry of another chain', () => {
    const { text, values } = at(1);
    const forged = { address: { value: '198.51.100.1', salt: values.address?.salt ?? '' } };
    assert.deepEqual(faultsOf(shown.with(1, { text, values: forged }), newest), [
      'the address of entry 2 was changed',
    ]);
    const check = new ChainCheck({ chain: 'other' });
    check.add(at(0).text, {});
    assert.deepEqual(check.faults, ['entry 1 is of another chain']);
  });
});

test('canonical JSON has sorted names at every depth, and only what JSON has', () => {
  const value = { b: [{ d: 1, c: undefined }, null], a: 'ä\ud800', '1': 1e21 };
  assert.equal(canonicalJson(value), '{"1":1e+21,"a":"ä\ufffd","b":[{"d":1},null]}');
});
