import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModuleSavings } from '../../billing/module-tally.ts';
import type { ChatRequest, Message, Tool, Usage } from '../../kernel/message.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { anthropic } from '../../providers/anthropic.ts';
import { compileCard } from '../../providers/catalog/price-sheet.ts';
import { openai } from '../../providers/openai.ts';
import { openrouter } from '../../providers/openrouter.ts';
import { type RunOptions, runModule } from '../../testing/run-module.ts';
import { promptOptimizer } from './prompt-optimizer.ts';

const system = 'You are a helpful assistant of a shop. '.repeat(200);
const mark = { type: 'ephemeral' as const };

/** A module with a clock that tests advance. */
function start(options = '', over: RunOptions = {}, usage: Usage = {}) {
  const works: ModuleSavings[] = [];
  const time = { nowMs: 1_000_000 };
  const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 });
  const call = runModule(
    promptOptimizer,
    {
      options: options.includes('holdout') ? options : `holdout=0&${options}`,
      provider: anthropic,
      upstream: async () => Reply.stream(answerEvents(usage)),
      ...over,
    },
    {
      prices: {
        priceOf: () => ({ card, estimated: false, cacheSeconds: 300, hasHourCache: true }),
        bill: () => ({ nanoUsd: 0, estimated: false }),
      },
      clock: { now: () => time.nowMs },
      onModuleWork: (work) => void works.push(work),
    },
  );
  const run = async (request: Partial<ChatRequest>, seconds = 10) => {
    time.nowMs += seconds * 1000;
    const { sent, step, error } = await call({
      model: 'claude-sonnet-4-5',
      messages: [],
      max_tokens: 100,
      ...request,
    });
    if (error !== undefined) throw error;
    assert.ok(sent[0] !== undefined);
    return { sent: sent[0], notes: step?.attributes ?? {} };
  };
  return { run, works };
}

async function* answerEvents(usage: Usage) {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] } as const;
  yield {
    type: 'message_start',
    message: { ...message, stop_reason: null, stop_sequence: null, usage },
  } as const;
  yield { type: 'message_stop' } as const;
}

/** The messages before a call, each answered. */
function talk(turns: number): Message[] {
  return Array.from({ length: turns }, (_, at): Message[] => [
    { role: 'user', content: `Question ${at}` },
    { role: 'assistant', content: `Answer ${at}` },
  ]).flat();
}

function turn(number: number): Message[] {
  return [...talk(number), { role: 'user', content: `Question ${number}` }];
}

/** The places of all markers. */
function marksIn({ tools = [], system: instructions, messages }: ChatRequest): readonly string[] {
  const isMarked = (part: object) => 'cache_control' in part && part.cache_control != null;
  return [
    ...tools.flatMap((tool, at) => (isMarked(tool) ? [`tool ${at}`] : [])),
    ...(typeof instructions === 'object' && instructions.some(isMarked) ? ['system'] : []),
    ...messages.flatMap(({ content }, at) =>
      typeof content !== 'string' && content.some(isMarked) ? [`message ${at}`] : [],
    ),
  ];
}

