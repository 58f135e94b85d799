import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { converse, event, invokedClaude } from '../../test/support/bedrock-dialects.ts';
import { encodeEventFrame } from '../../test/support/bedrock-server.ts';
import { replayEverywhere } from '../../test/support/wire/replay.ts';
import { GatewayError } from '../kernel/errors.ts';
import { AwsEventStreamParser } from './aws-event-stream.ts';
import { AwsEventStreamToSse } from './aws-event-stream-to-sse.ts';
import { createBedrockConverse } from './bedrock-converse/bedrock-converse.ts';
import { anthropicMessages } from './index.ts';
import { SseParser } from './sse.ts';

const bedrockConverse = createBedrockConverse(() => 'msg_1');

/** Written as server-sent events, and packed as Amazon's own code packs them. */
function packedAll(frames: string, isInvoked: boolean): Buffer {
  const parsed = new SseParser().push(Buffer.from(frames));
  return Buffer.concat(parsed.map(({ event: name, data }) => encodeEventFrame(name, data, isInvoked)));
}

function unpacked(bytes: Uint8Array, cuts: readonly number[]): string {
  const events = new AwsEventStreamToSse();
  let from = 0;
  let text = '';
  for (const cut of [...cuts, bytes.length]) {
    text += Buffer.from(events.push(bytes.subarray(from, cut))).toString('utf8');
    from = cut;
  }
  return text;
}

const said =
  converse.text('Wä', 'ter 水 ', '😀') + converse.call({ id: 'c_1', name: 'save' }, '{"no', 'te":"ü"}');
const stream = converse.opening + said + converse.closing('called');

test('a packed stream reads the same however it is cut', () => {
  const claude = invokedClaude.opening + invokedClaude.text('Wä', 'ter') + invokedClaude.closing('said');
  for (const [frames, isInvoked] of [
    [stream, false],
    [claude, true],
  ] as const) {
    const bytes = packedAll(frames, isInvoked);
    const everyByte = Array.from(bytes, (_, at) => at);
    for (const cuts of [[], everyByte, ...everyByte.map((at) => [at])])
      assert.equal(unpacked(bytes, cuts), frames);
  }
});

test('messages that come at once are read where they are', () => {
  const bytes = new Uint8Array(packedAll(stream, false));
  for (const { payload } of new AwsEventStreamParser().push(bytes))
    assert.equal(payload.buffer, bytes.buffer);
});

test('a changed bit anywhere is found by one of the two checksums', () => {
  const bytes = packedAll(converse.opening + converse.text('Hi'), false);
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    assert.throws(() => unpacked(changed, []), isBroken, `byte ${at}`);
  }
  // A beginning that claims more than may be, with a checksum that is right.
  const huge = Buffer.from('7fffffff00000000', 'hex');
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(huge));
  assert.throws(() => unpacked(Buffer.concat([huge, sum]), []), isBroken);
});

function isBroken(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'upstream_broken';
}

test('Converse’s answers are read whole, cut anywhere', () => {
  const thought = event('contentBlockDelta', {
    contentBlockIndex: 0,
    delta: { reasoningContent: { text: 'Hm' } },
  });
  const signed = event('contentBlockDelta', {
    contentBlockIndex: 0,
    delta: { reasoningContent: { signature: 'c2ln' } },
  });
  const stop = event('contentBlockStop', { contentBlockIndex: 0 });
  const usage = { inputTokens: 7, outputTokens: 3, cacheReadInputTokens: 100, cacheWriteInputTokens: 20 };
  const frames = [
    converse.opening,
    thought,
    signed,
    stop,
    said.replaceAll('"contentBlockIndex":0', '"contentBlockIndex":2'),
    event('messageStop', { stopReason: 'tool_use' }),
    event('metadata', { usage }),
  ];
  const { answer, finished } = replayEverywhere({
    wire: bedrockConverse,
    framing: 'sse',
    bytes: Buffer.from(frames.join('')),
  });
  assert.equal(finished, true);
  assert.deepEqual(answer?.content, [
    { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
    { type: 'text', text: 'Wäter 水 😀' },
    { type: 'tool_use', id: 'c_1', name: 'save', input: { note: 'ü' } },
  ]);
  assert.equal(answer.stop_reason, 'tool_use');
  assert.deepEqual(answer.usage, {
    input_tokens: 7,
    output_tokens: 3,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 20,
  });
  const cut = frames.slice(0, 4).join('');
  assert.equal(
    replayEverywhere({ wire: bedrockConverse, framing: 'sse', bytes: Buffer.from(cut) }).finished,
    false,
  );
});

test('a packed error ends a stream of either kind with the status that it stands for', () => {
  for (const wire of [bedrockConverse, anthropicMessages])
    for (const [name, status] of [
      ['throttlingException', 429],
      ['validationException', 400],
      ['modelStreamErrorException', 500],
    ] as const) {
      const bytes = unpacked(encodeEventFrame(name, '{"message":"no"}', true), []);
      const decoder = wire.replyDecoder('sse', 'everything');
      const [error] = decoder.push(Buffer.from(bytes));
      assert.deepEqual(error?.type === 'error' && [error.error.message, error.error.status], ['no', status]);
    }
});
