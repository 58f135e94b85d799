import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSettings } from '../src/gateway/settings.ts';
import { contentAttributes } from '../src/telemetry/otlp/content-attributes.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { framings, messages, pathOf, requestIn, streamIn } from './support/formats.ts';
import { type ExportedSpan, spansIn } from './support/otlp.ts';
import { shareScriptedGateways } from './support/scripted-gateway.ts';

const secret = 'ada.lovelace@example.org';
const contentNames = [
  'gen_ai.system_instructions',
  'gen_ai.input.messages',
  'gen_ai.tool.definitions',
  'gen_ai.output.messages',
];

let collector: FakeUpstream;
before(async () => {
  collector = await FakeUpstream.start({ status: 200 });
});
after(() => collector.close());

const enter = shareScriptedGateways();
const exporting = () => ({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  OTEL_BSP_SCHEDULE_DELAY: '1',
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY',
});
const recording = () => enter({ ...exporting(), WEIR_RECORD: 'all' });

/** The spans of the call with this answer, once they are exported. */
function spansOf({ headers }: RawAnswer): Promise<readonly ExportedSpan[]> {
  return eventually(() => {
    const all = spansIn(collector.requests);
    const root = all.find(({ attributes }) => attributes['weir.request.id'] === headers['x-request-id']);
    return root && all.filter(({ traceId }) => traceId === root.traceId);
  });
}

/** The content in a span, read as JSON. */
function contentIn(span: ExportedSpan | undefined): Record<string, unknown> {
  const present = contentNames.filter((name) => span?.attributes[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, JSON.parse(String(span?.attributes[name]))]));
}

function hasContent(spans: readonly ExportedSpan[]): boolean {
  return spans.some((span) => Object.keys(contentIn(span)).length > 0);
}

for (const { format, streamed, manner } of framings)
  test(`the attempt of a recorded call has its content, as guardrails pass it on (${manner})`, async () => {
    const { fake, weir } = await recording();
    const said = 'Write to <EMAIL_1>, please';
    fake.answerWith({
      headers: { 'content-type': streamed ? 'text/event-stream' : 'application/json' },
      body: streamed ? streamIn(format, said) : format.whole(said),
    });
    const body = JSON.stringify(requestIn(format, streamed)).replace('Hello', `Hello ${secret}`);
    const headers = ['x-weir-pipeline', 'guardrails'];
    const answer = await call(weir.url, { path: pathOf(format, streamed), body: Buffer.from(body), headers });
    assert.ok(answer.text.includes(secret));
    const spans = await spansOf(answer);
    assert.deepEqual(
      spans.map((span) => Object.keys(contentIn(span)).length > 0),
      spans.map(({ name }) => name.startsWith('chat ')),
      'only the attempt has content',
    );
    const content = contentIn(spans.at(-1));
    assert.deepEqual(content['gen_ai.input.messages'], [
      { role: 'user', parts: [{ type: 'text', content: 'Hello <EMAIL_1>' }] },
    ]);
    assert.deepEqual(content['gen_ai.output.messages'], [
      { role: 'assistant', finish_reason: 'stop', parts: [{ type: 'text', content: said }] },
    ]);
    assert.ok(collector.requests.every(({ bytes }) => !bytes.includes('lovelace')));
  });

test('tools, their results and instructions have the shapes of the conventions', async () => {
  const { fake, weir } = await recording();
  fake.answerWith({
    body: messages.whole('It rains.'),
  });
  const answer = await call(weir.url, {
    path: '/v1/messages',
    body: {
      ...requestIn(messages, false),
      system: 'Be brief.',
      tools: [{ name: 'weather', description: 'of a town', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Rain?' }, pixel] },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 't1', name: 'weather', input: { town: 'Bonn' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'wet' }] },
      ],
    },
  });
  assert.deepEqual(contentIn((await spansOf(answer)).at(-1)), {
    'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
    'gen_ai.tool.definitions': [
      { type: 'function', name: 'weather', description: 'of a town', parameters: { type: 'object' } },
    ],
    'gen_ai.input.messages': [
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'Rain?' },
          { type: 'blob', modality: 'image', mime_type: 'image/png', left_out_characters: 8 },
        ],
      },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 't1', name: 'weather', arguments: { town: 'Bonn' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 't1', response: 'wet' }] },
    ],
    'gen_ai.output.messages': [
      { role: 'assistant', finish_reason: 'stop', parts: [{ type: 'text', content: 'It rains.' }] },
    ],
  });
});

const pixel = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0K' } };

