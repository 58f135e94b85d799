import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FakeUpstream, type Script } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { eventually } from './support/eventually.ts';
import { framings, messages, pathOf, requestIn, type TestedFormat } from './support/formats.ts';
import { anthropicKey, shareScriptedGateways } from './support/scripted-gateway.ts';
import { emptyFolder } from './support/weir-process.ts';

const enter = shareScriptedGateways();
const value = 'bob.ohara@example.org';
const card = '4111 1111 1111 1111';

/** A call whose text is this. */
function callIn(format: TestedFormat, streamed: boolean, text: string, options: string) {
  const body = JSON.stringify(requestIn(format, streamed)).replace('"Hello"', JSON.stringify(text));
  return {
    path: pathOf(format, streamed),
    body: Buffer.from(body),
    headers: ['x-weir-pipeline', `guardrails?models=off${options}`],
  };
}

/** An answer that says this, letter by letter and cut anywhere. */
function answerIn(format: TestedFormat, streamed: boolean, text: string): Script {
  if (!streamed) return { headers: { 'content-type': 'application/json' }, body: format.whole(text) };
  const bytes = Buffer.from([...format.start, ...lettersIn(format, text), ...format.end].join(''));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, at) =>
    bytes.subarray(at * 97, (at + 1) * 97),
  );
  return { headers: { 'content-type': 'text/event-stream' }, chunks };
}

/** Frames with one letter each. In formats whose content has a start and an end, in one block. */
function lettersIn({ content }: TestedFormat, text: string): readonly string[] {
  const frames = (letter: string) => content(letter).split(/(?<=\n\n)/);
  const [first = '', , last = ''] = frames('x');
  const isBlock = frames('x').length === 3;
  const letters = Array.from(text, (letter) => (isBlock ? (frames(letter)[1] ?? '') : content(letter)));
  return isBlock ? [first, ...letters, last] : letters;
}

for (const { format, streamed, manner } of framings)
  describe(`guardrails (${manner})`, () => {
    test('keeps values from the provider and restores them for the client', async () => {
      const { fake, weir } = await enter();
      fake.answerWith(answerIn(format, streamed, 'I wrote to <EMAIL_1> and charged <CREDIT_CARD_1>. '));
      const { status, text } = await call(
        weir.url,
        callIn(format, streamed, `Write to ${value}, charge ${card}`, ''),
      );
      assert.equal(status, 200, text);
      assert.match(fake.last.bytes.toString(), /Write to <EMAIL_1>, charge <CREDIT_CARD_1>/);
      assert.doesNotMatch(fake.last.bytes.toString(), /ohara|4111/);
      assert.ok(text.includes(value) && text.includes(card), text);
      assert.doesNotMatch(text, /EMAIL_1|CREDIT_CARD_1/);
    });

    test('ends an answer before what is blocked, as its format ends refused ones', async () => {
      const { fake, weir } = await enter();
      fake.answerWith(answerIn(format, streamed, `You can reach him at ${value}, or not at all. `));
      const { status, text } = await call(
        weir.url,
        callIn(format, streamed, 'Where is he?', '&output=block'),
      );
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /bob|ohara|example\.org|not at all/);
      assert.match(text, endings[format.name] ?? /^$/);
    });
  });

const endings: Readonly<Record<string, RegExp>> = {
  Messages: /"stop_reason":"refusal"/,
  'Chat Completions': /"finish_reason":"content_filter"/,
  Responses: /"incomplete_details":\{"reason":"content_filter"\}/,
  Gemini: /"finishReason":"SAFETY"/,
  Interactions: /content_filter|safety|incomplete/i,
};

test('a conversation that the provider stores keeps its placeholders', async () => {
  const { fake, weir } = await enter();
  const responses = framings.find(({ format }) => format.name === 'Responses')?.format ?? assert.fail();
  fake.answerWith({ body: responses.whole('Hello <EMAIL_1>') });
  const first = await call(weir.url, callIn(responses, false, `I am ${value}`, ''));
  const id = String(at(first.json, 'id'));
  fake.answerWith({ body: responses.whole('<EMAIL_1> and <EMAIL_2>') });
  const sent = callIn(responses, false, 'And eve@example.org?', '');
  const body = Buffer.from(JSON.stringify({ ...JSON.parse(sent.body.toString()), previous_response_id: id }));
  const second = await eventually(async () => {
    const answer = await call(weir.url, { ...sent, body });
    return answer.text.includes(value) ? answer : undefined;
  });
  assert.match(fake.last.bytes.toString(), /And <EMAIL_2>/);
  assert.ok(second.text.includes(`${value} and eve@example.org`), second.text);
});

test('a blocked request costs nothing, and its error has the kind but not the value', async () => {
  const { fake, weir } = await enter();
  const { status, json } = await call(weir.url, callIn(messages, false, `I am ${value}`, '&pii=block'));
  assert.equal(status, 400);
  assert.equal(at(json, 'error', 'code'), 'blocked_by_module');
  assert.match(String(at(json, 'error', 'message')), /EMAIL/);
  assert.doesNotMatch(JSON.stringify(json), /ohara/);
  assert.equal(fake.requests.length, 0);
});

test('values are in no file, log, metric, usage or error, also if calls are recorded', async (t) => {
  const canary = 'k7vq2zw9';
  const folder = emptyFolder(t);
  const fake = await FakeUpstream.start();
  const weir = await startTestGateway({
    WEIR_DATA_DIR: folder,
    WEIR_RECORD: 'all',
    WEIR_ANTHROPIC_BASE_URL: fake.url,
    ANTHROPIC_API_KEY: anthropicKey,
  });
  const text = `I am ${canary}@example.org, password: Xy7${canary}!pQ, key sk-ant-api03-${canary}${'Ab3'.repeat(12)}`;
  const seen: string[] = [];
  for (const options of [
    '',
    '&pii=block',
    '&secrets=block',
    '&pii=monitor&secrets=monitor',
    '&output=redact',
    '&output=block',
  ]) {
    fake.answerWith(answerIn(messages, true, `Mail ${canary}@example.com or <EMAIL_1>. `));
    const { status, text: answer } = await call(weir.url, callIn(messages, true, text, options));
    if (status !== 200) seen.push(answer);
  }
  for (const path of ['/v1/usage', '/v1/requests', '/metrics', '/v1/savings'])
    seen.push((await call(weir.url, { path, headers: ['authorization', 'Bearer any'] })).text);
  assert.match(seen.join('\n'), /EMAIL/);
  await weir.close();
  await fake.close();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  assert.ok(files.length > 0);
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    assert.ok(
      !bytes.includes(canary) && !bytes.includes(Buffer.from(canary).toString('base64').slice(0, 10)),
      name,
    );
  }
  for (const line of [...seen, ...weir.logLines]) assert.ok(!line.includes(canary), line.slice(0, 500));
});
