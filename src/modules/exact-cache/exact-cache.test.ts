import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Answer, ChatRequest, ReplyEvent } from '../../kernel/message.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { runModule } from '../../testing/run-module.ts';
import { testPrices } from '../../testing/test-prices.ts';
import { exactCache } from './exact-cache.ts';

const hello: ChatRequest = {
  model: 'demo-1',
  max_tokens: 200,
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
};
const answer: Answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'demo-1',
  content: [
    { type: 'thinking', thinking: 'Two at once.', signature: 'signed' },
    { type: 'tool_use', id: 'a', name: 'level', input: { river: 'Isar' } },
    { type: 'tool_use', id: 'b', name: 'level', input: { river: 'Lech' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 5 },
};

test('an identical request is answered from memory', async () => {
  const run = runModule(exactCache);
  const first = await run(hello);
  const second = await run(hello);
  assert.deepEqual([first.sent.length, second.sent.length], [1, 0]);
  assert.deepEqual(second.answer, first.answer);
  assert.deepEqual([first.step?.attributes, first.step?.effect], [{ miss: true }, 'passed']);
  assert.deepEqual([second.step?.attributes, second.step?.effect], [{ hit: true }, 'answered']);
});

test('with auto=on it steps aside if it never hit in 2,000 calls, says so, and tries again a month later', async () => {
  const side = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };
  const day = { accountId: 'local', day: '2026-11-01', module: 'exact-cache', calls: 2000 };
  const moduleDays = [{ ...day, savedNanoUsd: 0, spentNanoUsd: 0, with: side, without: side }];
  const clock = new ManualClock();
  const run = runModule(exactCache, { options: 'auto=on' }, { moduleDays, clock });
  const until = new Date(clock.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  for (let call = 0; call < 2; call++) {
    const { sent, step } = await run(hello);
    const attributes = { aside: 'auto', why: 'nothing_shown', until, bypass: true };
    assert.deepEqual([sent.length, step?.attributes], [1, attributes]);
  }
  const off = { options: 'auto=off' };
  assert.deepEqual([(await run(hello, off)).sent.length, (await run(hello, off)).sent.length], [1, 0]);
  moduleDays.length = 0;
  clock.move(30 * 86_400_000 + 1);
  assert.deepEqual([(await run(hello)).sent.length, (await run(hello)).sent.length], [1, 0]);
});

test('what an answer from memory would have cost is saved, with what its provider would have kept of the prompt', async () => {
  const prices = testPrices({ input: 10, output: 50, cacheRead: 1, cacheWrite: 12 });
  const usage = {
    input_tokens: 3,
    output_tokens: 5,
    cache_read_input_tokens: 7,
    cache_creation_input_tokens: 20,
  };
  const run = runModule(exactCache, { upstream: async () => Reply.of({ ...answer, usage }) }, { prices });
  assert.equal((await run(hello)).step?.savedNanoUsd, 0);
  assert.equal((await run(hello)).step?.savedNanoUsd, 3 * 10_000 + 5 * 50_000 + 27 * 1000);
});

test('an answer with parallel tool calls and a signed thought is replayed whole', async () => {
  const run = runModule(exactCache, { upstream: async () => Reply.of(answer) });
  await run(hello);
  const replayed = await run(hello);
  assert.equal(replayed.sent.length, 0);
  assert.deepEqual(replayed.answer, answer);
});

test('neither another account nor another credential sees the answer', async () => {
  const run = runModule(exactCache);
  const callers = [
    {},
    { account: 'a' },
    { account: 'b' },
    { credential: 'one' },
    { credential: 'two' },
    { account: 'a', credential: 'one' },
  ];
  for (const caller of callers)
    assert.equal((await run(hello, caller)).sent.length, 1, JSON.stringify(caller));
  for (const caller of callers)
    assert.equal((await run(hello, caller)).sent.length, 0, JSON.stringify(caller));
});

test('end users of an account do not share answers, unless its scope is the account', async () => {
  const by = (user_id: string): ChatRequest => ({ ...hello, metadata: { user_id } });
  const run = runModule(exactCache);
  for (const request of [hello, by('ada'), by('eve')]) assert.equal((await run(request)).sent.length, 1);
  assert.equal((await run(by('ada'))).sent.length, 0);
  const runAnother = runModule(exactCache);
  const shared = { options: 'scope=account' };
  assert.equal((await runAnother(by('ada'), shared)).sent.length, 1);
  assert.equal((await runAnother(by('eve'), shared)).sent.length, 0);
});

const marker = { cache_control: { type: 'ephemeral' as const } };
const sameMeaning: Readonly<Record<string, ChatRequest>> = {
  'a string for a single text': { ...hello, messages: [{ role: 'user', content: 'Hello' }] },
  'streaming or not': { ...hello, stream: true },
  'a cache marker on a message': {
    ...hello,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...marker }] }],
  },
  'a cache marker on the system prompt': {
    ...hello,
    system: [{ type: 'text', text: 'Be brief.', ...marker }],
  },
  'a cache marker on the whole': Object.assign({}, hello, marker),
  'the order of fields': {
    messages: hello.messages,
    system: [{ text: 'Be brief.', type: 'text' }],
    max_tokens: 200,
    model: 'demo-1',
  },
};

