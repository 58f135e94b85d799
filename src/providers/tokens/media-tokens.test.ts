import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { mediaRuleFor } from './media-tokens.ts';
import { pdfSizeOf } from './pdf-size.ts';
import { pictureSizeOf } from './picture-size.ts';

function bytes(head: string, rest: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(rest), Buffer.alloc(30)]);
}

test('the size of a picture is read from its beginning, in every kind that models take', () => {
  const size = { width: 640, height: 480 };
  const png = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', [0, 0, 2, 128, 0, 0, 1, 224]);
  const gif = bytes('GIF89a', [128, 2, 224, 1]);
  const jpeg = bytes('\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08', [1, 224, 2, 128]);
  const extended = bytes('RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0', [127, 2, 0, 223, 1, 0]);
  const lossy = bytes('RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a', [128, 2, 224, 1]);
  const lossless = bytes('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f', [127, 194, 119, 0]);
  for (const picture of [png, gif, jpeg, extended, lossy, lossless])
    assert.deepEqual(pictureSizeOf(picture), size);
});

test('what is no picture has no size, however it is cut', () => {
  for (const data of [Buffer.alloc(0), Buffer.alloc(100), Buffer.from('\xff\xd8\xff'.repeat(50), 'latin1')])
    assert.equal(pictureSizeOf(data), undefined);
});

test('makers count pictures as they publish it', () => {
  const size = { width: 1024, height: 1024 };
  assert.equal(mediaRuleFor('gpt-4o', 'openai-chat').picture(size), 765);
  assert.equal(mediaRuleFor('gpt-4o', 'openai-chat').picture({ width: 2048, height: 4096 }), 1105);
  assert.equal(Math.round(mediaRuleFor('anthropic/claude-sonnet-4.5', 'openai-chat').picture(size)), 1398);
  assert.equal(mediaRuleFor('gemini-2.5-pro', 'openai-chat').picture({ width: 300, height: 300 }), 258);
});

test('pages and words of a document are counted, also where they are packed, and pictures in it are not', () => {
  const shown = deflateSync('BT (Twenty characters ok) Tj ET').toString('latin1');
  const page = `<< /Type /Page >> << /Length 9 >> stream\n${shown}\nendstream `;
  const picture = '<< /Subtype /Image >> stream\nBT (not a word) ET\nendstream ';
  const pdf = Buffer.from(`%PDF /Type /Pages ${page}${page}${picture}`, 'latin1').toString('base64');
  const { pages, chars } = pdfSizeOf(pdf);
  assert.deepEqual([pages, Math.round(chars)], [2, 40]);
});

test('a document made to be slow to read takes no time to speak of', () => {
  for (const hostile of ['BT (', 'stream\n', '((((', 'BT ', '/Type   '])
    pdfSizeOf(Buffer.from(hostile.repeat(200_000)).toString('base64'));
  const bomb = Buffer.concat([
    Buffer.from('stream\n'),
    deflateSync(Buffer.alloc(2_000_000)),
    Buffer.from('\nendstream '),
  ]);
  pdfSizeOf(Buffer.concat(Array(250).fill(bomb)).toString('base64'));
});
