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

test('a conversation has the places of an earlier call up to the first change, wherever cache markers are', () => {
  const before = placesOf(new Conversation(origin, said(4)));
  assert.deepEqual(placesOf(new Conversation(origin, said(8))), before);
  for (const changed of [0, 5]) {
    const places = placesOf(new Conversation(origin, said(8, changed)));
    const same = places.map((place, at) => place === before[at]);
    assert.deepEqual(
      same,
      before.map((_, at) => at <= changed),
    );
  }
  const elsewhere = placesOf(new Conversation({ name: 'c', root: 'another' }, said(4)));
  assert.ok(elsewhere.every((place) => !before.includes(place)));
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