test('a cache hit has content in the span of the call; what nobody has judged is in none', async () => {
  const { fake, weir } = await recording();
  fake.answerWith({ body: messages.whole('Hello') });
  const ask = (pipeline: string, text: string, headers: readonly string[] = []) =>
    call(weir.url, {
      path: messages.path,
      body: { ...requestIn(messages, false), messages: [{ role: 'user', content: text }] },
      headers: ['x-weir-pipeline', pipeline, ...headers],
    });
  await ask('exact-cache', 'again');
  const [root, ...others] = await spansOf(await ask('exact-cache', 'again'));
  assert.deepEqual(Object.keys(contentIn(root)), ['gen_ai.input.messages', 'gen_ai.output.messages']);
  assert.equal(hasContent(others), false);
  const blocked = await ask('guardrails?pii=block', `Mail ${secret}`);
  assert.equal(blocked.status, 400);
  assert.equal(hasContent(await spansOf(blocked)), false);
  const unwanted = await ask('none', 'Hello', ['x-weir-record', 'off']);
  assert.equal(hasContent(await spansOf(unwanted)), false);
});

test('content needs the setting of the operator and the consent of the key, in cloud mode each for itself', async (t) => {
  const { fake, weir } = await enter({
    ...exporting(),
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'false',
    WEIR_RECORD: 'all',
  });
  fake.answerWith({ body: messages.whole('Hello') });
  const unset = await call(weir.url, { path: messages.path, body: requestIn(messages, false) });
  assert.equal(unset.headers['x-weir-recorded'], 'true');
  assert.equal(hasContent(await spansOf(unset)), false);

  const cloud = await startCloud(t, exporting());
  const person = await Person.signUp(cloud.url);
  const [consenting, other] = [await person.makeKey(), await person.makeKey()];
  await person.call({ method: 'PUT', path: `/v1/keys/${consenting.id}/recording`, body: { record: 'all' } });
  const ask = (key: string) =>
    call(cloud.url, {
      path: messages.path,
      body: { ...requestIn(messages, false), model: 'demo-1' },
      headers: bearer(key),
    });
  assert.equal(hasContent(await spansOf(await ask(consenting.key))), true);
  assert.equal(hasContent(await spansOf(await ask(other.key))), false);
  const settings = await person.call({ path: '/v1/recordings/settings' });
  assert.equal(settings.json.in_traces, true, 'whoever consents can know');
});

test('content of any size is whole JSON of a limited size, and tells what it leaves out', () => {
  const text = 'ü\u0001"\\'.repeat(20_000);
  const many = Array.from(
    { length: 400 },
    (_, at) => ({ role: 'user', content: `${at} ${'x'.repeat(1000)}` }) as const,
  );
  const deep = { list: Array.from({ length: 30_000 }, (_, at) => ({ at })) };
  const answer = {
    ...({ id: 'a', type: 'message', role: 'assistant', model: 'm', usage: {}, stop_sequence: null } as const),
    content: [
      { type: 'text', text: `${'y'.repeat(16_000)}😀${'z'.repeat(40_000)}` },
      { type: 'tool_use', id: 't', name: 'write', input: { path: 'a', content: text } },
      { type: 'tool_use', id: 'u', name: 'list', input: deep },
    ],
    stop_reason: 'tool_use',
  } as const;
  const request = {
    ...{ model: 'm', messages: [...many, { role: 'user', content: text } as const] },
    system: Array.from({ length: 90 }, () => ({ type: 'text', text: 's'.repeat(2000) }) as const),
    tools: Array.from({ length: 90 }, (_, at) => ({ name: `tool${at}`, description: 'd'.repeat(20_000) })),
  };
  const { texts, leftOut } = contentAttributes({ request, answer });
  assert.deepEqual(texts.names.toSorted(), contentNames.toSorted());
  const read = texts.values.map((json) => {
    assert.ok(json.length <= 66_000 && json.isWellFormed(), `${json.length}`);
    return JSON.parse(json);
  });
  const [, input] = read;
  assert.deepEqual(
    [input.at(-1).role, input.at(-2).parts[0].content.slice(0, 4)],
    ['user', '399 '],
    'the newest stay',
  );
  assert.match(input.at(-1).parts[0].content, /^ü.+…$/s);
  assert.ok(leftOut > 300 && leftOut < 700, `${leftOut}`);
});

test('the variable of OpenTelemetry is read in any case, and events are refused', () => {
  const isOn = (value: string) =>
    readSettings({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value }).otlp.hasContent;
  assert.deepEqual(['true', 'SPAN_ONLY', 'span_and_event', 'False', 'NO_CONTENT'].map(isOn), [
    true,
    true,
    true,
    false,
    false,
  ]);
  assert.throws(() => isOn('EVENT_ONLY'), /OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: must be/);
});
