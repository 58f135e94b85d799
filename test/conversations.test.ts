import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { FakeUpstream, type SeenRequest } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { at } from './support/at.ts';
import { bearer, Person } from './support/cloud.ts';
import { exampleModules } from './support/example-modules.ts';
import { messages as format } from './support/formats.ts';
import { requestJson } from './support/http-client.ts';
import { startReplicas } from './support/replicas.ts';

const examples = exampleModules('module-clock', 'module-brief');
const fake = await FakeUpstream.start(model);
const environment = {
  WEIR_MODULES: examples.setting,
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: `${fake.url}/v1`,
  ANTHROPIC_API_KEY: 'sk-ant-tests',
  OPENAI_API_KEY: 'sk-tests',
};
const weir = await startTestGateway(environment);
after(async () => {
  await weir.close();
  await fake.close();
  examples.remove();
});

/** Looks at the clock at the beginning of a conversation. */
function model({ json, bytes }: SeenRequest) {
  if (!bytes.includes('current_time') || bytes.includes('call_clock'))
    return { body: format.whole('It is noon.') };
  assert.equal(json.stream, undefined);
  const use = { type: 'tool_use', id: 'call_clock', name: 'current_time', input: {} };
  return { body: { ...format.whole(''), content: [use], stop_reason: 'tool_use' } };
}

const question = { model: format.model, max_tokens: 100, messages: [{ role: 'user', content: 'Time?' }] };
const session = '0b5f4d5e-5a9c-4f8c-9d57-6c1c3b1a2f3e';

/** The name of the conversation that a call belongs to. */
async function nameOf(body: object, headers: Readonly<Record<string, string>> = {}, path = '/v1/messages') {
  const { status, text, headers: told } = await requestJson(`${weir.url}${path}`, { headers, body });
  assert.equal(status, 200, text);
  return told.get('x-weir-conversation');
}

