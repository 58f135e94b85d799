import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparableAnswerOf, compareAnswers } from './agreement.ts';

const text = (said: string) => ({ text: said, calls: '[]' });
const near = 0.85;

test('answers that were sampled twice agree', () => {
  const twins = [
    ['Yes, it is safe.', 'Yes. It is considered safe by most experts.'],
    ['It takes about 3 days.', 'Usually 3 days.'],
    ['The capital of Japan is Tokyo.', 'Tokyo is the capital of Japan.'],
    ['Use `sorted(items)` to get a new list.', 'Call `sorted(items)`; it returns a new list.'],
    ['Paris', 'Paris.'],
    ['No.', 'It is not safe.'],
  ];
  for (const [one = '', other = ''] of twins)
    assert.equal(compareAnswers(text(one), text(other), near), true, one);
});

test('another verdict, number, name or piece of code is another answer, however near', () => {
  const others = [
    ['Yes, it is safe.', 'No, it is not safe.'],
    ['It takes about 3 days.', 'It takes about 5 days.'],
    ['The capital is Tokyo, in the east.', 'The capital is Kyoto, in the west.'],
    ['Use `items.sort()`.', 'Use `reversed(items)`.'],
    ['Prices will rise.', 'Prices will fall.'],
    ['```\nrm -rf build\n```', '```\ngit clean --force\n```'],
    ['Use this:\n```\nsorted(items)\n```', 'Use this:\n```\nreversed(list)\n```'],
    ['It is safe to eat.', 'It is not safe to eat.'],
    ['Yes, you can send it back within a month.', "You can't send it back once it was opened."],
  ];
  for (const [one = '', other = ''] of others)
    assert.equal(compareAnswers(text(one), text(other), 0.99), false, one);
});

test('answers about something else do not agree, and without vectors agreement is unknown', () => {
  const [one, other] = [
    text('Click on the link in the mail that we sent you.'),
    text('Bees are insects that make honey.'),
  ];
  assert.equal(compareAnswers(one, other, 0.1), false);
  assert.equal(compareAnswers(one, other, undefined), undefined);
});

test('calls of tools agree where they are the same', () => {
  const calling = (input: object) =>
    comparableAnswerOf({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'demo-1',
      content: [{ type: 'tool_use', id: Math.random().toString(), name: 'level', input }],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: {},
    });
  assert.equal(compareAnswers(calling({ river: 'Isar' }), calling({ river: 'Isar' }), undefined), true);
  assert.equal(compareAnswers(calling({ river: 'Isar' }), calling({ river: 'Lech' }), undefined), false);
});

test('answers of a megabyte are compared by how they begin and end, in a moment', () => {
  const long = Array.from({ length: 150_000 }, (_, at) => String(100_000 + at)).join(' ');
  const before = process.cpuUsage();
  assert.equal(compareAnswers(text(long), text(`Yes: ${long}`), near), true);
  assert.equal(compareAnswers(text(`Yes: ${long}`), text(`No: ${long}`), near), false);
  const { user } = process.cpuUsage(before);
  assert.ok(user < 1_000_000, `${user} µs`);
});
