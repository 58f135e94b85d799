import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntrusiveList, type IntrusiveListItem } from './intrusive-list.ts';

interface NamedItem extends IntrusiveListItem {
  readonly name: string;
}

function filled(...names: readonly string[]): {
  list: IntrusiveList<NamedItem>;
  items: readonly NamedItem[];
} {
  const list = new IntrusiveList<NamedItem>();
  const items = names.map((name) => ({ name, listIndex: -1 }));
  for (const item of items) list.add(item);
  return { list, items };
}

function namesIn(list: IntrusiveList<NamedItem>): readonly string[] {
  return list
    .snapshot()
    .map(({ name }) => name)
    .sort();
}

test('what has left is not in the list, whatever the order of leaving', () => {
  for (const order of [
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['b', 'c', 'a'],
  ]) {
    const { list, items } = filled('a', 'b', 'c');
    const left = new Set(['a', 'b', 'c']);
    for (const name of order) {
      const item = items.find((candidate) => candidate.name === name);
      assert.ok(item);
      list.delete(item);
      left.delete(name);
      assert.deepEqual(namesIn(list), [...left]);
      assert.equal(list.size, left.size);
    }
  }
});

test('removing an item twice removes no other item', () => {
  const { list, items } = filled('a', 'b', 'c');
  const [first] = items;
  assert.ok(first);
  list.delete(first);
  list.delete(first);
  assert.deepEqual(namesIn(list), ['b', 'c']);
});