describe('a conversation', () => {
  test('is named by the client', async () => {
    assert.equal(await nameOf(question, { 'x-weir-conversation': 'my.chat:1_a-b' }), 'my.chat:1_a-b');
    const longest = 'a'.repeat(128);
    assert.equal(await nameOf(question, { 'x-weir-conversation': longest }), longest);
  });

  for (const bad of ['', 'a b', 'ä', 'a'.repeat(129), 'a/b'])
    test(`is not named ${JSON.stringify(bad.slice(0, 9))}`, async () => {
      const headers = {
        'x-weir-conversation': encodeURI(bad) === bad ? bad : Buffer.from(bad).toString('latin1'),
      };
      const { status, json } = await requestJson(`${weir.url}/v1/messages`, { headers, body: question });
      assert.deepEqual([status, at(json, 'error', 'param')], [400, 'x-weir-conversation']);
    });

  test('is named by Claude Code’s session, and by the agent in it', async () => {
    assert.equal(await nameOf(question, { 'x-claude-code-session-id': session }), session);
    const agent = { 'x-claude-code-session-id': session, 'x-claude-code-agent-id': 'a1b2' };
    assert.equal(await nameOf(question, agent), `${session}:a1b2`);
    for (const user_id of [
      `user_${'0'.repeat(64)}_account__session_${session}`,
      JSON.stringify({ device_id: '0'.repeat(64), account_uuid: '', session_id: session }),
    ])
      assert.equal(await nameOf({ ...question, metadata: { user_id } }), session);
    for (const user_id of ['somebody', `shop_session_${session}`, JSON.stringify({ session_id: session })])
      assert.equal(await nameOf({ ...question, metadata: { user_id } }), null);
  });

  test('is named by Codex’s thread', async () => {
    fake.answerWith({
      body: { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5', output: [] },
    });
    const body = { model: 'gpt-5', input: 'Time?', store: false };
    const named = (fields: object, headers?: Record<string, string>) =>
      nameOf({ ...body, ...fields }, headers, '/v1/responses');
    assert.equal(await named({}, { 'thread-id': session, 'session-id': 'another' }), session);
    assert.equal(await named({}, { session_id: session }), session);
    assert.equal(await named({ prompt_cache_key: session }), session);
    assert.equal(await named({ prompt_cache_key: 'our-app' }), null);
    fake.answerWith(model);
  });

  test('has a derived name only where a module asks for it', async () => {
    assert.equal(await nameOf(question), null);
    const derived = await nameOf(question, { 'x-weir-pipeline': 'brief' });
    assert.match(derived ?? '', /^c-[\w-]{22}$/);
    const marked = [{ type: 'text', text: 'Time?', cache_control: { type: 'ephemeral' } }];
    const same = { ...question, messages: [{ role: 'user', content: marked }] };
    assert.equal(await nameOf(same, { 'x-weir-pipeline': 'brief' }), derived);
    const others = [
      { ...question, metadata: { user_id: 'somebody else' } },
      { ...question, system: 'Be kind.' },
      { ...question, messages: [{ role: 'user', content: 'What time is it?' }] },
    ];
    for (const other of others) assert.notEqual(await nameOf(other, { 'x-weir-pipeline': 'brief' }), derived);
  });
});

describe('a conversation that goes on by name', () => {
  const responses = async (body: object, pipeline: string) => {
    const headers = { 'x-weir-pipeline': pipeline };
    const {
      status,
      text,
      json,
      headers: told,
    } = await requestJson(`${weir.url}/v1/responses`, {
      headers,
      body: { model: 'gpt-4o-mini', ...body },
    });
    assert.equal(status, 200, text);
    return { id: at(json, 'id'), name: told.get('x-weir-conversation'), sent: fake.last.json };
  };
  const content = [{ type: 'output_text', text: 'Hi.', annotations: [] }];
  const said = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  const answer = { object: 'response', status: 'completed', model: 'gpt-4o-mini', output: [said] };

  test('keeps its name, and is written out for modules that edit it', async () => {
    fake.answerWith(() => ({ body: { ...answer, id: `resp_${fake.requests.length}` } }));
    const first = await responses({ input: 'One' }, 'brief');
    const second = await responses({ input: 'Two', previous_response_id: first.id }, 'brief');
    const third = await responses({ input: 'Three', previous_response_id: second.id }, 'brief');
    assert.match(first.name ?? '', /^c-/);
    assert.deepEqual([second.name, third.name], [first.name, first.name]);
    assert.equal(third.sent.previous_response_id, undefined);
    assert.match(JSON.stringify(third.sent.input), /One.*Hi.*Two.*Hi.*Three/);
  });

  test('stays with its provider where it was begun there', async () => {
    fake.answerWith(() => ({ body: { ...answer, id: `resp_${fake.requests.length}` } }));
    const first = await responses({ input: 'One' }, 'none');
    const second = await responses({ input: 'Two', previous_response_id: first.id }, 'clock,brief');
    assert.deepEqual([second.sent.previous_response_id, second.sent.tools], [first.id, undefined]);
    const third = await responses({ input: 'Three', previous_response_id: second.id }, 'clock,brief');
    assert.equal(third.sent.previous_response_id, second.id);
    const lying = await responses({ input: 'Four', conversation: 'conv_1' }, 'clock,brief');
    const again = await responses({ input: 'Five', conversation: { id: 'conv_1' } }, 'clock,brief');
    assert.equal(again.name, lying.name);
    fake.answerWith(model);
  });
});

/** A first call, what its provider was asked last, and the next one. */
async function twoCalls(call: (body: object, second: boolean) => Promise<string>) {
  fake.requests.length = 0;
  await call(question, false);
  const before = fake.last.json.messages;
  await call({ ...question, messages: [...question.messages, ...further] }, true);
  return { before: JSON.stringify(before), now: JSON.stringify(fake.last.json.messages) };
}

const further = [
  { role: 'assistant', content: [{ type: 'text', text: 'It is noon.' }] },
  { role: 'user', content: 'Thanks' },
];

test('what was decided in a conversation is known after a restart', async (t: TestContext) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-restart-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const { before, now } = await twoCalls(async (body) => {
    const gateway = await startTestGateway({ ...environment, WEIR_DATA_DIR: dataDir });
    const { text } = await requestJson(`${gateway.url}/v1/messages`, {
      headers: { 'x-weir-pipeline': 'clock' },
      body,
    });
    await gateway.close();
    return text;
  });
  assert.match(before, /call_clock.*tool_result/);
  assert.equal(now.slice(0, before.length - 1), before.slice(0, -1));
});

