import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropicMessages, wireByName } from '../wire/index.ts';
import type { JsonObject } from './json.ts';
import { Outline } from './outline.ts';
import { personOf } from './person.ts';
import { Received } from './received.ts';

function person(body: JsonObject, wire = anthropicMessages.name): string {
  const format = wireByName(wire);
  assert.ok(format);
  const fields = Outline.of(Buffer.from(JSON.stringify({ model: 'demo-1', messages: [], ...body })));
  return personOf(new Received({ wire: format, fields, headers: [], query: '' }));
}

const user = (user_id: string) => ({ metadata: { user_id } });

test('people are told apart by each of the fields that name them, and are the same in each', () => {
  const anna = person(user('anna'));
  assert.notEqual(anna, person({}));
  assert.notEqual(anna, person(user('tom')));
  assert.equal(anna, person({ user: 'anna' }, 'openai-chat'));
  assert.equal(anna, person({ safety_identifier: 'anna' }, 'openai-responses'));
  assert.notEqual(anna, person({ user: 'anna', safety_identifier: 'tom' }, 'openai-chat'));
});

test('what names a session is no part of who somebody is', () => {
  const code = (session: string, who = 'user_1a2b') =>
    person(user(`${who}_account_5f6e-77_session_${session}`));
  assert.equal(code('0c9d-11'), code('ffff-22'));
  assert.notEqual(code('0c9d-11'), code('0c9d-11', 'user_9z'));
  const json = (session_id: string, account_uuid = 'a') =>
    person(user(JSON.stringify({ device_id: 'd', account_uuid, session_id })));
  assert.equal(json('1'), json('2'));
  assert.notEqual(json('1'), json('1', 'b'));
});

test('people whose session comes first, or who have no other name, are still told apart', () => {
  const differ = [
    ['session_1_user_anna', 'session_1_user_tom'],
    ['session_8f3a', 'session_77c1'],
    ['thread-42-anna', 'thread-43-tom'],
    ['{"session_id":"1"}', '{"session_id":"2"}'],
  ];
  for (const [one = '', other = ''] of differ) assert.notEqual(person(user(one)), person(user(other)), one);
  assert.equal(person(user('session_1_user_anna')), person(user('session_2_user_anna')));
});

test('a name that only looks like JSON is a name', () => {
  assert.notEqual(person(user('{anna')), person(user('{tom')));
});
