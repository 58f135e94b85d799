import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../lib/json.ts';
import { anthropicMessages, wireByName } from '../wire/index.ts';
import { ClientRequest } from './client-request.ts';
import { claudeCodeSession, endUserOf, endUserRefFromName, endUserRefOf } from './end-user.ts';
import { LazyJsonObject } from './json/lazy-json-object.ts';

function received(body: JsonObject | string, wire = anthropicMessages.name): ClientRequest {
  const format = wireByName(wire);
  assert.ok(format);
  const text = typeof body === 'string' ? body : JSON.stringify({ model: 'demo-1', messages: [], ...body });
  return new ClientRequest({
    wire: format,
    fields: LazyJsonObject.of(Buffer.from(text)),
    headers: [],
    query: '',
  });
}

const person = (body: JsonObject | string, wire?: string) => endUserOf(received(body, wire));
const user = (user_id: string) => ({ metadata: { user_id } });

test('people are distinguished by each field that names them, and are the same in each', () => {
  const anna = person(user('anna'));
  assert.notEqual(anna, person({}));
  assert.notEqual(anna, person(user('tom')));
  assert.equal(anna, person({ user: 'anna' }, 'openai-chat'));
  assert.equal(anna, person({ safety_identifier: 'anna' }, 'openai-responses'));
  assert.notEqual(anna, person({ user: 'anna', safety_identifier: 'tom' }, 'openai-chat'));
});

const [one, other] = ['0c9d7e11-2f3a-4b5c-8d6e-7f8091a2b3c4', 'ffff7e11-2f3a-4b5c-8d6e-7f8091a2b3c4'];
const [device, device2] = ['0123456789abcdef'.repeat(4), 'fedcba9876543210'.repeat(4)];
const before = (session: string, hash = device, account = '') =>
  `user_${hash}_account_${account}_session_${session}`;
const since = (session_id: string, device_id = device, account_uuid = '') =>
  JSON.stringify({ device_id, account_uuid, session_id });

test('sessions of Claude Code are no part of who somebody is', () => {
  for (const form of [before, since])
    for (const account of ['', one]) {
      const anna = form(one, device, account);
      assert.equal(person(user(anna)), person(user(form(other, device, account))), anna);
      assert.notEqual(person(user(anna)), person(user(form(one, device2, account))), anna);
      assert.notEqual(person(user(anna)), person(user(form(one, device, other))), anna);
      assert.equal(claudeCodeSession(anna), one);
      assert.equal(
        endUserRefFromName(anna, 'a'),
        endUserRefOf(received(user(form(other, device, account))), 'a'),
      );
    }
});

const somebody = (session: string) => `{"device_id":"${device}","account_uuid":"","session_id":"${session}"}`;
/** Names of two people each. All of them were the same person once, or could become it by a slip. */
const pairs: readonly (readonly [string, string])[] = [
  ['shop-session-8f3a', 'shop-session-77bb'],
  ['guest_session_1', 'guest_session_2'],
  ['acme:conversation:anna', 'acme:conversation:bob'],
  ['session_1_user_anna', 'session_2_user_anna'],
  ['user_ann_session_1', 'user_ann_session_2'],
  ['ada:session=7', 'ada:session=8'],
  ['thread-42-anna', 'thread-43-anna'],
  ['{"requester":"anna"}', '{"requester":"bob"}'],
  ['{"shop":1,"requester":"anna"}', '{"shop":1,"requester":"bob"}'],
  ['{"shop":1,"return_address":"a"}', '{"shop":1,"return_address":"b"}'],
  ['{"shop":1,"session_user":"a"}', '{"shop":1,"session_user":"b"}'],
  ['{"shop":1,"session":{"user":"a"}}', '{"shop":1,"session":{"user":"b"}}'],
  ['{"shop":1,"trace_id":"a"}', '{"shop":1,"trace_id":"b"}'],
  [
    '{"device_id":"d","account_uuid":"","session_id":"1"}',
    '{"device_id":"d","account_uuid":"","session_id":"2"}',
  ],
  // Nearly Claude Code's.
  [before('8f3a'), before('77bb')],
  [`x${before(one)}`, `x${before(other)}`],
  [`${before(one)}\n`, `${before(other)}\n`],
  [`${before(one)} anna`, `${before(one)} bob`],
  [before(one, device.toUpperCase()), before(other, device.toUpperCase())],
  [before(one, 'anna'), before(other, 'anna')],
  [before(one, device, 'anna'), before(other, device, 'anna')],
  [before(one, device, `${one}_session_${one}`), before(one, device, `${one}_session_${other}`)],
  [` ${somebody(one)}`, ` ${somebody(other)}`],
  [somebody(`${one}","user":"anna`), somebody(`${one}","user":"bob`)],
  [`{"user":"anna",${somebody(one).slice(1)}`, `{"user":"bob",${somebody(one).slice(1)}`],
  [somebody(one).replaceAll('":', '": '), somebody(other).replaceAll('":', '": ')],
  // Equal for readers only.
  ['Anna', 'anna'],
  ['anna', 'anna '],
  ['é', 'e\u0301'],
  ['anna', 'anna\u200b'],
  ['anna', 'аnna'],
  ['{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['[]', '[[]]'],
  ['","', '"'],
];

test('every other name is taken whole', () => {
  for (const [anna, bob] of pairs)
    for (const name of ['metadata', 'user', 'safety_identifier']) {
      const body = (id: string) => (name === 'metadata' ? user(id) : { [name]: id });
      assert.notEqual(person(body(anna)), person(body(bob)), `${name}: ${anna}`);
      assert.notEqual(endUserRefOf(received(body(anna)), 'a'), null, `${name}: ${anna}`);
    }
});

test('names of two fields make a person that has neither of the names alone', () => {
  const both = person({ user: 'anna', safety_identifier: 'tom' });
  for (const name of ['anna', 'tom', 'anna,tom', 'anna","tom', '["anna","tom"]', '[anna,tom]'])
    assert.notEqual(person({ user: name }), both, name);
});

test('names that are no texts are names, too', () => {
  const asked = (fields: string) => person(`{"model":"demo-1","messages":[],${fields}}`);
  const differ = [
    ['"user":1', '"user":2'],
    ['"user":110000000000000001', '"user":110000000000000002'],
    ['"metadata":{"user_id":110000000000000001}', '"metadata":{"user_id":110000000000000002}'],
    ['"user":{"id":"anna"}', '"user":{"id":"tom"}'],
    ['"user":false', '"user":true'],
  ];
  for (const [anna = '', tom = ''] of differ) {
    assert.notEqual(asked(anna), asked(tom), anna);
    assert.notEqual(asked(anna), person({}), anna);
  }
});

test('an empty field names no end user', () => {
  for (const body of [
    {},
    user(''),
    { user: '' },
    { user: null },
    { metadata: null },
    { metadata: { team: 'a' } },
  ])
    assert.equal(endUserRefOf(received(body), 'a'), null, JSON.stringify(body));
});
