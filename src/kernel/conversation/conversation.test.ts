import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../message.ts';
import { Conversation } from './conversation.ts';

const origin = { name: 'c', root: 'root' };
const said = (marked: number, changed = -1): readonly Message[] =>
  Array.from({ length: 9 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: [
      {
        type: 'text',
        text: at === changed ? 'Another.' : `Turn ${at}.`,
        ...(at === marked && { cache_control: { type: 'ephemeral' } }),
      },
    ],
  }));
const placesOf = (conversation: Conversation) => Array.from({ length: 10 }, (_, at) => conversation.at(at));

test('a conversation that goes on from an earlier call has the places that it would have without', () => {
  const before = new Conversation(origin, said(4));
  placesOf(before);
  for (const [marked, changed] of [
    [4, -1],
    [8, -1],
    [8, 0],
    [8, 5],
  ] as const) {
    const recognised = new Conversation(origin, said(marked, changed));
    recognised.recognise(before);
    assert.deepEqual(placesOf(recognised), placesOf(new Conversation(origin, said(marked, changed))));
    assert.equal(recognised.at(5) === before.at(5), changed !== 0);
    assert.equal(recognised.at() === before.at(), changed < 0);
  }
  const elsewhere = new Conversation({ name: 'c', root: 'another' }, said(4));
  elsewhere.recognise(before);
  assert.notEqual(elsewhere.at(1), before.at(1));
});
