import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Script } from '../src/testing/fake-upstream.ts';
import { fieldsOf } from './support/at.ts';
import { call, type RawRequest } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { shareScriptedGateways } from './support/scripted-gateway.ts';

const house = shareScriptedGateways();

/** An answer with nothing in it but why, and what it cost all the same. */
const malformed = {
  candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'Malformed call.' }],
  usageMetadata: { promptTokenCount: 90_000, candidatesTokenCount: 70, totalTokenCount: 90_070 },
};
const failed = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'failed',
  error: { code: 'server_error', message: 'The model failed.' },
  model: 'gpt-5-codex',
  output: [],
  usage: { input_tokens: 90_000, output_tokens: 70, total_tokens: 90_070 },
};

function streamed(frame: object, name?: string): Script {
  const event = name === undefined ? '' : `event: ${name}\n`;
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [`${event}data: ${JSON.stringify(frame)}\n\n`],
  };
}

const answers: Readonly<Record<string, { readonly model: string; readonly whole: object; stream: Script }>> =
  {
    Gemini: { model: 'gemini-2.5-flash', whole: malformed, stream: streamed(malformed) },
    Responses: {
      model: 'gpt-5-codex',
      whole: failed,
      stream: streamed({ type: 'response.failed', sequence_number: 0, response: failed }, 'response.failed'),
    },
  };

const askers: Readonly<Record<string, (model: string, stream: boolean) => RawRequest>> = {
  Gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  }),
  Responses: (model, stream) => ({ path: '/v1/responses', body: { model, stream, input: 'Hi' } }),
  Messages: (model, stream) => ({
    path: '/v1/messages',
    body: { model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
  }),
};

for (const [provider, { model, whole, stream }] of Object.entries(answers))
  for (const client of [provider, 'Messages'])
    for (const isStreamed of [false, true])
      test(`a ${isStreamed ? 'streamed ' : ''}${provider} answer that failed costs a ${client} client what its provider counted`, async () => {
        const { fake, weir } = await house();
        fake.answerWith(isStreamed ? stream : { body: whole });
        const before = weir.logLines.length;
        const asked = askers[client]?.(model, isStreamed);
        assert.ok(asked !== undefined);
        const answer = await call(weir.url, asked);
        const line = await eventually(() =>
          weir.logLines.slice(before).find((one) => one.includes('"msg":"call"')),
        );
        const { ending, input, output, costNanoUsd, estimated } = fieldsOf(JSON.parse(line));
        assert.deepEqual(
          { ending, input, output, estimated },
          {
            ending: 'failed',
            input: 90_000,
            output: 70,
            estimated: undefined,
          },
        );
        assert.ok(Number(costNanoUsd) > 1_000_000, `it cost ${costNanoUsd}`);
        // What pays for it is for this gateway to know, and no part of the error.
        if (client === 'Messages') assert.ok(!answer.text.includes('90000'), answer.text);
      });

test('a call that failed before its answer began counts towards a ceiling where its provider counted', async () => {
  const { fake, weir } = await house({ WEIR_PIPELINE: 'cost-guard?day=0.0272' });
  fake.answerWith({ body: malformed });
  const asked = askers.Messages?.('gemini-2.5-flash', false);
  assert.ok(asked !== undefined);
  assert.equal((await call(weir.url, asked)).status, 502);
  assert.equal((await call(weir.url, asked)).status, 402);
});
