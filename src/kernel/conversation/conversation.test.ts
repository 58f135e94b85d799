import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demo } from '../../providers/demo/demo.ts';
import { anthropicMessages } from '../../wire/index.ts';
import { ClientPresence } from '../client-presence.ts';
import { ClientRequest } from '../client-request.ts';
import { Exchange } from '../exchange.ts';
import { LazyJsonObject } from '../json/lazy-json-object.ts';
import type { Message } from '../message.ts';
import { Trace } from '../trace.ts';
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
const placesOf = (conversation: Conversation) =>
  Array.from({ length: 10 }, (_, at) => conversation.digestAt(at));

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
    recognised.reuseDigests(before);
    assert.deepEqual(placesOf(recognised), placesOf(new Conversation(origin, said(marked, changed))));
    assert.equal(recognised.digestAt(5) === before.digestAt(5), changed !== 0);
    assert.equal(recognised.digestAt() === before.digestAt(), changed < 0);
  }
  const elsewhere = new Conversation({ name: 'c', root: 'another' }, said(4));
  elsewhere.reuseDigests(before);
  assert.notEqual(elsewhere.digestAt(1), before.digestAt(1));
});

test('the same words in two threads that their provider keeps are two conversations', () => {
  const nameIn = (thread: object) => {
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Yes' }], thread };
    const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
    return new Exchange({
      id: 'req_test',
      clientRequest: new ClientRequest({ wire: anthropicMessages, fields, headers: [], query: '' }),
      caller: { kind: 'local' },
      target: { provider: demo, model: 'm' },
      presence: new ClientPresence(),
      trace: new Trace(0),
      credentials: { find: async () => undefined },
    }).conversation.name;
  };
  const names = ['msg_1', 'msg_2', 'msg_1'].map((id) =>
    nameIn({ type: 'continue', previous_message_id: id }),
  );
  assert.notEqual(names[0], names[1]);
  assert.equal(names[0], names[2]);
});