test('and on every replica, by the same account and no other', async (t) => {
  const replicas = await startReplicas(t, environment);
  const [{ url }] = replicas;
  const { key } = await (await Person.signUp(url)).makeKey();
  const stranger = await (await Person.signUp(url)).makeKey();
  const call = async (at: number, token: string, body: object) => {
    const [, authorization = ''] = bearer(token);
    const headers = {
      authorization,
      'x-provider-key': 'sk-ant-a',
      'x-weir-pipeline': 'clock',
      'x-weir-conversation': 'a',
    };
    const { status, text } = await requestJson(`${replicas[at]?.url}/v1/messages`, { headers, body });
    assert.equal(status, 200, text);
    return text;
  };
  const own = await twoCalls((body, second) => call(second ? 1 : 0, key, body));
  assert.equal(own.now.slice(0, own.before.length - 1), own.before.slice(0, -1));
  const foreign = await twoCalls((body, second) => call(1, second ? stranger.key : key, body));
  assert.match(foreign.now, /"Time\?"},{"role":"assistant","content":\[{"type":"text"/);
});

test('a long result of a tool is cut short once, and stays so', async () => {
  fake.requests.length = 0;
  const messages = [
    { role: 'user', content: 'Read' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'x'.repeat(100) }] },
  ];
  const cut = async (pipeline: string, more: readonly object[]) => {
    const body = { ...question, messages: [...messages, ...more] };
    await requestJson(`${weir.url}/v1/messages`, { headers: { 'x-weir-pipeline': pipeline }, body });
    return at(fake.last.json, 'messages', 2, 'content', 0, 'content');
  };
  assert.equal(await cut('brief?keep=3', []), 'xxx […]');
  assert.equal(await cut('brief?keep=50', further), 'xxx […]');
});

test('whatever a request looks like, modules that edit it don’t break', async () => {
  const odd = [
    { max_tokens: null },
    { metadata: 7, tool_choice: null, thinking: null },
    { system: [{ type: 'text' }, { type: 'odd', text: 7 }] },
    { tools: [{}, { name: 7, cache_control: 'x' }, { type: 'web_search_20250305', name: 'web_search' }] },
    {
      messages: [
        { role: 'user', content: [{ type: 'tool_result' }, { type: 'tool_result', content: null }] },
      ],
    },
    { messages: [{ role: 'user', content: [{ type: 'tool_result', content: { a: 1 } }, { type: 'text' }] }] },
    {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use' }] },
        { role: 'odd', content: '' },
      ],
    },
    { messages: [{ role: 'assistant', content: [] }] },
  ];
  for (const fields of odd)
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      const body = { ...question, ...fields };
      const { status, text, headers } = await requestJson(`${weir.url}${path}`, {
        headers: { 'x-weir-pipeline': 'clock,brief' },
        body: path === '/v1/messages' ? body : { ...body, model: 'gpt-4o-mini' },
      });
      assert.ok(
        status === 200 || status === 400 || status === 502,
        `${status} ${JSON.stringify(fields)} ${text}`,
      );
      assert.doesNotMatch(`${text} ${headers.get('x-weir-modules')}`, /module_broken|;broken/);
    }
});
