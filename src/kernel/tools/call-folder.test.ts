import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplyEvent } from '../message.ts';
import { CallFolder } from './call-folder.ts';

const start = (index: number, id: string, name = 'read'): ReplyEvent => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'tool_use', id, name, input: {} },
});
const json = (index: number, partial_json: string): ReplyEvent => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});
const stop = (index: number): ReplyEvent => ({ type: 'content_block_stop', index });
const end: ReplyEvent = { type: 'message_stop' };

/** The events that pass after each event, and the calls that were folded. */
function fold(...events: readonly ReplyEvent[]) {
  const folder = new CallFolder((name) => name === 'read');
  const passed = events.map((event) => [...folder.write(event)]);
  return { passed, all: passed.flat(), folded: folder.folded };
}

test('a repeated call is removed, whatever the order and spacing of its arguments', () => {
  const first = [start(0, 'a'), json(0, '{"path":"x",'), json(0, '"from":1}'), stop(0)];
  const { passed, all, folded } = fold(
    ...first,
    start(1, 'b'),
    json(1, '{"from": 1, "path"'),
    json(1, ': "x"}'),
    stop(1),
    end,
  );
  assert.deepEqual(all, [...first, end]);
  assert.deepEqual(passed.slice(0, 4).flat(), first);
  assert.deepEqual(folded, { b: 'a' });
});

test('a call with other arguments passes when they are known, and what follows it stays behind it', () => {
  const events = [
    start(0, 'a'),
    json(0, '{"path":"x"}'),
    stop(0),
    start(1, 'b'),
    json(1, '{"path":"y"'),
    start(2, 'c', 'write'),
    json(1, '}'),
    stop(1),
    stop(2),
    end,
  ];
  const { passed, all, folded } = fold(...events);
  assert.deepEqual(all, events);
  assert.deepEqual(
    passed.slice(3, 7).map(({ length }) => length),
    [0, 0, 0, 4],
  );
  assert.equal(folded, undefined);
});

test('long arguments are held back only as long as they may be the same', () => {
  const text = `{"text":"${'x'.repeat(3000)}`;
  const { passed, folded } = fold(
    start(0, 'a'),
    json(0, `${text}1"}`),
    stop(0),
    start(1, 'b'),
    json(1, text),
    json(1, '2'),
    json(1, '"}'),
    stop(1),
  );
  assert.deepEqual(
    passed.slice(3).map(({ length }) => length),
    [0, 0, 3, 1, 1],
  );
  assert.equal(folded, undefined);
});

test('calls are compared when all blocks stop at the end, and three become one', () => {
  const events = [start(0, 'a'), start(1, 'b'), start(2, 'c'), stop(0), stop(1), stop(2), end];
  const { all, folded } = fold(...events);
  assert.deepEqual(all, [start(0, 'a'), stop(0), end]);
  assert.deepEqual(folded, { b: 'a', c: 'a' });
});

test('a call that was cut off passes', () => {
  const events = [start(0, 'a'), json(0, '{"n":1}'), stop(0), start(1, 'b'), json(1, '{"n"'), end];
  const { all, folded } = fold(...events);
  assert.deepEqual(all, events);
  assert.equal(folded, undefined);
});

test('a call with invalid arguments passes at its end', () => {
  const events = [start(0, 'a'), json(0, '{"n":1}'), stop(0), start(1, 'b'), json(1, '{"n":1'), stop(1)];
  assert.deepEqual(fold(...events).all, events);
});

test('calls of other tools are not compared', () => {
  const events = [start(0, 'a', 'send'), stop(0), start(1, 'b', 'send'), stop(1), end];
  const { passed, folded } = fold(...events);
  assert.deepEqual(
    passed,
    events.map((event) => [event]),
  );
  assert.equal(folded, undefined);
});
