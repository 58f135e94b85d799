import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureTexts } from './measure-texts.ts';

const measured = (value: unknown) => measureTexts(Buffer.from(JSON.stringify(value, undefined, 1)));

test('what counts is what stands in strings, without their keys and escapes', () => {
  assert.deepEqual(measured({ role: 'user', content: 'a "b"\nc', n: [1, 2] }), {
    strings: 2,
    bytes: 'user'.length + 'a "b"\nc'.length,
    escapes: 3,
    media: 0,
  });
  assert.deepEqual(
    measureTexts(Buffer.from('"ends with a slash \\\\"')).bytes,
    'ends with a slash \\'.length,
  );
  assert.deepEqual(measureTexts(Buffer.from('[1, null]')), { strings: 0, bytes: 0, escapes: 0, media: 0 });
});

test('a character counts the same written out or by its number', () => {
  const words = '河川'.repeat(100);
  const numbered = [...words].map((char) => `\\u${char.charCodeAt(0).toString(16)}`).join('');
  assert.equal(measureTexts(Buffer.from(`"${numbered}"`)).bytes, Buffer.byteLength(words));
  assert.deepEqual(measured([words]), { strings: 1, bytes: 600, escapes: 0, media: 0 });
});

test('a picture is one whatever its bytes, and what is signed is nothing', () => {
  const data = 'aB3/'.repeat(1000);
  assert.equal(measured([{ image_url: { url: `data:image/png;base64,${data}` } }]).media, 1);
  const { media, bytes } = measured([{ signature: data }, { encrypted_content: data }]);
  assert.deepEqual([media, bytes], [0, 0]);
});
