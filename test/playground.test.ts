import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { codeFor } from '../web/pages/playground/code.ts';
import { chatOf, type Draft, draftOfRecorded, newDraft, readDraft } from '../web/pages/playground/draft.ts';
import { packDraft, unpackDraft } from '../web/pages/playground/share.ts';
import { AnswerBuilder, type Chat } from '../web/parts/chat/chat.ts';
import { formatNamed, formats } from '../web/parts/formats.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { root } from './support/documents.ts';
import { framings, streamIn } from './support/formats.ts';
import { emptyFolder } from './support/weir-process.ts';

const run = promisify(execFile);
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** A conversation with everything that the page can send. */
const chat: Chat = {
  system: `It's "quoted", $HOME and \`ticks\``,
  tools: [{ name: 'get_weather', description: 'The weather', input_schema: schema }],
  schema: { ...schema, additionalProperties: false },
  maxTokens: 300,
  temperature: 0.5,
  topP: 0.9,
  effort: 'low',
  turns: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather?\nIn ü' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Ulm' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Rain' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'It rains.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And tomorrow?' }] },
  ],
};

const models: Readonly<Record<string, string>> = {
  'anthropic-messages': 'claude-sonnet-4-5',
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
  gemini: 'gemini-2.5-flash',
};

test('the code sends what the page sends', async (t) => {
  const provider = await FakeUpstream.start({ headers: { 'content-type': 'text/event-stream' }, body: '' });
  cleanUp(t, () => provider.close());
  const folder = emptyFolder(t);
  symlinkSync(join(root, 'node_modules', '.test', 'node_modules'), join(folder, 'node_modules'), 'dir');
  const requests = formats.map((format) => {
    const model = models[format.name] ?? '';
    return { origin: provider.url, format, model, chat, pipeline: 'exact-cache' };
  });
  const programs = requests.map((request, index) => {
    const file = join(folder, `${index}.ts`);
    writeFileSync(file, codeFor('TypeScript', request));
    return `await import(${JSON.stringify(pathToFileURL(file).href)}).catch(() => undefined);`;
  });
  writeFileSync(join(folder, 'all.ts'), programs.join('\n'));
  const env = { ...process.env, WEIR_KEY: 'the-key' };
  await run(process.execPath, [join(folder, 'all.ts')], { cwd: folder, env });
  const sent = provider.requests.splice(0);
  for (const request of requests) await run('sh', ['-c', codeFor('curl', request)], { env });
  const python = requests.map((request) => codeFor('Python', request));
  await run('python3', [
    '-c',
    'import ast, json, sys; [ast.parse(text) for text in json.loads(sys.argv[1])]',
    JSON.stringify(python),
  ]);
  for (const [index, { format, model }] of requests.entries()) {
    const expected = { ...chat, model, streamed: true };
    for (const seen of [sent[index], provider.requests[index]]) {
      assert.equal(seen?.url, format.path(expected));
      assert.deepEqual(seen?.json, JSON.parse(JSON.stringify(format.body(expected))), format.name);
      assert.equal(seen?.headers['x-weir-pipeline'], 'exact-cache');
    }
  }
});

test('every format says the same to a provider of another', async (t) => {
  const provider = await FakeUpstream.start({ body: {} });
  cleanUp(t, () => provider.close());
  const weir = await startTestGateway({
    WEIR_ANTHROPIC_BASE_URL: provider.url,
    ANTHROPIC_API_KEY: 'sk-ant-x',
  });
  cleanUp(t, () => weir.close());
  const { temperature: _, topP: __, ...plain } = chat;
  const sent = [];
  for (const format of formats) {
    const request = { ...plain, model: 'claude-sonnet-4-5', streamed: false };
    await call(weir.url, { path: format.path(request), body: format.body(request) });
    const { messages, system, tools, max_tokens, output_config } = provider.last.json;
    sent.push(JSON.parse(JSON.stringify({ messages, system, tools, max_tokens, output_config })));
  }
  const texts = sent.map((body) => ({
    ...{
      max: body.max_tokens,
      schema: body.output_config?.format?.schema,
      tools: body.tools?.[0]?.input_schema,
    },
    system: JSON.stringify(body.system).includes('ticks'),
    image: JSON.stringify(body.messages).includes(pixel),
    turns: body.messages.map(({ role }: { role: string }) => role),
    call: JSON.stringify(body.messages).includes('"input":{"city":"Ulm"}'),
    result: JSON.stringify(body.messages).includes('Rain'),
  }));
  for (const text of texts) assert.deepEqual(text, texts[0]);
  assert.deepEqual(texts[0]?.turns, ['user', 'assistant', 'user', 'assistant', 'user']);
  assert.ok(texts[0]?.system && texts[0].image && texts[0].call && texts[0].result);
});

