import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse, event } from '../../../test/support/bedrock-dialects.ts';
import {
  clientRequestFrom,
  encodeEvents,
  replay,
  replayEverywhere,
} from '../../../test/support/wire/replay.ts';
import { openaiChat } from '../index.ts';
import { createBedrockConverse } from './bedrock-converse.ts';

const bedrockConverse = createBedrockConverse(() => 'msg_1');

function streamed(...frames: readonly string[]) {
  return replay({ wire: bedrockConverse, framing: 'sse', bytes: Buffer.from(frames.join('')) });
}

function whole(fields: object) {
  const bytes = Buffer.from(JSON.stringify({ ...converse.whole('Hi'), ...fields }));
  return replayEverywhere({ wire: bedrockConverse, framing: 'json', bytes });
}

const delta = (contentBlockIndex: number, fields: object) =>
  event('contentBlockDelta', { contentBlockIndex, delta: fields });
const stop = (stopReason: string) => event('messageStop', { stopReason });

test('stop reasons are translated to Anthropic’s', () => {
  for (const [stopReason, reason] of [
    ['end_turn', 'end_turn'],
    ['max_tokens', 'max_tokens'],
    ['stop_sequence', 'stop_sequence'],
    ['guardrail_intervened', 'refusal'],
    ['content_filtered', 'refusal'],
    ['model_context_window_exceeded', 'model_context_window_exceeded'],
    ['malformed_tool_use', 'end_turn'],
    ['of_next_year', 'end_turn'],
  ] as const) {
    assert.equal(whole({ stopReason }).answer?.stop_reason, reason);
    assert.equal(
      streamed(converse.opening, converse.text('Hi'), stop(stopReason)).answer?.stop_reason,
      reason,
    );
  }
});

test('an answer that the model broke, with nothing in it, is an error', () => {
  const message = { role: 'assistant', content: [] };
  for (const stopReason of ['malformed_model_output', 'malformed_tool_use']) {
    const { error } = whole({ output: { message }, stopReason });
    assert.deepEqual([error?.type, error?.status], [stopReason, 502]);
    const inStream = streamed(converse.opening, stop(stopReason), event('metadata', {})).error;
    assert.deepEqual([inStream?.type, inStream?.status], [stopReason, 502]);
    const counted = event('metadata', { usage: { inputTokens: 5, outputTokens: 2 } });
    const { events } = streamed(converse.opening, stop(stopReason), counted);
    // Nothing in front of the error says that there is an answer.
    assert.deepEqual(
      events.map(({ type }) => type),
      ['message_start', 'error'],
    );
    const last = events.at(-1);
    assert.ok(last?.type === 'error');
    assert.deepEqual(last.usage, { input_tokens: 5, output_tokens: 2 });
  }
  // Saying nothing is an answer where nothing is said to be wrong.
  assert.equal(whole({ output: { message } }).answer?.stop_reason, 'end_turn');
});

test('a block that begins where another has not ended ends that one', () => {
  const start = (name: string) =>
    event('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: name, name } } });
  const { events } = streamed(
    converse.opening,
    start('a'),
    start('b'),
    delta(0, { toolUse: { input: '{}' } }),
    delta(0, { reasoningContent: { redactedContent: 'cmVk' } }),
    converse.closing('called'),
  );
  const open = new Set<number>();
  for (const one of events) {
    if (one.type === 'content_block_start') {
      assert.equal(open.size, 0);
      open.add(one.index);
    }
    if (one.type === 'content_block_delta') assert.ok(open.has(one.index));
    if (one.type === 'content_block_stop') assert.ok(open.delete(one.index));
  }
  assert.equal(open.size, 0);
});

test('a delta of another kind than its block begins a block of its own', () => {
  const { answer, events } = streamed(
    converse.opening,
    delta(0, { text: 'Hi' }),
    delta(0, { reasoningContent: { text: 'Hm' } }),
    delta(0, { text: ' there' }),
    converse.closing('said'),
  );
  assert.deepEqual(answer?.content, [
    { type: 'text', text: 'Hi' },
    { type: 'thinking', thinking: 'Hm' },
    { type: 'text', text: ' there' },
  ]);
  assert.match(
    encodeEvents(openaiChat.replyEncoder('sse', clientRequestFrom(openaiChat, {})), events),
    / there/,
  );
});

test('an error in a stream tells what was used before it, and ends it', () => {
  const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10 };
  const failed = event('error', { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } });
  const { events, finished } = streamed(
    converse.opening,
    converse.text('Hi'),
    event('metadata', { usage, serviceTier: { type: 'priority' } }),
    failed,
    delta(0, { text: 'x' }),
  );
  assert.equal(finished, true);
  assert.deepEqual(events.slice(-2), [
    {
      type: 'message_delta',
      delta: {},
      usage: { input_tokens: 7, output_tokens: 3, service_tier: 'priority' },
    },
    { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down', status: 429 } },
  ]);
});
