import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../test/support/eventually.ts';
import type { ModuleSavings } from '../../billing/module-tally.ts';
import { formatUsd } from '../../kernel/money.ts';
import { systemClock } from '../../lib/clock.ts';
import {
  type Answer,
  type Block,
  type ChatRequest,
  type Handler,
  type Message,
  Reply,
  type Tool,
  type Usage,
} from '../../module-api.ts';
import { runModule } from '../../testing/run-module.ts';
import { testPrices } from '../../testing/test-prices.ts';
import { foreignTool } from '../../wire/foreign.ts';
import { removeStaleReferences } from './deferred-tools.ts';
import { mcpOptimizer } from './mcp-optimizer.ts';
import { toolsOf, wordVectors } from './testing.ts';
import { ToolListCache } from './tool-list-cache.ts';

const words =
  'invoice weather flight hotel recipe garden museum tennis planet violin carpet engine bakery harbor lawyer dentist parrot glacier'.split(
    ' ',
  );
const tools = toolsOf(words);
const weather = 'mcp__weather_server__weather_lookup';

const request = (text: string, over: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'demo',
  max_tokens: 1000,
  messages: [{ role: 'user', content: text }],
  tools,
  ...over,
});
const ask = 'Will the weather be fine tomorrow?';
const namesIn = (sent: ChatRequest | undefined) => (sent?.tools ?? []).map(({ name }) => name);
const whenKnown = async (call: ReturnType<typeof runModule>, offered = tools) => {
  for (let planet = 1; ; planet++) {
    const { step } = await call(request(`Something about planet ${planet}`, { tools: offered }));
    if (step?.attributes.vectors === undefined) return;
  }
};
/** Knows the tools already: on a busy machine reading them for the first time may take longer than a call waits. */
const run = (prices?: ReturnType<typeof testPrices>) => {
  const call = runModule(
    mcpOptimizer,
    { options: 'holdout=0' },
    { embeddings: wordVectors(), ...(prices && { prices }) },
  );
  const known = whenKnown(call);
  return async (...asked: Parameters<typeof call>) => {
    await known;
    return call(...asked);
  };
};

test('in conversations that are held out all tools stay, in all their calls', async () => {
  const works: ModuleSavings[] = [];
  const call = runModule(
    mcpOptimizer,
    { options: 'holdout=0.5' },
    { embeddings: wordVectors(), onModuleWork: (work) => void works.push(work) },
  );
  await whenKnown(call);
  const countTools = async (at: number, messages: readonly Message[], options = 'holdout=0.5') => {
    const headers = ['x-weir-conversation', `c${at}`];
    const { sent } = await call(request('', { messages }), { headers, options });
    return namesIn(sent[0]).length;
  };
  const first: readonly Message[] = [{ role: 'user', content: ask }];
  const later: readonly Message[] = [
    ...first,
    { role: 'assistant', content: 'Sunny.' },
    { role: 'user', content: 'And tomorrow?' },
  ];
  const sides = new Set<boolean>();
  works.length = 0;
  for (let at = 0; at < 8; at++) {
    const isHeldOut = (await countTools(at, first)) === tools.length;
    sides.add(isHeldOut);
    assert.equal((await countTools(at, later, 'holdout=0')) === tools.length, isHeldOut);
  }
  assert.deepEqual(sides, new Set([true, false]));
  const trials = works.flatMap(({ trial }) => trial?.isHeldOut ?? []);
  assert.deepEqual([trials.length, new Set(trials)], [16, sides]);
});

test('the tools that a request is about stay, with two by which the others are found', async () => {
  const { sent, step, error } = await run()(request(ask));
  assert.equal(error, undefined);
  const names = namesIn(sent[0]);
  assert.ok(names.includes(weather));
  assert.ok(names.length < 10, names.join(' '));
  assert.deepEqual(names.slice(-2), ['find_tools', 'call_tool']);
  assert.equal(step?.attributes.kept, `${names.length - 2}/${tools.length}`);
});

test('in a thread that its provider keeps, all tools go as they are', async () => {
  const { sent, step } = await run()(Object.assign(request(ask), { thread: { type: 'create' } }));
  assert.deepEqual(namesIn(sent[0]), namesIn(request(ask)));
  assert.equal(step?.attributes.aside, 'stateful');
});

