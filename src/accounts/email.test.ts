import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isEmail } from './email.ts';
import { limits } from './limits.ts';

test('addresses that people have are taken', () => {
  for (const email of [
    'ada@example.com',
    'a.b-c+tag@mail.example.co.uk',
    "o'brien@example.ie",
    'jürgen@müller.example',
    '用户@例子.公司',
    `${'a'.repeat(64)}@example.com`,
  ])
    assert.ok(isEmail(email), email);
});

test('what no message could be sent to is not taken', () => {
  const long = `${'a'.repeat(limits.emailCharactersMax)}@example.com`;
  for (const email of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@@example.com',
    'ada@exa mple.com',
    'ada@.example.com',
    'ada@example..com',
    '.ada@example.com',
    'ada@example.com\r\nbcc: eve@example.com',
    'ada\0@example.com',
    'Ada <ada@example.com>',
    'ada@example.com,eve@example.com',
    long,
  ])
    assert.ok(!isEmail(email), email);
});
