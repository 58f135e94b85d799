import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { FakeUpstream, type Script } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { converse, invokedClaude } from './support/bedrock-dialects.ts';
import { bedrockApiKey, startBedrockServer } from './support/bedrock-server.ts';
import { type ClientAnswer, type ClientDialect, clientDialects } from './support/client-dialects.ts';
import { requestJson as send } from './support/http-client.ts';
import { type ProviderDialect, providerDialects } from './support/provider-dialects.ts';

const fake = await FakeUpstream.start();
const front = await startBedrockServer(fake.url);
const weir = await startTestGateway({
  WEIR_BEDROCK_BASE_URL: front.url,
  WEIR_BEDROCK_REGIONS: 'eu-central-1',
  BEDROCK_API_KEY: bedrockApiKey,
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  WEIR_LMSTUDIO_BASE_URL: `${fake.url}/v1`,
  WEIR_GEMINI_BASE_URL: fake.url,
  GEMINI_API_KEY: 'AIza-tests',
  ANTHROPIC_API_KEY: 'sk-ant-the-operators-own',
  OPENAI_API_KEY: 'sk-the-operators-own',
});
const keys: Readonly<Record<string, string>> = {
  Messages: 'sk-ant-the-operators-own',
  Responses: 'sk-the-operators-own',
  Converse: bedrockApiKey,
};
const message = 'Number of requests has exceeded your limit';
const tooLong = [
  'prompt is too long: 208310 tokens > 200000 maximum',
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
];
const mebibyte = 1024 * 1024;

beforeEach(() => {
  fake.requests.length = 0;
});
after(async () => {
  await weir.close();
  front.close();
  await fake.close();
});

/** A thrown error that an SDK made from what it was told. */
type Thrown = InstanceType<typeof Anthropic.APIError> | InstanceType<typeof OpenAI.APIError> | ApiError;

/** Google's SDK has no public class for errors of Interactions: `interactions-sdk.test.ts` has their faults. */
const clients = clientDialects(weir.url).filter(({ name }) => name !== 'Interactions');

for (const provider of [...providerDialects, converse])
  for (const client of clients) if (provider.name !== client.name) faults(provider, client);
for (const client of clients) if (client.name === 'Chat Completions') faults(invokedClaude, client);