describe('markers', () => {
  test('a conversation is marked when it goes on: the newest turn, the last one, instructions and tools', async () => {
    const { run } = start();
    const tools: Tool[] = [
      { name: 'a', input_schema: {} },
      { name: 'b', defer_loading: true },
    ];
    const first = await run({ system, tools, messages: turn(0) });
    assert.deepEqual(marksIn(first.sent), []);
    assert.equal(first.notes.aside, 'one-shot');
    const second = await run({ system, tools, messages: turn(1) });
    assert.deepEqual(marksIn(second.sent), ['tool 0', 'system', 'message 0', 'message 2']);
    assert.equal(second.notes.markers, 4);
    const other = await run({ system, tools, messages: [{ role: 'user', content: 'Another conversation' }] });
    assert.deepEqual(marksIn(other.sent), ['tool 0', 'system', 'message 0'], 'others like it went on');
  });

  test('a client that marks its newest turn is left alone', async () => {
    const { run } = start();
    const marked = (number: number): Message[] => [
      ...talk(number),
      { role: 'user', content: [{ type: 'text', text: `Question ${number}`, cache_control: mark }] },
    ];
    for (let number = 0; number < 4; number++) {
      const { sent, notes } = await run({ system, messages: marked(number) });
      assert.deepEqual(sent.messages, marked(number));
      assert.equal(notes.aside, 'marked');
    }
    const whole = await run({ system, messages: turn(4), ...{ cache_control: mark } });
    assert.deepEqual(marksIn(whole.sent), []);
  });

  test('a turn of more blocks than the provider looks back gets a marker at its start', async () => {
    const { run } = start();
    const calls = Array.from({ length: 15 }, (_, at) => ({ id: `c${at}`, name: 'a', input: {} }));
    const messages: Message[] = [
      { role: 'user', content: system },
      { role: 'assistant', content: calls.map((call) => ({ type: 'tool_use', ...call })) },
      {
        role: 'user',
        content: calls.map(({ id }, at) => ({
          type: 'tool_result',
          tool_use_id: id,
          content: 'done',
          ...(at === 14 && { cache_control: mark }),
        })),
      },
    ];
    assert.deepEqual(marksIn((await run({ messages })).sent), ['message 0', 'message 2']);
  });

  test('a client that marks only its instructions gets the rest, never more than four in total', async () => {
    const { run } = start('ttl=1h');
    const instructions = [1, 2, 3].map((at) => ({
      type: 'text' as const,
      text: `${at} ${system}`,
      cache_control: mark,
    }));
    let sent: ChatRequest | undefined;
    for (let number = 0; number < 5; number++)
      sent = (await run({ system: instructions, messages: turn(number) })).sent;
    assert.ok(sent !== undefined);
    assert.deepEqual(sent.system, instructions);
    assert.deepEqual(marksIn(sent), ['system', 'message 8']);
    assert.deepEqual(sent.messages[8]?.content, [{ type: 'text', text: 'Question 4', cache_control: mark }]);
  });

  test('one-shot calls with one prompt share its cache; calls with other prompts are left alone', async () => {
    const { run } = start();
    const ask = (content: string, instructions: string) =>
      run({ system: instructions, messages: [{ role: 'user', content }] });
    assert.deepEqual(marksIn((await ask('a', system)).sent), []);
    assert.deepEqual(marksIn((await ask('b', system)).sent), []);
    assert.deepEqual(marksIn((await ask('c', `${system} Be brief.`)).sent), []);
    assert.deepEqual(marksIn((await ask('d', system)).sent), ['system']);
    for (const word of ['red', 'green', 'blue', 'grey'])
      assert.deepEqual(marksIn((await ask('d', `${word} ${system}`)).sent), []);
  });

  test('instructions that differ at their end share the cache of what is before', async () => {
    const { run } = start();
    const shared = `${system}\n${system}\nBe kind.`;
    const ask = (name: string, count: number) =>
      run({ system: `${shared}\nThe customer is ${name}.\nBe brief.`, messages: turn(count) });
    await ask('Ann', 0);
    await ask('Bob', 0);
    await ask('Cid', 0);
    await ask('Dan', 0);
    const first = await ask('Eve', 0);
    const own = 'The customer is Eve.\nBe brief.';
    assert.deepEqual(first.sent.system, [
      { type: 'text', text: shared, cache_control: mark },
      { type: 'text', text: own },
    ]);
    const second = await ask('Eve', 1);
    assert.deepEqual(second.sent.system, [
      { type: 'text', text: shared, cache_control: mark },
      { type: 'text', text: own, cache_control: mark },
    ]);
    assert.equal(second.notes.break, undefined);
  });

  test('a provider that caches by itself gets no marker, but a key for its cache', async () => {
    const { run } = start('', { provider: openai, wire: 'openai-chat' });
    const model = 'gpt-5';
    const [first, second] = [
      await run({ model, system, messages: turn(0) }),
      await run({ model, system, messages: turn(1) }),
    ];
    assert.deepEqual(marksIn(second.sent), []);
    const key = first.sent.extensions?.['openai-chat']?.prompt_cache_key;
    assert.equal(typeof key, 'string');
    assert.equal(second.sent.extensions?.['openai-chat']?.prompt_cache_key, key);
    const other = await run({ model, system: `${system} The customer is Ann.`, messages: turn(1) });
    assert.equal(other.sent.extensions?.['openai-chat']?.prompt_cache_key, key, 'others share the start');
    const named = await run({
      model,
      system,
      messages: turn(2),
      extensions: { 'openai-chat': { prompt_cache_key: 'mine' } },
    });
    assert.equal(named.sent.extensions?.['openai-chat']?.prompt_cache_key, 'mine');
  });

  test('a host of Claude with another format gets them, too', async () => {
    const { run } = start('', { provider: openrouter, wire: 'openai-chat' });
    const model = 'anthropic/claude-sonnet-4.5';
    await run({ model, system, messages: turn(0) });
    assert.equal((await run({ model, system, messages: turn(1) })).notes.markers, 3);
  });

  test('small requests are passed on', async () => {
    const { run } = start();
    assert.equal((await run({ messages: turn(1) })).notes.aside, 'small');
  });
});