for (const [what, request] of Object.entries(sameMeaning)) {
  test(`${what} makes no difference`, async () => {
    const run = runModule(exactCache);
    await run(hello);
    assert.equal((await run(request)).sent.length, 0);
  });
}

test('a cache marker on a tool or inside a tool result makes no difference', async () => {
  const run = runModule(exactCache);
  const conversation = (mark: object): ChatRequest => ({
    ...hello,
    tools: [Object.assign({ name: 'level' }, mark)],
    messages: [
      ...hello.messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'level', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [Object.assign({ type: 'text' as const, text: '2.4 m' }, mark)],
          },
        ],
      },
    ],
  });
  await run(conversation({}));
  assert.equal((await run(conversation(marker))).sent.length, 0);
});

const otherMeaning: Readonly<Record<string, ChatRequest>> = {
  'another model': { ...hello, model: 'demo-2' },
  'another word': { ...hello, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello!' }] }] },
  'another system prompt': { ...hello, system: 'Be long.' },
  'a longer conversation': { ...hello, messages: [...hello.messages, { role: 'assistant', content: 'Hi' }] },
  'a temperature': { ...hello, temperature: 0 },
  'another limit': { ...hello, max_tokens: 201 },
  'a tool': { ...hello, tools: [{ name: 'level' }] },
  'a tool choice': { ...hello, tool_choice: { type: 'none' } },
  'a stop sequence': { ...hello, stop_sequences: ['.'] },
  thinking: { ...hello, thinking: { type: 'adaptive' } },
  'an unknown field': Object.assign({}, hello, { brand_new: true }),
};

for (const [what, request] of Object.entries(otherMeaning)) {
  test(`${what} asks the provider`, async () => {
    const run = runModule(exactCache);
    await run(hello);
    assert.equal((await run(request)).sent.length, 1);
  });
}

test('a header that changes the meaning asks the provider, another one does not', async () => {
  const run = runModule(exactCache);
  await run(hello);
  assert.equal((await run(hello, { headers: ['user-agent', 'another'] })).sent.length, 0);
  assert.equal((await run(hello, { headers: ['anthropic-beta', 'new'] })).sent.length, 1);
  assert.equal((await run(hello, { headers: ['anthropic-version', '2026-10-21'] })).sent.length, 1);
});

for (const directive of ['no-cache', 'no-store', 'max-age=0, no-cache', 'No-Cache']) {
  test(`cache-control: ${directive} passes the cache by, both ways`, async () => {
    const run = runModule(exactCache);
    const headers = ['cache-control', directive];
    const bypassing = await run(hello, { headers });
    const facts = { bypass: true, aside: 'cache-control' };
    assert.deepEqual([bypassing.sent.length, bypassing.step?.attributes], [1, facts]);
    assert.equal((await run(hello)).sent.length, 1);
    assert.equal((await run(hello, { headers })).sent.length, 1);
  });
}

test('a call that changes what its provider keeps passes the cache by, and the trace says so', async () => {
  const run = runModule(exactCache);
  for (let call = 0; call < 2; call++) {
    const { sent, step } = await run(Object.assign({ thread: { type: 'create' } }, hello));
    assert.deepEqual([sent.length, step?.attributes], [1, { bypass: true, aside: 'stateful' }]);
  }
});

for (const stop_reason of ['max_tokens', 'pause_turn', 'refusal', 'model_context_window_exceeded', null]) {
  test(`an answer that stopped with ${stop_reason} is not kept`, async () => {
    const run = runModule(exactCache, { upstream: async () => Reply.of({ ...answer, stop_reason }) });
    for (let call = 0; call < 2; call++) assert.equal((await run(hello)).sent.length, 1);
  });
}

const broken: Readonly<Record<string, () => AsyncGenerator<ReplyEvent>>> = {
  'a client that left': async function* () {
    yield* begun();
    throw new GatewayError('client_gone', 'the client closed the connection');
  },
  'a connection that broke': async function* () {
    yield* begun();
    throw new GatewayError('upstream_broken', 'the connection broke');
  },
  'an error in the stream': async function* () {
    yield* begun();
    yield { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  },
};

for (const [what, events] of Object.entries(broken)) {
  test(`an answer cut short by ${what} is not kept`, async () => {
    const run = runModule(exactCache);
    const failed = await run(hello, { upstream: async () => Reply.stream(events()) });
    assert.ok(failed.error !== undefined);
    const next = await run(hello);
    assert.deepEqual([next.sent.length, next.error], [1, undefined]);
  });
}

test('a refusal is passed on and not kept', async () => {
  const run = runModule(exactCache);
  const refused = await run(hello, {
    upstream: () => Promise.reject(new GatewayError('upstream_error', 'busy', { status: 529 })),
  });
  assert.ok(GatewayError.is(refused.error) && refused.error.status === 529);
  assert.equal((await run(hello)).sent.length, 1);
});

test('an answer is kept for its time and no longer', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const run = runModule(exactCache, { options: 'ttl=10m' });
  await run(hello);
  t.mock.timers.setTime(599_999);
  assert.equal((await run(hello)).sent.length, 0);
  t.mock.timers.setTime(600_000);
  assert.equal((await run(hello)).sent.length, 1);
});

test('an answer is kept for an hour unless said otherwise', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const run = runModule(exactCache);
  await run(hello);
  t.mock.timers.setTime(3_599_999);
  assert.equal((await run(hello)).sent.length, 0);
  t.mock.timers.setTime(3_600_000);
  assert.equal((await run(hello)).sent.length, 1);
});