function faults(provider: ProviderDialect, client: ClientDialect): void {
  const { model, opening, text, call, closing, errorEvent, whole, refusal } = provider;
  const pair = `${client.name} client, ${provider.name} provider`;

  function ask(script: Script, stream: boolean): Promise<ClientAnswer> {
    fake.answerWith(script);
    return client.ask({ model, stream });
  }

  async function failing(script: Script, stream: boolean): Promise<Thrown> {
    const told = await ask(script, stream).catch((error: unknown) => error);
    assert.ok(
      told instanceof Anthropic.APIError || told instanceof OpenAI.APIError || told instanceof ApiError,
      String(told),
    );
    assert.equal(told instanceof Anthropic.APIError, client.name === 'Messages');
    assert.equal(told instanceof ApiError, client.name === 'Gemini');
    return told;
  }

  test(`an error in the middle of a stream reaches the client as one (${pair})`, async () => {
    const chunks = [opening, text('Some'), errorEvent(529, message)];
    const error = await failing({ chunks }, true);
    assert.match(error.message, new RegExp(message));
    const { text: raw } = await rawStream({ chunks });
    assertOneEnd(raw, client);
  });

  for (const [how, ending] of [
    ['that just ends', 'end'],
    ['that is cut off', 'cut'],
  ] as const)
    test(`a stream ${how} before its end breaks off, and is no answer (${pair})`, async () => {
      const script: Script = { chunks: [opening, text('Some')], ending };
      // Clients of Gemini ask again after an error.
      if (client.name === 'Gemini') assert.equal((await failing(script, true)).status, 502);
      else await assert.rejects(ask(script, true), /terminated|Connection error/);
      const sent = await brokenStream(script);
      assert.match(sent, /Some/);
      assert.doesNotMatch(
        sent,
        /message_stop|response\.completed|response\.failed|\[DONE\]|finishReason|event: error/,
      );
      assert.equal(/\{"error":\{"code":502.*\}$/.test(sent), client.name === 'Gemini');
    });

  test(`a frame that is no JSON is passed over (${pair})`, async () => {
    const chunks = [opening, 'data: {"oops\n\n', text('All there'), closing('said')];
    assert.equal((await ask({ chunks }, true)).text, 'All there');
  });

  for (const [what, body] of [
    ['that is no JSON', '{"id": "x", "cont'],
    ['that is empty', ''],
    ['that is JSON, and no answer', '{"pathname": "/"}'],
  ] as const)
    test(`an unstreamed answer ${what} is a 502 (${pair})`, async () => {
      const error = await failing({ body }, false);
      assert.equal(error.status, 502);
      assert.match(error.message, /no message/);
    });

  for (const [what, chunks] of [
    ['that is empty', []],
    ['with nothing but its opening', [opening]],
    ['of nothing but broken frames', ['data: {"oops\n\n', 'data: {"oops\n\n']],
  ] as const)
    test(`a stream ${what} is a 502, so that it can be asked for again (${pair})`, async () => {
      const error = await failing({ chunks }, true);
      assert.equal(error.status, 502);
      assert.match(error.message, /closed the stream before sending any content/);
    });

  for (const status of [429, 529] as const)
    test(`an error before any content of a stream has the status it stands for, ${status} (${pair})`, async () => {
      const error = await failing({ chunks: [opening, errorEvent(status, message)] }, true);
      assert.equal(error.status, status);
      assert.match(error.message, new RegExp(message));
    });

  for (const stream of [true, false]) {
    const how = stream ? 'streamed' : 'unstreamed';

    test(`a 429 comes with its words and its retry-after, ${how} (${pair})`, async () => {
      const headers = { 'retry-after': '7', 'x-should-retry': 'true' };
      const error = await failing({ ...refusal(429, message), headers }, stream);
      assert.equal(error.status, 429);
      assert.match(error.message, new RegExp(message));
      if (error instanceof ApiError) {
        assert.match(error.message, /"retryDelay":"7s"/);
        return;
      }
      assert.equal(error.headers?.get('retry-after'), '7');
      assert.equal(error.headers?.get('x-should-retry'), 'true');
      assert.equal(errorTypeIn(error), 'rate_limit_error');
    });

    test(`a conversation that is too long is told in the words of the client, ${how} (${pair})`, async () => {
      for (const words of tooLong) {
        const error = await failing(refusal(400, words), stream);
        assert.equal(error.status, 400);
        assert.match(error.message, /prompt is too long/);
        assert.ok(error.message.includes(words));
        if (error instanceof ApiError) assert.match(error.message, /"reason":"CONTEXT_LENGTH_EXCEEDED"/);
        else
          assert.equal(
            at(error.error, ...(client.name === 'Messages' ? ['error'] : []), 'code'),
            'context_length_exceeded',
          );
      }
    });

    test(`a 529 stays one, ${how} (${pair})`, async () => {
      const error = await failing(refusal(529, message), stream);
      assert.equal(error.status, 529);
      assert.equal(errorTypeIn(error), overloaded[client.name] ?? 'server_error');
    });

    test(`a mebibyte of tool arguments arrives whole, ${how} (${pair})`, async () => {
      const json = JSON.stringify({ note: 'ä€😀"\\\n'.repeat(80_000) });
      assert.ok(Buffer.byteLength(json) > mebibyte);
      const save = { id: 'call_1', name: 'save' };
      const script: Script = stream
        ? { chunks: [opening, call(save, ...piecesOf(json)), closing('called')] }
        : { body: whole('Saving.', { ...save, json }) };
      const told = await ask(script, stream);
      const [got, ...others] = told.calls;
      assert.deepEqual([got?.id, got?.name, others.length], ['call_1', 'save', 0]);
      assert.ok(JSON.stringify(JSON.parse(got?.json ?? '')) === json, 'the arguments differ');
    });
  }

  test(`a thousand tiny pieces in one chunk arrive in order (${pair})`, async () => {
    const words = Array.from({ length: 1000 }, (_, at) => `${at} `);
    const told = await ask({ chunks: [opening + text(...words) + closing('said')] }, true);
    assert.equal(told.text, words.join(''));
    assert.ok(['end_turn', 'stop', 'completed', 'STOP'].includes(String(told.stop)));
  });

  const key = keys[provider.name];
  if (key !== undefined)
    test(`a key that the provider quotes is not told on (${pair})`, async () => {
      const error = await failing(refusal(401, `Incorrect API key: ${key}.`), false);
      assert.equal(error.status, 401);
      // Claude Code tries a 401 again for a minute unless it is told not to.
      if (!(error instanceof ApiError)) assert.equal(error.headers?.get('x-should-retry'), 'false');
      assert.match(error.message, /Incorrect API key: \[secret\]\./);
    });

  /** What arrives before the connection breaks. */
  async function brokenStream(script: Script): Promise<string> {
    fake.answerWith(script);
    const { path, body } = rawRequest();
    const response = await fetch(weir.url + path, { method: 'POST', body: JSON.stringify(body) });
    const decoder = new TextDecoder();
    let sent = '';
    await assert.rejects(async () => {
      for await (const chunk of response.body ?? []) sent += decoder.decode(chunk);
    }, /terminated/);
    return sent;
  }

  function rawStream(script: Script) {
    fake.answerWith(script);
    const { path, body } = rawRequest();
    return send(weir.url + path, { body });
  }

  function rawRequest() {
    const conversation = [{ role: 'user', content: 'Hello' }];
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const body =
      client.name === 'Gemini'
        ? { contents }
        : { model, max_tokens: 100, stream: true, messages: conversation, input: conversation };
    return { path: client.path(model, true), body };
  }
}

/** The last frame tells the error in the client's dialect, and nothing before it claimed an end. */
function assertOneEnd(raw: string, { name }: ClientDialect): void {
  const frames = raw.split(/\r?\n\r?\n/).filter((frame) => frame !== '' && !frame.startsWith(':'));
  const ends = frames.filter((frame) =>
    /^event: (message_stop|error|response\.(completed|incomplete|failed))\n|^data: \[DONE\]|"error":\{/.test(
      frame,
    ),
  );
  assert.equal(ends.length, 1, raw);
  assert.equal(frames.at(-1), ends[0]);
  const data: unknown = JSON.parse(/\{.*\}/.exec(ends[0] ?? '')?.[0] ?? '');
  switch (name) {
    case 'Messages':
      assert.equal(at(data, 'type'), 'error');
      assert.match(String(at(data, 'error', 'type')), /^(api|overloaded)_error$/);
      return;
    case 'Chat Completions':
      assert.equal(at(data, 'error', 'type'), 'server_error');
      return;
    case 'Gemini':
      assert.equal(at(data, 'error', 'status'), 'UNAVAILABLE');
      return;
    default:
      assert.equal(at(data, 'type'), 'response.failed');
      assert.equal(at(data, 'response', 'status'), 'failed');
      assert.equal(at(data, 'response', 'error', 'code'), 'server_error');
      assert.equal(at(data, 'sequence_number'), frames.length - 1);
  }
}

const overloaded: Readonly<Record<string, string>> = { Messages: 'overloaded_error', Gemini: 'UNAVAILABLE' };

function errorTypeIn(error: Thrown): unknown {
  if (error instanceof ApiError) return at(JSON.parse(error.message), 'error', 'status');
  return error instanceof Anthropic.APIError ? at(error.error, 'error', 'type') : error.type;
}

function piecesOf(text: string): readonly string[] {
  return text.match(/.{1,65536}/gsu) ?? [];
}
