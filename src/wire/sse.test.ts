import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertCpuBelow } from '../../test/support/cpu-time.ts';
import { limits } from './limits.ts';
import { type SseFrame, SseParser } from './sse.ts';

function parse(bytes: Uint8Array, cuts: readonly number[] = []): readonly SseFrame[] {
  const parser = new SseParser();
  const frames: SseFrame[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    frames.push(...parser.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return [...frames, ...parser.end()];
}

const twoFrames = [
  { event: 'greeting', data: 'grüß dich 🌊' },
  { event: '', data: 'one\ntwo' },
];

for (const [name, end] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const)
  test(`lines may end in ${name}, and be cut anywhere`, () => {
    const lines = [
      'event: greeting',
      'data: grüß dich 🌊',
      '',
      ': a comment',
      'data: one',
      'data:two',
      'id: 7',
      '',
      '',
    ];
    const bytes = Buffer.from(lines.join(end));
    assert.deepEqual(parse(bytes), twoFrames);
    for (let at = 0; at <= bytes.length; at++) assert.deepEqual(parse(bytes, [at]), twoFrames);
    assert.deepEqual(
      parse(
        bytes,
        Array.from(bytes, (_, at) => at),
      ),
      twoFrames,
    );
  });

test('a byte order mark at the start is left out, also when it comes in pieces', () => {
  const bytes = Buffer.from('\uFEFFdata: x\n\n');
  for (let at = 0; at <= bytes.length; at++) assert.deepEqual(parse(bytes, [at]), [{ event: '', data: 'x' }]);
});

test('a last frame without its blank line, or without its line end, is still handed over', () => {
  assert.deepEqual(parse(Buffer.from('data: x\n')), [{ event: '', data: 'x' }]);
  assert.deepEqual(parse(Buffer.from('event: e\ndata: x')), [{ event: 'e', data: 'x' }]);
});

test('a frame without data is nothing, and its name does not stick to the next', () => {
  assert.deepEqual(parse(Buffer.from('event: lost\n\ndata: x\n\n: only a comment\n\n')), [
    { event: '', data: 'x' },
  ]);
});

test('a frame of 4 MiB in small chunks takes linear time', async () => {
  const text = 'x'.repeat(4 * 1024 * 1024);
  const bytes = Buffer.from(`data: ${text}\n\n`);
  const cuts = Array.from({ length: Math.floor(bytes.length / 1024) }, (_, at) => (at + 1) * 1024);
  await assertCpuBelow(1000, () => {
    const [frame] = parse(bytes, cuts);
    assert.equal(frame?.data.length, text.length);
  });
});

test('a frame that never ends is refused at its limit', () => {
  const parser = new SseParser();
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  assert.throws(() => {
    for (let bytes = 0; bytes <= limits.frameBytesMax; bytes += chunk.length) parser.push(chunk);
  }, /more than/);
});

test('any text comes through any cuts as it would whole', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const line = fc.oneof(
    fc.string({ unit: 'binary' }).map((value) => `data: ${value.replace(/[\r\n]/g, ' ')}`),
    fc.constantFrom('event: a', ': c', '', '', 'data', 'retry: 1'),
  );
  const stream = fc.array(fc.tuple(line, lineEnd).map((pair) => pair.join('')));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(400)), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(''));
      const inside = [...new Set(cuts)].filter((cut) => cut < bytes.length).sort((a, b) => a - b);
      assert.deepEqual(parse(bytes, inside), parse(bytes));
    }),
  );
});