describe('a stream', () => {
  const read = (format: string, frames: string): AnswerBuilder => {
    const answer = new AnswerBuilder();
    for (const line of frames.split('\n'))
      if (line.startsWith('data: {')) formatNamed(format)?.read(JSON.parse(line.slice(6)), answer);
    return answer;
  };
  const names: Readonly<Record<string, string>> = {
    ...{ Messages: 'anthropic-messages', 'Chat Completions': 'openai-chat', Responses: 'openai-responses' },
    Gemini: 'gemini',
  };

  for (const { format, streamed } of framings)
    if (streamed && format.name in names)
      test(`is read as it arrives (${format.name})`, () => {
        const name = names[format.name] ?? '';
        assert.deepEqual(read(name, streamIn(format, 'Hel', 'lo')).blocks, [{ type: 'text', text: 'Hello' }]);
        assert.ok(read(name, format.errorEvent).error !== undefined);
      });

  test('has thoughts and calls of tools', () => {
    const frame = (json: object) => `data: ${JSON.stringify(json)}\n`;
    const chunk = (delta: object) => frame({ choices: [{ delta }] });
    const named = { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } };
    const thought = { type: 'thinking', thinking: 'Hm.' };
    const delta = (json: object) => frame({ type: 'content_block_delta', index: 1, delta: json });
    assert.deepEqual(
      read(
        'anthropic-messages',
        delta({ type: 'thinking_delta', thinking: 'Hm.' }) +
          delta({ type: 'signature_delta', signature: 'abc' }) +
          frame({ type: 'content_block_start', index: 2, content_block: { ...named, input: {} } }) +
          frame({
            type: 'content_block_delta',
            index: 2,
            delta: { type: 'input_json_delta', partial_json: '{"at"' },
          }) +
          frame({
            type: 'content_block_delta',
            index: 2,
            delta: { type: 'input_json_delta', partial_json: ':1}' },
          }),
      ).blocks,
      [{ ...thought, signature: 'abc' }, named],
    );
    const piece = (json: object) => chunk({ tool_calls: [{ index: 0, ...json }] });
    assert.deepEqual(
      read(
        'openai-chat',
        chunk({ reasoning_content: 'Hm.' }) +
          piece({ id: 'call_1', function: { name: 'look', arguments: '{"at"' } }) +
          piece({ function: { arguments: ':1}' } }),
      ).blocks,
      [thought, named],
    );
    const item = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' };
    assert.deepEqual(
      read(
        'openai-responses',
        frame({ type: 'response.reasoning_summary_text.delta', delta: 'Hm.' }) +
          frame({ type: 'response.output_item.done', item }),
      ).blocks,
      [thought, named],
    );
    const part = { functionCall: { id: 'call_1', name: 'look', args: { at: 1 } }, thoughtSignature: 'abc' };
    const parts = [{ text: 'Hm.', thought: true }, part];
    assert.deepEqual(read('gemini', frame({ candidates: [{ content: { parts } }] })).blocks, [
      thought,
      { ...named, thoughtSignature: 'abc' },
    ]);
  });
});

describe('a draft', () => {
  const draft: Draft = {
    ...newDraft('demo-1'),
    ...{ system: 'Be brief', turns: chat.turns, schema: '{}', effort: 'high', temperature: 0 },
    tools: [{ name: 'look', description: 'Looks', schema: '{"type": "object"}' }],
    targets: [
      { model: 'demo-1', format: 'gemini', pipeline: '' },
      { model: 'gpt-5', format: 'openai-chat' },
    ],
  };

  test('survives a link', async () => {
    const packed = await packDraft(draft);
    assert.match(String(packed), /^[\w-]{100,2000}$/);
    assert.deepEqual(await unpackDraft(String(packed)), { ...draft, topP: undefined });
  });

  test('that is too long for a link says so, and a link that is none is refused', async () => {
    const noise = Array.from({ length: 20_000 }, (_, index) => ((index * 7919) % 9973).toString(36)).join('');
    assert.equal(await packDraft({ ...draft, system: noise }), undefined);
    for (const text of ['', 'nonsense', '%%%', 'AAAA']) assert.equal(await unpackDraft(text), undefined);
    const bomb = await packDraft({ ...draft, system: 'x'.repeat(1_500_000) });
    assert.equal(await unpackDraft(String(bomb)), undefined);
  });

  test('has no more of a stranger’s data than the page knows', () => {
    assert.equal(readDraft({ targets: [] }), undefined);
    assert.equal(readDraft('draft'), undefined);
    const odd = {
      ...{ targets: [{ model: 7, format: 'none', credential: 'x' }, ...Array(9).fill({ model: 'm' })] },
      ...{
        turns: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x' } }] }],
      },
      ...{ maxTokens: '9', effort: 'most', credential: 'secret', tools: [null, { name: 'a' }] },
    };
    const read = readDraft(odd);
    assert.equal(read?.targets.length, 4);
    assert.deepEqual(read?.targets[0], { model: '7', format: 'anthropic-messages' });
    assert.deepEqual([read?.maxTokens, read?.effort], [undefined, undefined]);
    assert.deepEqual(read?.turns, [{ role: 'user', content: [{ type: 'text', text: '' }] }]);
    assert.ok(!JSON.stringify(read).includes('secret'));
  });

  test('of a recorded request asks the same', () => {
    const body = formats[0].body({ ...chat, model: 'm', streamed: true });
    const opened = draftOfRecorded(body, { model: 'm', format: 'anthropic-messages' });
    assert.deepEqual(chatOf(opened), { chat });
  });

  test('that is not complete says what is missing', () => {
    const faultOf = (part: Partial<Draft>) => JSON.stringify(chatOf({ ...draft, ...part }));
    assert.match(faultOf({ schema: '{' }), /schema of the answer is not a JSON object/);
    assert.match(faultOf({ tools: [{ name: 'look', description: '', schema: '[]' }] }), /schema of look/);
    assert.match(faultOf({ tools: [{ name: 'a b', description: '', schema: '{}' }] }), /needs a name/);
    assert.match(
      faultOf({ turns: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }),
      /Write a message/,
    );
    assert.match(faultOf({ turns: chat.turns.slice(0, 2) }), /Write a message/);
  });
});