describe('lifetime', () => {
  const minutes = 60;

  test('is an hour for a conversation with long pauses, and stays so', async () => {
    const { run } = start();
    const lifetimes: unknown[] = [];
    for (let number = 0; number < 14; number++) {
      const pause = number % 2 === 0 ? 20 * minutes : 10;
      lifetimes.push((await run({ system, messages: turn(number) }, pause)).notes.ttl);
    }
    assert.equal(lifetimes.at(-1), '1h');
    assert.equal(new Set(lifetimes.slice(lifetimes.indexOf('1h'))).size, 1);
  });

  test('is five minutes for one without', async () => {
    const { run } = start();
    for (let number = 0; number < 14; number++)
      assert.notEqual((await run({ system, messages: turn(number) })).notes.ttl, '1h');
  });
});

describe('stable content', () => {
  const at = (time: string) => `${system}\nThe time is ${time}.\nBe kind.`;

  test('instructions stay as first sent, and the newest turn has the lines that changed', async () => {
    const { run } = start();
    await run({ system: at('09:15'), messages: turn(0) });
    const second = await run({ system: at('09:16'), messages: turn(1) });
    assert.match(JSON.stringify(second.sent.system), /09:15/);
    assert.match(JSON.stringify(second.sent.messages.at(-1)), /Question 1.*The time is 09:16\.\]/s);
    assert.doesNotMatch(JSON.stringify(second.sent.messages.at(-1)), /Be kind/);
    const third = await run({ system: at('09:16'), messages: turn(2) });
    assert.equal(third.notes.system, 'kept');
    assert.deepEqual(textsOf(third.sent.messages[2]), textsOf(second.sent.messages[2]), 'repeated');
    assert.deepEqual(textsOf(third.sent.messages[4]), ['Question 2'], 'nothing new');
    assert.equal(third.notes.break, undefined);
  });

  test('instructions that differ in words are those of the client, and the trace says where', async () => {
    const { run } = start();
    await run({ system: `Be brief.\n${system}`, messages: turn(0) });
    const { sent, notes } = await run({ system: `Be brief.\nBe rude. ${system}`, messages: turn(1) });
    assert.equal(sent.system, `Be brief.\nBe rude. ${system}`);
    assert.equal(notes.break, 'system@10');
  });

  test('of a long line, only the sentence that changed is repeated', async () => {
    const { run } = start();
    const line = (time: string) => `${system}It is ${time} now. ${system}`;
    await run({ system: line('09:15'), messages: turn(0) });
    const { sent } = await run({ system: line('09:16'), messages: turn(1) });
    const [text] = textsOf(sent.messages.at(-1));
    assert.match(String(text), /^Question 1\n\n\[.*:\nIt is 09:16 now\.\]$/s);
  });

  test('what a provider has read stays as it is, however often values change', async () => {
    const { run } = start();
    let before: ChatRequest | undefined;
    for (let number = 0; number < 12; number++) {
      // Every third call repeats the one before, with other values.
      const isRepeated = number % 3 === 2;
      const messages = turn(number - Math.floor((number + 1) / 3));
      const { sent, notes } = await run({ system: at(`1${number}:00`), messages });
      assert.equal(notes.break, isRepeated ? `messages@${messages.length - 1}` : undefined);
      for (const [index, message] of (before?.messages ?? []).slice(0, messages.length - 1).entries())
        assert.deepEqual(textsOf(sent.messages[index]), textsOf(message));
      before = sent;
    }
  });

  test('a change behind tool results is part of the last one', async () => {
    const { run } = start();
    const loop: Message[] = [
      ...turn(0),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'ask', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'yes' }] },
    ];
    await run({ system: at('09:15'), messages: turn(0) });
    const { sent } = await run({ system: at('09:16'), messages: loop });
    const [result, ...others] = sent.messages.at(-1)?.content ?? [];
    assert.equal(others.length, 0);
    assert.match(JSON.stringify(result), /yes.*09:16/);
  });

  test('of two conversations that begin alike, neither gets the values of the other', async () => {
    const { run } = start();
    await run({ system: at('Mary, user 7'), messages: turn(0) });
    await run({ system: at('Mary, user 8'), messages: turn(0) });
    const { sent } = await run({ system: at('Mary, user 8'), messages: turn(1) });
    assert.doesNotMatch(JSON.stringify(sent), /user 7/);
  });

  test('tools keep the order in which they were first sent', async () => {
    const { run } = start();
    const tools = ['a', 'b', 'c'].map((name) => ({ name, description: system, input_schema: {} }));
    await run({ tools, messages: turn(0) });
    const { sent, notes } = await run({ tools: tools.toReversed(), messages: turn(1) });
    assert.deepEqual(
      sent.tools?.map(({ name }) => name),
      ['a', 'b', 'c'],
    );
    assert.equal(notes.tools, 'reordered');
    const fewer = await run({ tools: tools.slice(1), messages: turn(2) });
    assert.equal(fewer.notes.break, 'tools@b');
  });
});

