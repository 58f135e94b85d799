import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FrameGate } from './frame-gate.ts';
import { limits } from './limits.ts';

test('a chunk that ends with a frame is passed on without being copied', () => {
  const chunk = Buffer.from('data: x\n\n');
  assert.equal(new FrameGate().push(chunk), chunk);
});

for (const end of ['\n', '\r\n', '\r'])
  test(`whole frames pass and an unfinished one waits, with lines that end in ${JSON.stringify(end)}`, () => {
    const frames = ['data: one', '', 'event: e', 'data: two', '', 'data: three'].join(end);
    const bytes = Buffer.from(frames);
    const whole = Buffer.from(['data: one', '', 'event: e', 'data: two', '', ''].join(end));
    for (let at = 0; at <= bytes.length; at++) {
      const gate = new FrameGate();
      const first = gate.push(bytes.subarray(0, at)) ?? Buffer.alloc(0);
      assert.ok(first.length === 0 || /(\r\n|\n|\r)(\r\n|\n|\r)$/.test(Buffer.from(first).toString()));
      const second = gate.push(bytes.subarray(at)) ?? Buffer.alloc(0);
      assert.equal(Buffer.concat([first, second]).toString(), whole.toString());
      assert.equal(Buffer.from(gate.end() ?? []).toString(), 'data: three');
      assert.equal(gate.end(), undefined);
    }
  });

test('nothing is lost or moved, whatever the cuts', () => {
  const piece = fc.constantFrom('data: x', '\n', '\n', '\r', '\r\n', '\n\n', 'ü');
  fc.assert(
    fc.property(fc.array(fc.array(piece)), (chunks) => {
      const gate = new FrameGate();
      const sent = chunks.map((pieces) => Buffer.from(pieces.join('')));
      const passed = [...sent.map((chunk) => gate.push(chunk)), gate.end()].filter(
        (chunk) => chunk !== undefined,
      );
      assert.equal(Buffer.concat(passed).toString(), Buffer.concat(sent).toString());
    }),
  );
});

test('a frame that grows without end is let through', () => {
  const gate = new FrameGate();
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  let passed = 0;
  for (let bytes = 0; bytes <= limits.frameBytesMax; bytes += chunk.length)
    passed += gate.push(chunk)?.length ?? 0;
  assert.ok(passed > limits.frameBytesMax);
});