test('later turns of a conversation have the same tools, whatever they are about', async () => {
  const call = run();
  const first = await call(request(ask));
  const later: readonly Message[] = [
    { role: 'user', content: ask },
    { role: 'assistant', content: first.answer?.content ?? [] },
    { role: 'user', content: 'Who made this violin?' },
  ];
  const second = await call(request('', { messages: later }));
  assert.deepEqual(second.sent[0]?.tools, first.sent[0]?.tools);
  assert.equal(second.step?.attributes.prefix, undefined);
});

test('while people only greet few tools go out, and the first request chooses, once', async () => {
  const prices = testPrices({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const call = run(prices);
  const hello: Message = { role: 'user', content: 'Hi there, how are you?' };
  const first = await call(request('', { messages: [hello] }));
  assert.ok(namesIn(first.sent[0]).length < 8, namesIn(first.sent[0]).join(' '));
  const asked: readonly Message[] = [
    hello,
    { role: 'assistant', content: first.answer?.content ?? [] },
    { role: 'user', content: 'Who made this violin?' },
  ];
  const second = await call(request('', { messages: asked }));
  const names = namesIn(second.sent[0]);
  assert.ok(names.includes('mcp__violin_server__violin_lookup'), names.join(' '));
  assert.deepEqual(names.slice(-2), ['find_tools', 'call_tool']);
  assert.equal(second.step?.attributes.step, 'pays');
  assert.equal(second.step?.attributes.prefix, undefined);
  const later: readonly Message[] = [
    ...asked,
    { role: 'assistant', content: second.answer?.content ?? [] },
    { role: 'user', content: ask },
  ];
  const third = await call(request('', { messages: later }));
  assert.deepEqual(third.sent[0]?.tools, second.sent[0]?.tools);
  assert.equal(third.step?.attributes.step, undefined);

  // Reading the instructions anew would cost more than the tools do, and nothing else could bring them back.
  const long = await call(
    request('', { messages: [hello], system: 'You see all that is in the shop. '.repeat(400) }),
  );
  assert.equal(long.sent[0]?.tools?.length, tools.length);
  const none = await call(request('Good morning!'), { options: 'holdout=0&way_back=none' });
  assert.equal(none.sent[0]?.tools?.length, tools.length);
  assert.equal(none.step?.attributes.aside, 'vague');
});

test('search results lose the tools that the client no longer has', () => {
  const found = (...names: readonly string[]): Block =>
    JSON.parse(
      JSON.stringify({
        type: 'tool_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'tool_search_tool_search_result',
          tool_references: names.map((tool_name) => ({ type: 'tool_reference', tool_name })),
        },
      }),
    );
  const requestWith = (...names: readonly string[]): ChatRequest =>
    request('', {
      messages: [{ role: 'assistant', content: [found(...names), { type: 'text', text: 'a' }] }],
    });
  assert.deepEqual(removeStaleReferences(requestWith('gone', weather), tools), requestWith(weather));
  assert.deepEqual(removeStaleReferences(requestWith('gone'), tools), requestWith());
  const known = requestWith(weather);
  assert.equal(removeStaleReferences(known, tools), known, 'the same, byte for byte');
});

test('without vectors in time all tools go as they are, and later calls are chosen for as soon as that pays', async () => {
  let isReady = false;
  const embeddings = wordVectors(() => isReady);
  const prices = testPrices({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const call = runModule(mcpOptimizer, { options: 'holdout=0' }, { embeddings, prices });
  const first = await call(request(ask));
  assert.equal(first.sent[0]?.tools?.length, tools.length);
  const { vectors, ...others } = first.step?.attributes ?? {};
  // On a busy machine the deadline may come first.
  assert.match(String(vectors), /^(?:busy|late)$/);
  assert.deepEqual(others, { aside: 'vectors' });
  assert.equal(embeddings.asked.length, tools.length, 'made beside the call');
  isReady = true;
  const messages: Message[] = [{ role: 'user', content: ask }];
  const counts: number[] = [];
  for (let turn = 0; turn < 12; turn++) {
    messages.push(
      { role: 'assistant', content: 'It is fine.' },
      { role: 'user', content: 'And the weather then?' },
    );
    const { sent, step } = await call(request('', { messages: [...messages] }));
    assert.ok(namesIn(sent[0]).includes(weather));
    if (sent[0]?.tools?.length !== counts.at(-1) && counts.length > 0)
      assert.equal(step?.attributes.step, 'pays');
    counts.push(sent[0]?.tools?.length ?? 0);
  }
  assert.equal(counts[0], tools.length, 'one call more would not pay for a change');
  assert.equal(new Set(counts).size, 2, `changed once: ${counts.join(' ')}`);
  assert.ok((counts.at(-1) ?? 0) < tools.length / 2, counts.join(' '));
  const other = await call(request(`${ask}, please`));
  assert.ok((other.sent[0]?.tools?.length ?? 0) < tools.length);
});

test('what was used, forced, named or is always wanted stays, and so do the tools of providers', async () => {
  const name = (word: string) => `mcp__${word}_server__${word}_lookup`;
  const search: Tool = { type: 'web_search_20250305', name: 'web_search' };
  const { sent } = await run()(
    request('', {
      system: `Prefer ${name('violin')} where it fits.`,
      tools: [...tools, search],
      tool_choice: { type: 'tool', name: name('garden') },
      messages: [
        { role: 'user', content: 'Which museum is open?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: name('museum'), input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'parrot, a parrot' }] },
        { role: 'user', content: ask },
      ],
    }),
    { options: `holdout=0&always=${name('tennis')}|nothing` },
  );
  const names = namesIn(sent[0]);
  for (const word of ['violin', 'garden', 'museum', 'tennis']) assert.ok(names.includes(name(word)), word);
  assert.ok(names.includes('web_search'));
  assert.ok(!names.includes(name('parrot')), 'a tool result is no request');
});

test('a later call that must use a tool that was left out has it, and so have those after it', async () => {
  const call = run();
  const garden = 'mcp__garden_server__garden_lookup';
  const first = await call(request(ask));
  assert.ok(!namesIn(first.sent[0]).includes(garden));
  const messages: Message[] = [
    { role: 'user', content: ask },
    { role: 'assistant', content: first.answer?.content ?? [] },
    { role: 'user', content: 'And the other thing?' },
  ];
  const forced = await call(request('', { messages, tool_choice: { type: 'tool', name: garden } }));
  assert.ok(namesIn(forced.sent[0]).includes(garden));
  assert.equal(forced.step?.attributes.aside, 'forced');
  messages.push(
    { role: 'assistant', content: forced.answer?.content ?? [] },
    { role: 'user', content: 'Thanks.' },
  );
  const after = await call(request('', { messages }));
  assert.deepEqual(after.sent[0]?.tools, forced.sent[0]?.tools);
  assert.equal(after.step?.attributes.prefix, undefined);
});

test('tools that programs of the model call stay', async () => {
  const called = tools.map((tool) =>
    tool.name.includes('carpet')
      ? Object.assign({ allowed_callers: ['code_execution_20250825'] }, tool)
      : tool,
  );
  const { sent } = await run()(request(ask, { tools: called }));
  assert.ok(namesIn(sent[0]).includes('mcp__carpet_server__carpet_lookup'));
});

test('one of two tools of a name is not lost with the other', async () => {
  const double = [...tools, { ...tools[0], name: weather, description: 'Something else. '.repeat(40) }];
  const { sent } = await run()(request(ask, { tools: double }));
  assert.equal(namesIn(sent[0]).filter((name) => name === weather).length, 2);
});

test('thousands of tools are chosen from', async () => {
  const many = toolsOf(Array.from({ length: 2700 }, (_, at) => `thing${at}`));
  const call = run();
  let number = 0;
  // Reading so many may take longer than a call waits: each of these is the first of another conversation.
  const first = await eventually(async () => {
    const { sent } = await call(request(`Where is thing7? ${++number}`, { tools: many }));
    return namesIn(sent[0]).length < 500 ? namesIn(sent[0]) : undefined;
  });
  assert.ok(first.includes('mcp__thing7_server__thing7_lookup'));
  const again = await call(request(`Where is thing7? ${number}`, { tools: many }));
  assert.deepEqual(namesIn(again.sent[0]), first);
});

test('who wants others always has them at once', async () => {
  const call = run();
  await call(request(ask));
  const { sent } = await call(request(ask), {
    options: 'holdout=0&always=mcp__tennis_server__tennis_lookup',
  });
  assert.ok(namesIn(sent[0]).includes('mcp__tennis_server__tennis_lookup'));
  const many = Array.from({ length: 100 }, (_, at) => `mcp__some_server__some_lookup_${at}`).join('|');
  const { step } = await call(request(`${ask} Or not?`), { options: `holdout=0&always=${many}` });
  assert.equal(step?.effect, 'changed-both');
});

test('reading thousands of long descriptions lets others have their turn', async () => {
  const long = Array.from({ length: 1500 }, (_, at) => ({
    name: `tool_${at}`,
    description: Array.from({ length: 300 }, (__, word) => `word_${at * 31 + word}`).join(' '),
  }));
  let turns = 0;
  const turn = setInterval(() => turns++, 1);
  await new ToolListCache().withoutVectors(long);
  clearInterval(turn);
  assert.ok(turns > 3, String(turns));
});

test('who offers a list while vectors of it are made waits for nothing', async () => {
  const lists = new ToolListCache();
  const embed = wordVectors(() => false);
  const made = Promise.withResolvers<void>();
  const slow = { ...embed, many: () => made.promise.then(() => ({ why: 'busy' as const })) };
  const making = lists.embedMissing(tools, slow);
  assert.deepEqual(await lists.load(tools, slow), { why: 'busy' });
  made.resolve();
  await making;
});

test('tools that are named in the descriptions of others come along', async () => {
  const referring = tools.map((tool) =>
    tool.name === weather ? { ...tool, description: `${tool.description} See glacier_lookup.` } : tool,
  );
  const { sent } = await run()(request(ask, { tools: referring }));
  assert.ok(namesIn(sent[0]).includes('mcp__glacier_server__glacier_lookup'));
});

test('a cache marker on a tool that is left out goes to the one before it', async () => {
  const marked = tools.map((tool, at) =>
    at === tools.length - 1 ? { ...tool, cache_control: { type: 'ephemeral' as const } } : tool,
  );
  const { sent } = await run()(request(ask, { tools: marked }));
  const kept = sent[0]?.tools ?? [];
  assert.ok(!namesIn(sent[0]).includes(marked.at(-1)?.name ?? ''));
  assert.deepEqual(
    kept.map(({ cache_control }) => cache_control?.type).filter((type) => type !== undefined),
    ['ephemeral'],
  );
});

for (const [aside, when, over] of [
  ['few-tools', 'there are few tools', { tools: tools.slice(0, 8) }],
  ['few-tools', 'there are none', { tools: [] }],
  [
    'many-tools',
    'there are more than anybody takes',
    { tools: Array.from({ length: 5001 }, (_, at) => ({ name: `t${at}` })) },
  ],
  ['small-tools', 'their tokens are few', { tools: tools.map(({ name }) => ({ name })) }],
  ['vague', 'a request says nothing', { messages: [{ role: 'user', content: 'please go on with it' }] }],
  [
    'vague',
    'a request is in a script without known words',
    { messages: [{ role: 'user', content: '请帮我查询天气记录' }] },
  ],
  [
    'tool-type',
    'a tool is one that only its own format understands',
    { tools: [...tools, foreignTool('openai-responses', { type: 'local_shell' })] },
  ],
  [
    'tool-search',
    'the client searches for tools itself',
    { tools: [...tools, { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }] },
  ],
  [
    'tool-search',
    'the client defers tools itself',
    { tools: tools.map((tool) => ({ ...tool, defer_loading: true })) },
  ],
  ['needed', 'every tool is needed', { system: `Use ${namesIn({ ...request(''), tools }).join(', ')}.` }],
] satisfies readonly [string, string, Partial<ChatRequest>][])
  test(`nothing happens where ${when}, and the trace says so`, async () => {
    const asked = request(ask, over);
    const { sent, step } = await run()(asked);
    assert.equal(namesIn(sent[0]).length, namesIn(asked).length);
    assert.deepEqual([step?.effect, step?.attributes], ['passed', { aside }]);
  });

test('with way_back=none nothing is added', async () => {
  const { sent } = await run()(request(ask), { options: 'holdout=0&way_back=none' });
  assert.ok(!namesIn(sent[0]).includes('find_tools'));
  assert.ok((sent[0]?.tools?.length ?? 0) < tools.length);
});

const answerOf = (content: readonly Block[], usage: Usage = {}): Answer => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'demo',
  content,
  stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 10, ...usage },
});
const use = (id: string, name: string, input: unknown): Block => ({ type: 'tool_use', id, name, input });
/** A provider that says these turns one after the other. */
function script(usage: Usage, ...turns: readonly (readonly Block[])[]): Handler {
  const left = [...turns];
  return async () => Reply.of(answerOf(left.shift() ?? [{ type: 'text', text: 'Done.' }], usage));
}

describe('what it is worth', () => {
  const prices = testPrices({ input: 10, output: 10, cacheRead: 1, cacheWrite: 12 });
  const usd = (facts: Readonly<Record<string, unknown>> | undefined) => Number(facts?.saved);
  const using =
    (usage: Usage): Handler =>
    async () =>
      Reply.of(answerOf([{ type: 'text', text: 'Done.' }], usage));

  test('tokens count as much as those of the call that were billed', async () => {
    const call = runModule(mcpOptimizer, { options: 'holdout=0' }, { embeddings: wordVectors(), prices });
    // A call waits 150 ms for the vectors of its tools, which a busy machine can take; the next call has them.
    const plain = await eventually(async () => {
      const made = await call(request(ask), { upstream: using({ input_tokens: 500, output_tokens: 1 }) });
      return made.step?.attributes.saved === undefined ? undefined : made;
    });
    const read = await call(request(`${ask} Or not?`), {
      upstream: using({ input_tokens: 5, cache_read_input_tokens: 500, output_tokens: 1 }),
    });
    assert.ok(usd(plain.step?.attributes) > 0.005, String(plain.step?.attributes.saved));
    assert.equal(plain.step?.attributes.saved, formatUsd(plain.step?.savedNanoUsd ?? 0));
    assert.ok(Math.abs(usd(plain.step?.attributes) / usd(read.step?.attributes) - 10) < 0.01);
  });

  test('where searching costs more than to write the conversation anew, all tools go out from then on', async () => {
    const call = runModule(mcpOptimizer, { options: 'holdout=0' }, { embeddings: wordVectors(), prices });
    const messages: Message[] = [{ role: 'user', content: ask }];
    const headers = ['x-weir-conversation', 'dearer'];
    const seen: number[] = [];
    for (let turn = 0; turn < 9; turn++) {
      const rounds = [1, 2, 3].map((round) => [use(`f${turn}${round}`, 'find_tools', { query: 'violin' })]);
      const usage: Usage = { input_tokens: 5, cache_read_input_tokens: 9000, output_tokens: 1 };
      const upstream = seen.at(-1) === tools.length ? script(usage) : script(usage, ...rounds);
      const { sent, step, answer } = await call(request('', { messages: [...messages] }), {
        headers,
        upstream,
      });
      seen.push(sent[0]?.tools?.length ?? 0);
      assert.notEqual(step?.attributes.prefix, 'not-repeated');
      messages.push(
        { role: 'assistant', content: answer?.content ?? [] },
        { role: 'user', content: 'And the weather then?' },
      );
    }
    assert.ok((seen[4] ?? 0) < tools.length, String(seen));
    assert.deepEqual(seen.slice(-3), [tools.length, tools.length, tools.length]);
  });

  test('where searching costs more than it saves, all tools go out from the next break on', async () => {
    const nowMs = { value: Date.now() };
    const clock = { ...systemClock, now: () => nowMs.value };
    const call = runModule(
      mcpOptimizer,
      { options: 'holdout=0' },
      { embeddings: wordVectors(), prices, clock },
    );
    const messages: Message[] = [{ role: 'user', content: ask }];
    const headers = ['x-weir-conversation', 'dear'];
    for (let turn = 0; turn < 6; turn++) {
      const rounds = [use(`f${turn}`, 'find_tools', { query: 'violin' })];
      const dear: Usage = { input_tokens: 5, cache_read_input_tokens: 90_000, output_tokens: 1 };
      const { step, answer } = await call(request('', { messages: [...messages] }), {
        headers,
        upstream: script(dear, rounds),
      });
      assert.ok(usd(step?.attributes) < 0, String(step?.attributes.saved));
      messages.push(
        { role: 'assistant', content: answer?.content ?? [] },
        { role: 'user', content: 'And the weather then?' },
      );
    }
    nowMs.value += 7_200_000;
    const { sent, step, answer } = await call(request('', { messages }), { headers });
    assert.equal(step?.attributes.aside, 'costs');
    assert.equal(sent[0]?.tools?.length, tools.length);
    messages.push(
      { role: 'assistant', content: answer?.content ?? [] },
      { role: 'user', content: 'And then?' },
    );
    const after = await call(request('', { messages }), { headers });
    assert.equal(after.sent[0]?.tools?.length, tools.length);
    assert.equal(after.step?.attributes.prefix, undefined);
  });
});

describe('the way back', () => {
  const violin = 'mcp__violin_server__violin_lookup';
  for (const wire of ['anthropic-messages', 'openai-chat', 'openai-responses'])
    test(`a tool is found and called by the client, which goes on with it (${wire})`, async () => {
      const call = run();
      const upstream = script(
        {},
        [use('f1', 'find_tools', { query: 'violin makers' })],
        [use('c1', 'call_tool', { name: violin, arguments: { violin: 'old' } })],
      );
      const first = await call(request(ask), { upstream, wire });
      assert.equal(first.error, undefined);
      assert.match(JSON.stringify(first.sent[1]?.messages.at(-1)), /violin_lookup/);
      assert.deepEqual(
        first.answer?.content.map((block) =>
          block.type === 'tool_use' ? [block.id, block.name, block.input] : block,
        ),
        [['c1', violin, { violin: 'old' }]],
      );
      const next = await call(
        request('', {
          messages: [
            { role: 'user', content: ask },
            { role: 'assistant', content: first.answer?.content ?? [] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'A Stradivari.' }] },
          ],
        }),
        { upstream: script({}, [{ type: 'text', text: 'It is a Stradivari.' }]), wire },
      );
      const history = JSON.stringify(next.sent[0]?.messages);
      assert.match(history, /"find_tools"/);
      assert.match(history, /"call_tool"/);
      assert.doesNotMatch(history, new RegExp(`"name":"${violin}","input":\\{"violin"`));
      assert.deepEqual(namesIn(next.sent[0]), namesIn(first.sent[0]));
    });

  test('the model gets an error for wrong arguments and wrong names, with the right ones', async () => {
    const upstream = script(
      {},
      [use('c1', 'call_tool', { name: violin, arguments: {} })],
      [use('c2', 'call_tool', { name: 'nothing', arguments: {} })],
      [use('c3', 'call_tool', { name: violin, arguments: '{"violin":"old"}' })],
    );
    const { sent, answer } = await run()(request(ask), { upstream });
    assert.match(JSON.stringify(sent[1]?.messages.at(-1)), /arguments\.violin is missing.*input_schema/);
    assert.match(JSON.stringify(sent[2]?.messages.at(-1)), /There is no tool/);
    assert.deepEqual(
      answer?.content.map((block) => block.type === 'tool_use' && block.input),
      [{ violin: 'old' }],
    );
  });

  test('tools are found by words where there are no vectors in time', async () => {
    let isReady = true;
    const call = runModule(
      mcpOptimizer,
      { options: 'holdout=0' },
      { embeddings: wordVectors(() => isReady) },
    );
    await whenKnown(call);
    const rounds = script({}, [use('f1', 'find_tools', { query: 'violin makers' })]);
    const upstream: Handler = (exchange) => {
      isReady = false;
      return rounds(exchange);
    };
    const { sent, step } = await call(request(ask), { upstream });
    assert.equal(step?.attributes.tool_failed, undefined);
    assert.match(JSON.stringify(sent[1]?.messages.at(-1)), /violin_lookup/);
  });

  test('what is asked for by its name is found first, and huge schemas are not all shown', async () => {
    const huge = tools.map((tool) => ({
      ...tool,
      input_schema: { type: 'object', properties: { big: { type: 'string', enum: ['x'.repeat(20_000)] } } },
    }));
    const query = 'recipe garden museum tennis planet mcp__glacier_server__glacier_lookup';
    const upstream = script({}, [use('f1', 'find_tools', { query })]);
    const { sent } = await run()(request(ask, { tools: huge }), { upstream });
    const message = JSON.stringify(sent[1]?.messages.at(-1));
    assert.match(message, /with call_tool:\\n\{\\"name\\":\\"mcp__glacier/);
    assert.ok(message.length < 60_000, String(message.length));
  });

  test('arguments may stand beside the name, and numbers keep all their digits', async () => {
    const given = '{"violin":"old","id":12345678901234567890}';
    const upstream = script({}, [
      use('c1', 'call_tool', { name: violin, violin: 'new' }),
      use('c2', 'call_tool', { name: violin, arguments: given }),
    ]);
    const { answer } = await run()(request(ask), { upstream });
    assert.deepEqual(
      answer?.content.map((block) => block.type === 'tool_use' && JSON.stringify(block.input)),
      ['{"violin":"new"}', given],
    );
  });

  test('the model is told the names of tools that belong to listed ones, and may use them', async () => {
    const shell = { ...tools[0], name: 'mcp__shell__bash', description: 'Executes a command in a shell.' };
    const related = { ...tools[0], name: 'mcp__shell__undo', description: 'Takes back. '.repeat(20) };
    const upstream = script({}, [use('c1', 'call_tool', { name: 'undo', arguments: { invoice: 'x' } })]);
    const { sent, answer } = await run()(request(ask, { tools: [...tools, shell, related] }), { upstream });
    const finding = sent[0]?.tools?.find(({ name }) => name === 'find_tools');
    assert.match(finding?.description ?? '', /belong to listed tools: mcp__shell__: undo\./);
    assert.deepEqual(
      answer?.content.map((block) => block.type === 'tool_use' && block.name),
      [related.name],
    );
  });

  test('a search names every tool that was left out', async () => {
    const many = toolsOf(Array.from({ length: 300 }, (_, at) => `subject${at}`));
    const upstream = script({}, [use('f1', 'find_tools', { query: 'subject7' })]);
    const call = runModule(mcpOptimizer, { options: 'holdout=0' }, { embeddings: wordVectors() });
    await whenKnown(call, many);
    const { sent } = await call(request('Tell me about subject3', { tools: many }), { upstream });
    const result = JSON.stringify(sent[1]?.messages.at(-1));
    const listed = new Set(namesIn(sent[0]));
    for (const { name } of many)
      if (!listed.has(name)) assert.ok(result.includes(name.slice(name.lastIndexOf('__') + 2)), name);
    assert.ok(result.length < 40_000, String(result.length));
  });

  test('a call of a tool that was left out reaches the client', async () => {
    const upstream = script({}, [use('c1', violin, { violin: 'old' })]);
    const { answer, sent } = await run()(request(ask), { upstream });
    assert.equal(sent.length, 1);
    assert.deepEqual(
      answer?.content.map((block) => block.type === 'tool_use' && block.name),
      [violin],
    );
  });
});

test('whatever is said, tools change only where nothing is lost by that, and none goes that was there', async () => {
  const moves = fc.array(
    fc.record({
      move: fc.constantFrom('goOn', 'goOn', 'goOn', 'again', 'wait'),
      text: fc.constantFrom('go on', ...words.map((word) => `Tell me about the ${word} of my aunt`)),
      isSearching: fc.boolean(),
      isReady: fc.boolean(),
    }),
    { minLength: 15, maxLength: 15 },
  );
  await fc.assert(
    fc.asyncProperty(moves, async (all) => {
      const now = { ms: Date.now(), isReady: true };
      const clock = { ...systemClock, now: () => now.ms };
      const call = runModule(
        mcpOptimizer,
        { options: 'holdout=0' },
        { embeddings: wordVectors(() => now.isReady), clock },
      );
      let messages: readonly Message[] = [{ role: 'user', content: ask }];
      let before: readonly string[] | undefined;
      for (const [at, { move, text, isSearching, isReady }] of all.entries()) {
        now.isReady = isReady;
        if (move === 'wait') now.ms += 7_200_000;
        const search = [use(`f${at}`, 'find_tools', { query: text })];
        const upstream = isSearching ? script({}, search) : script({});
        const { sent, step, answer, error } = await call(request('', { messages }), { upstream });
        assert.equal(error, undefined);
        assert.equal(step?.attributes.prefix, undefined);
        const names = namesIn(sent[0]);
        if (before !== undefined && move !== 'wait') assert.deepEqual(names, before);
        if (before?.includes('find_tools') === true && names.includes('find_tools'))
          assert.ok(before.every((name) => names.includes(name)));
        before = names;
        if (move === 'again') continue;
        messages = [
          ...messages,
          { role: 'assistant', content: answer?.content ?? [] },
          { role: 'user', content: text },
        ];
      }
    }),
    { numRuns: 15 },
  );
});