describe('tool results', () => {
  const rows = JSON.stringify(
    Array.from({ length: 90 }, (_, id) => ({ id, price: 1.5, note: 'two  blanks' })),
    null,
    2,
  );
  const loop = (count: number): Message[] => [
    { role: 'user', content: 'Which is the cheapest?' },
    ...Array.from({ length: count }, (_, at): Message[] => [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `c${at}`, name: 'list_prices', input: { page: at } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${at}`, content: rows }] },
    ]).flat(),
  ];

  test('are minified when they are first sent, and stay so', async () => {
    const { run } = start();
    const first = await run({ messages: loop(1) });
    assert.ok(Number(first.notes.minified) > 500);
    assert.ok(JSON.stringify(first.sent).includes('two  blanks'));
    const second = await run({ messages: loop(2) });
    assert.deepEqual(textsOf(second.sent.messages[2]), textsOf(first.sent.messages[2]));
    assert.equal(second.notes.break, undefined);
  });

  test('stay as they were first sent, if that was without the module', async () => {
    const { run } = start('minify=off');
    const first = await run({ messages: loop(1) });
    assert.ok(JSON.stringify(first.sent).includes('\\n'));
  });
});

test('the saving is what the same input would have cost without the markers', async () => {
  const { run, works } = start(
    '',
    {},
    { input_tokens: 10, cache_read_input_tokens: 1000, cache_creation_input_tokens: 100 },
  );
  await run({ system, messages: turn(0) });
  await run({ system, messages: turn(1) });
  const saved = works.reduce((sum, work) => sum + (work.savedNanoUsd ?? 0), 0);
  assert.equal(saved, (1000 * 2.7 - 100 * 0.75) * 1000);
});

test('held-out conversations are left alone', async () => {
  const { run, works } = start('holdout=0.5');
  const sides = new Set<unknown>();
  for (let number = 0; number < 20; number++) {
    const opening: Message = { role: 'user', content: `Conversation ${number}` };
    await run({ system, messages: [opening] });
    const { sent, notes } = await run({ system, messages: [opening, ...turn(0).reverse(), ...turn(1)] });
    sides.add(notes.aside);
    assert.equal(marksIn(sent).length > 0, notes.aside !== 'holdout');
  }
  assert.equal(sides.size, 2);
  assert.ok(works.some(({ trial }) => trial !== undefined));
});

/** The texts of a message, whether they are marked or not. */
function textsOf(message: Message | undefined): readonly unknown[] {
  const { content = [] } = message ?? {};
  if (typeof content === 'string') return [content];
  return content.map((block) =>
    block.type === 'text' ? block.text : block.type === 'tool_result' ? block.content : block,
  );
}
