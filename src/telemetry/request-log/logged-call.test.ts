import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleEndedCall } from '../../../test/support/sample-ended-call.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { type Attributes, Step } from '../../kernel/trace.ts';
import { limits } from '../limits.ts';
import { toLoggedCall } from './logged-call.ts';

test('the time of a call is that of its id', () => {
  assert.equal(
    toLoggedCall(sampleEndedCall({ id: `req_019a8c3b5e00${'0'.repeat(20)}` })).atMs,
    0x019a8c3b5e00,
  );
});

test('the reported values of a call are kept, and missing ones are null', () => {
  const usage = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 0,
    output_tokens_details: { thinking_tokens: 1 },
  };
  const call = toLoggedCall(
    sampleEndedCall({
      usage,
      keyId: 'key',
      askedBy: 'judge',
      costNanoUsd: 0,
      contentMs: 0,
      errorCode: 'busy',
    }),
  );
  assert.deepEqual(
    [call.inputTokens, call.outputTokens, call.cacheReadTokens, call.cacheWriteTokens, call.reasoningTokens],
    [1, 2, 3, 0, 1],
  );
  assert.deepEqual([call.costNanoUsd, call.contentMs, call.errorCode], [0, 0, 'busy']);
  assert.deepEqual([call.keyId, call.askedBy], ['key', 'judge']);
  const bareCall = toLoggedCall(
    sampleEndedCall({ usage: { output_tokens_details: null }, modelUsed: undefined, provider: undefined }),
  );
  const { inputTokens, reasoningTokens, keyId, askedBy, costNanoUsd, contentMs, errorCode, modelUsed } =
    bareCall;
  assert.deepEqual(
    [
      inputTokens,
      reasoningTokens,
      keyId,
      askedBy,
      costNanoUsd,
      contentMs,
      errorCode,
      modelUsed,
      bareCall.provider,
    ],
    Array(9).fill(null),
  );
});

test('figures that can not be are left out', () => {
  for (const figure of [Number.NaN, -1, 1.5, 1e300, Number.POSITIVE_INFINITY]) {
    const call = toLoggedCall(
      sampleEndedCall({ usage: { input_tokens: figure }, costNanoUsd: figure, savedNanoUsd: figure }),
    );
    assert.deepEqual([call.inputTokens, call.costNanoUsd], [null, null]);
    // A module may cost more than it saves.
    assert.equal(call.savedNanoUsd, figure === -1 ? -1 : 0);
  }
});

test('names that a database would refuse, or that have no end, are kept as far as they can be', () => {
  const names = ['a\0b', 'c\ud800d', 'x'.repeat(100_000)];
  assert.deepEqual(
    names
      .map((name) => toLoggedCall(sampleEndedCall({ modelAsked: name, modelUsed: name })))
      .map((call) => [call.modelAsked, call.modelUsed]),
    ['a\ufffdb', 'c\ufffdd', 'x'.repeat(kernelLimits.modelNameMax)].map((name) => [name, name]),
  );
  const { pipeline } = toLoggedCall(sampleEndedCall({ pipeline: 'y'.repeat(100_000) }));
  assert.equal(pipeline.length, limits.requestLogPipelineCharacters);
});

test('modules are logged with their effect, their time and their attributes, within bounds', () => {
  const [first, ...others] = toLoggedCall(
    sampleEndedCall({
      steps: [
        step({ hit: true, age: 1.5, of: 'me' }),
        step({ name: 'a\0b', long: 'z'.repeat(1000), nan: Number.NaN, '\ud800': true }),
        step(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`fact${at}`, at]))),
        ...Array.from({ length: 1000 }, () => step({})),
      ],
    }),
  ).steps;
  assert.deepEqual(first, {
    module: 'module',
    effect: 'answered',
    ms: 0.123,
    facts: { hit: true, age: 1.5, of: 'me' },
  });
  assert.deepEqual(others[0]?.facts, {
    name: 'a\ufffdb',
    long: 'z'.repeat(limits.requestLogAttributeCharacters),
    nan: 'NaN',
    '\ufffd': true,
  });
  assert.equal(Object.keys(others[1]?.facts ?? {}).length, limits.requestLogAttributesMax);
  assert.equal(others.length + 1, limits.requestLogStepsMax);
});

function step(facts: Attributes): Step {
  const made = new Step('module');
  made.effect = 'answered';
  made.ownMs = 0.12345;
  made.note(facts);
  return made;
}