test('an answer that is too large is passed on and not kept', async () => {
  const small = runModule(exactCache, { options: 'max_bytes=100' });
  const first = await small(hello);
  assert.match(JSON.stringify(first.answer?.content), /demonstration/);
  assert.equal((await small(hello)).sent.length, 1);
  const large = runModule(exactCache, { options: 'max_bytes=100000' });
  await large(hello);
  assert.equal((await large(hello)).sent.length, 0);
});

test('identical requests in flight wait for the first', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const upstream = async () => {
    await gate;
    return Reply.of(answer);
  };
  const run = runModule(exactCache, { upstream });
  const running = Array.from({ length: 20 }, () => run(hello));
  const other = run({ ...hello, max_tokens: 1 });
  open();
  const runs = await Promise.all(running);
  assert.equal(runs.flatMap(({ sent }) => sent).length, 1);
  for (const { answer: got } of runs) assert.deepEqual(got, answer);
  assert.equal((await other).sent.length, 1);
});

test('a first request that fails leaves the others to ask for themselves', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let calls = 0;
  const upstream = async () => {
    calls++;
    if (calls > 1) return Reply.of(answer);
    await gate;
    throw new GatewayError('client_gone', 'the client closed the connection');
  };
  const run = runModule(exactCache, { upstream });
  const [leader, ...followers] = Array.from({ length: 5 }, () => run(hello));
  open();
  assert.ok((await leader)?.error !== undefined);
  for (const follower of followers) assert.deepEqual((await follower).answer, answer);
});

test("another account's request in flight is not waited for", async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const run = runModule(exactCache);
  const leader = run(hello, {
    account: 'a',
    upstream: async () => {
      await gate;
      return Reply.of(answer);
    },
  });
  assert.equal((await run(hello, { account: 'b' })).sent.length, 1);
  open();
  await leader;
});

test('a request whose client disconnects while it waits makes no attempt', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const run = runModule(exactCache);
  const leader = run(hello, {
    upstream: async () => {
      await gate;
      return Reply.of(answer);
    },
  });
  const client = new AbortController();
  const follower = run(hello, { signal: client.signal });
  client.abort();
  const { sent, error } = await follower;
  assert.ok(sent.length === 0 && GatewayError.is(error) && error.code === 'client_gone');
  open();
  assert.deepEqual((await leader).answer, answer);
});

async function* begun(): AsyncGenerator<ReplyEvent> {
  yield { type: 'message_start', message: { ...answer, content: [], stop_reason: null } };
  yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Wat' } };
}
