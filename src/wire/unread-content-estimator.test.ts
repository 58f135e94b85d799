import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dataFrames, namedFrames } from '../../test/support/wire/replay.ts';
import { deltaChars, estimateChunkTokens } from '../kernel/token-estimate.ts';
import type { Interest, WireFormat } from '../kernel/wire-format.ts';
import { anthropicMessages, openaiChat, openaiResponses } from './index.ts';
import { UnreadContentEstimator } from './unread-content-estimator.ts';

/** What somebody estimates who sees some of it and adds the rest. */
function expected(wire: WireFormat, stream: Uint8Array, interest: Interest): number {
  const decoder = wire.replyDecoder('sse', interest);
  let tokens = 0;
  for (const event of [...decoder.push(stream), ...decoder.end()])
    if (event.type === 'content_block_delta') tokens += estimateChunkTokens(deltaChars(event.delta));
  return tokens + decoder.unread.tokens;
}

function assertNear(wire: WireFormat, stream: Uint8Array): void {
  const read = expected(wire, stream, 'everything');
  const unread = expected(wire, stream, 'milestones');
  assert.ok(Math.abs(unread - read) <= 0.35 * read + 2, `${unread} unread, ${read} read`);
}

/** The tools that an observer of milestones sees. */
function calledTools(wire: WireFormat, stream: Uint8Array): readonly string[] {
  const decoder = wire.replyDecoder('sse', 'milestones');
  const events = [...decoder.push(stream), ...decoder.end()];
  assert.equal(decoder.unread.calls, 0);
  return events.flatMap((event) =>
    event.type === 'content_block_start' && event.content_block.type === 'tool_use'
      ? event.content_block.name
      : [],
  );
}

const words = `The level of the river rises after rain, and a weir keeps it where the mill wants it to be. `
  .repeat(8)
  .split(/(?<= )/);

describe('unread content is estimated as if it were read', () => {
  test('in text, in calls after it, and whatever pads the frames (Chat Completions)', () => {
    const chunk = (delta: object, at: number) => ({
      id: 'chatcmpl-1',
      choices: [{ index: 0, delta, finish_reason: null }],
      obfuscation: 'x'.repeat(at % 16),
    });
    const text = words.map((content, at) => chunk({ content }, at));
    const call = { index: 0, id: 'call_1', function: { name: 'level', arguments: '' } };
    const pieces = words.map((part, at) =>
      chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }, at),
    );
    const stream = dataFrames(...text, chunk({ tool_calls: [call] }, 0), ...pieces, '[DONE]');
    assertNear(openaiChat, stream);
    assert.deepEqual(calledTools(openaiChat, stream), ['level']);
  });

  test('in text, in calls after it, without its padding and without signatures (Messages)', () => {
    const delta = (index: number, fields: object, at: number) =>
      `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index, delta: fields }).slice(0, -1)}${' '.repeat(at % 16)}}\n\n`;
    const call = { type: 'tool_use', id: 'toolu_1', name: 'level', input: {} };
    const stream = Buffer.concat([
      namedFrames({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      Buffer.from(words.map((text, at) => delta(0, { type: 'text_delta', text }, at)).join('')),
      Buffer.from(delta(0, { type: 'signature_delta', signature: 'a'.repeat(4000) }, 0)),
      namedFrames({ type: 'content_block_start', index: 1, content_block: call }),
      Buffer.from(
        words.map((part, at) => delta(1, { type: 'input_json_delta', partial_json: part }, at)).join(''),
      ),
    ]);
    assertNear(anthropicMessages, stream);
    assert.deepEqual(calledTools(anthropicMessages, stream), ['level']);
  });

  test('in thoughts and in text after them, whatever pads the frames (Responses)', () => {
    const frames = (type: string, pad: boolean) =>
      words.map((delta) => ({
        type,
        delta,
        item_id: 'msg_05ca31f761d792ea0069701839447881a0aca8c05ba523aaaa',
        ...(pad && { obfuscation: 'x'.repeat(16 - delta.length) }),
        output_index: 0,
      }));
    for (const pad of [false, true])
      assertNear(
        openaiResponses,
        namedFrames(
          ...frames('response.reasoning_summary_text.delta', pad),
          ...frames('response.output_text.delta', pad),
        ),
      );
  });

  test('frames of many tokens count by their length, and none counts as nothing', () => {
    const unread = new UnreadContentEstimator();
    unread.calibrate(100, 1, 10);
    unread.skip(490, 1);
    assert.equal(unread.tokens, 100);
    unread.skip(20, 2);
    unread.skip(1, 2);
    assert.equal(unread.tokens, 102);
  });
});
