import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimulatedProvider } from '../../../test/support/agent-sessions.ts';
import type { ModuleSavings } from '../../billing/module-tally.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Answer, Block, ChatRequest, Message, ReplyEvent, Usage } from '../../kernel/message.ts';
import type { Handler } from '../../kernel/module.ts';
import { formatUsd } from '../../kernel/money.ts';
import { Reply } from '../../kernel/reply/reply.ts';
import { compileCard } from '../../providers/catalog/price-sheet.ts';
import { type ModuleTestEnvironment, type RunOptions, runModule } from '../../testing/run-module.ts';
import { ipc } from './ipc.ts';

const contextEditing = { wire: 'anthropic-messages', clearsToolUses: 'clear_tool_uses_20250919' };

/** A clock that stands still until a test advances it. */
function house(
  options: string,
  {
    contextTokens = 200_000,
    over = {} as RunOptions,
    moduleDays,
  }: { contextTokens?: number; over?: RunOptions; moduleDays?: ModuleTestEnvironment['moduleDays'] } = {},
) {
  const works: ModuleSavings[] = [];
  const time = { nowMs: 1_000_000 };
  const card = compileCard({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
  const prices: ModuleTestEnvironment['prices'] = {
    priceOf: () => ({
      card,
      estimated: false,
      ...(contextTokens > 0 && { contextTokens }),
      cacheSeconds: 300,
      contextEditing,
    }),
    bill: () => ({ nanoUsd: 0, estimated: false }),
  };
  const run = runModule(
    ipc,
    {
      options: options.includes('holdout') ? options : `holdout=0&${options}`,
      upstream: async () => says({ text: 'Yes.' }),
      ...over,
    },
    {
      prices,
      clock: { now: () => time.nowMs },
      onModuleWork: (work) => void works.push(work),
      ...(moduleDays && { moduleDays }),
    },
  );
  return { run, time, works };
}

/** What a provider answers: words, or a call of a tool. */
function says(
  { text = '', tool }: { text?: string; tool?: { name: string; input: object } },
  usage: Usage = {},
) {
  const block: Block =
    tool === undefined
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: 'call_r', name: tool.name, input: {} };
  const delta =
    tool === undefined
      ? { type: 'text_delta' as const, text }
      : { type: 'input_json_delta' as const, partial_json: JSON.stringify(tool.input) };
  const message: Answer = {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'demo-1',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1, ...usage },
  };
  const stop_reason = tool === undefined ? 'end_turn' : 'tool_use';
  const events: readonly ReplyEvent[] = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null } },
    { type: 'message_stop' },
  ];
  return Reply.stream(
    (async function* () {
      yield* events;
    })(),
  );
}

/** An agent at work: a wish every ten turns, and a file read in each. */
function work(turns: number): readonly Message[] {
  return Array.from({ length: turns }, (_, turn): readonly Message[] => [
    { role: 'user', content: [...resultOf(turn - 1), ...wishOf(turn)] },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: `call_${turn}`, name: 'read', input: { path: `src/part-${turn}.ts` } },
      ],
    },
  ]).flat();
}

function wishOf(turn: number): readonly Block[] {
  return turn % 10 === 0 ? [{ type: 'text', text: `Wish ${turn}: part ${turn} must stay blue.` }] : [];
}

function resultOf(turn: number): readonly Block[] {
  if (turn < 0) return [];
  const lines = Array.from({ length: 40 }, (_, line) => `export const value${line} = ${turn * 40 + line};`);
  return [{ type: 'tool_result', tool_use_id: `call_${turn}`, content: lines.join('\n') }];
}

function asked(turns: number): ChatRequest {
  const messages: readonly Message[] = [
    ...work(turns),
    { role: 'user', content: [...resultOf(turns - 1), ...wishOf(turns)] },
  ];
  return { model: 'demo-1', max_tokens: 1000, messages };
}

function blocksIn({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function checkSound({ messages }: ChatRequest): void {
  let open: readonly string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    assert.equal(role, at % 2 === 0 ? 'user' : 'assistant');
    const blocks = typeof content === 'string' ? [] : content;
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    assert.deepEqual(results, open, `message ${at}`);
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  }
}

const textOf = (value: unknown) => JSON.stringify(value);

describe('a conversation', () => {
  test('is sent as it came while it is short', async () => {
    const { run } = house('target=100000');
    const { sent, step } = await run(asked(20));
    assert.equal(textOf(sent[0]), textOf(asked(20)));
    assert.deepEqual(step?.attributes, { aside: 'small' });
    assert.deepEqual(
      (await run(asked(1))).step?.attributes,
      { aside: 'small' },
      'also where nothing is read',
    );
  });

  test('is sent as it came where the model’s window is not known, and where its answer can’t be continued here', async () => {
    const { run } = house('target=0.5', { contextTokens: 0 });
    assert.deepEqual((await run(asked(80))).step?.attributes, { aside: 'window' });
    const several = { ...asked(80), extensions: { 'openai-chat!': { n: 2 } } };
    const { step } = await house('target=10000').run(several, { wire: 'openai-chat' });
    assert.deepEqual(step?.attributes, { aside: 'request-fields' });
  });

  test('is sent as it came where all of it is new', async () => {
    const { run } = house('target=10000');
    const content = 'Read all of this before you answer. '.repeat(2000);
    const { sent, step } = await run({ ...asked(0), messages: [{ role: 'user', content }] });
    assert.equal(sent[0]?.messages[0]?.content, content);
    assert.deepEqual(step?.attributes, { aside: 'recent' });
  });

  test('is made smaller at a break, with sound pairs and roles, the newest turns and all wishes in it', async () => {
    const { run } = house('target=10000');
    const { sent, step } = await run(asked(80));
    const [request] = sent;
    if (request === undefined) assert.fail();
    assert.equal(step?.effect, 'changed-both');
    checkSound(request);
    assert.ok(textOf(request).length < 10_000 * 4, `${textOf(request).length}`);
    for (const turn of [0, 10, 70]) assert.match(textOf(request), new RegExp(`Wish ${turn}: part`));
    assert.deepEqual(request.messages.slice(-12), asked(80).messages.slice(-12));
    assert.match(String(step?.attributes.tokens), /^\d+\/\d+$/);
    assert.deepEqual(
      request.tools?.map(({ name }) => name),
      ['recall'],
    );
  });

  test('keeps what a system says among its messages, behind the record of what came before', async () => {
    const { run } = house('target=10000');
    const { messages, ...rest } = asked(80);
    const conversation: readonly Message[] = [
      ...messages.slice(0, 2),
      { role: 'user', content: [...resultOf(0), { type: 'text', text: 'Wait.' }] },
      { role: 'system', content: 'Speak French from now on.' },
      ...messages.slice(3),
    ];
    const { sent } = await run({ ...rest, messages: conversation });
    assert.deepEqual(
      sent[0]?.messages.slice(0, 3).map(({ role }) => role),
      ['user', 'system', 'assistant'],
    );
    assert.deepEqual(sent[0]?.messages[1], conversation[3]);
  });

  test('begins with the same bytes from one call to the next', async () => {
    const { run } = house('target=10000');
    const first = (await run(asked(80))).sent[0];
    const second = (await run(asked(81))).sent[0];
    const kept = (first?.messages ?? []).slice(0, -1);
    assert.equal(textOf(second?.messages.slice(0, kept.length)), textOf(kept));
    assert.equal(textOf(second?.tools), textOf(first?.tools));
  });

  test('that a client has made smaller itself begins anew', async () => {
    const { run } = house('target=10000', { over: { headers: ['x-weir-conversation', 'c'] } });
    await run(asked(120));
    const own: ChatRequest = {
      ...asked(60),
      messages: [
        { role: 'user', content: 'A summary.' },
        { role: 'assistant', content: 'Good.' },
        ...asked(60).messages,
      ],
    };
    const { sent, step } = await run(own);
    assert.equal(step?.attributes.client, 'compacted');
    assert.match(textOf(sent[0]), /A summary/);
    assert.equal(step?.attributes.prefix, undefined);
  });

  test('is not touched inside of a loop in which the model thinks: its provider leaves results out, the same from call to call', async () => {
    const { run } = house('target=10000', { contextTokens: 30_000 });
    const thought: Block = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const looping = (turns: number): ChatRequest => ({
      ...asked(turns),
      messages: asked(turns).messages.map((message, at) =>
        at > 2 && message.role === 'assistant'
          ? { role: 'assistant', content: [thought, ...blocksIn(message)] }
          : { ...message, content: blocksIn(message).filter(({ type }) => at === 0 || type !== 'text') },
      ),
    });
    const runTurns = async (turns: number) => {
      const { sent, step } = await run(looping(turns));
      const { context_management, ...rest } = sent[0] ?? assert.fail();
      assert.equal(textOf(rest), textOf(looping(turns)));
      return { edit: textOf(context_management), facts: step?.attributes };
    };
    const first = await runTurns(74);
    assert.match(
      first.edit,
      /clear_tool_uses_20250919.*"trigger":\{"type":"tool_uses","value":68\}.*"value":6\}/,
    );
    assert.equal(first.facts?.cleared, 'by-provider');
    assert.match((await runTurns(75)).edit, /"value":68\}.*"value":7\}/);
  });

  test('loses all thoughts that were signed with another past, and no marker too many', async () => {
    const { run } = house('target=10000');
    const mark = { cache_control: { type: 'ephemeral' as const } };
    const spoken: readonly Message[] = [
      ...asked(80).messages,
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: 'And now?' },
    ];
    const messages = spoken.map((message, at): Message => {
      if (typeof message.content === 'string') return message;
      const thought: readonly Block[] =
        message.role === 'assistant' ? [{ type: 'thinking', thinking: `T${at}.`, signature: 's' }] : [];
      const content = [...thought, ...message.content];
      const end = content.at(-1);
      return at % 40 === 0 && end?.type === 'tool_result'
        ? { ...message, content: [...content.slice(0, -1), { ...end, ...mark }] }
        : { ...message, content };
    });
    const system = [{ type: 'text' as const, text: 'Be kind.', ...mark }];
    const { sent } = await run({ ...asked(80), system, messages });
    const text = textOf(sent[0]);
    assert.doesNotMatch(text, /"T\d+\."/);
    const later: readonly Message[] = [
      ...messages,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Anew.', signature: 's' },
          { type: 'text', text: 'Now.' },
        ],
      },
      { role: 'user', content: 'Good.' },
    ];
    const next = await run({ ...asked(80), system, messages: later });
    assert.equal(next.step?.attributes.prefix, undefined);
    assert.deepEqual(textOf(next.sent[0]).match(/"(T\d+|Anew)\."/g), ['"Anew."']);
    const marks = text.match(/cache_control/g)?.length ?? 0;
    assert.ok(marks >= 2 && marks <= 4, `${marks}`);
  });

  test('whose newest text exceeds the window keeps its beginning and end, and the model can recall the rest', async () => {
    const lines = Array.from({ length: 6000 }, (_, at) => `Line ${at} of the log is about part ${at * 7}.`);
    const content = `Find the fault.\n${lines.join('\n')}\nAnswer in one word.`;
    const first: ChatRequest = { ...asked(0), messages: [{ role: 'user', content }] };
    for (const contextTokens of [20_000, 0]) {
      const seen: string[] = [];
      const upstream: RunOptions['upstream'] = async ({ request }) => {
        if (textOf(request).length > 120_000)
          throw new GatewayError('upstream_error', 'too long', {
            status: 400,
            providerCode: 'context_length_exceeded',
          });
        seen.push(textOf(request.messages));
        return seen.length === 1
          ? says({ tool: { name: 'recall', input: { query: 'line 3000 of the log' } } })
          : says({ text: 'Yes.' });
      };
      const { run } = house('target=0.5', { contextTokens, over: { upstream } });
      const { answer, step } = await run(first);
      assert.equal(step?.attributes.newest, 'cut');
      assert.equal(answer?.content.length, 1);
      assert.match(
        seen[0] ?? '',
        /Find the fault.*characters left out by the gateway, kept as .*in one word/,
      );
      assert.doesNotMatch(seen[0] ?? '', /Line 3000 of/);
      assert.match(seen[1] ?? '', /Line 3000 of/);
      const messages = [...first.messages, { role: 'assistant', content: 'Yes.' } as const];
      await run({ ...first, messages: [...messages, { role: 'user', content: 'And now?' }] });
      assert.ok(seen[2]?.startsWith(String(seen[0]?.slice(0, -2))));
    }
  });

  test('is made smaller still where its provider says that it is too long', async () => {
    let refusals = 0;
    const { run } = house('target=0.5', {
      over: {
        upstream: async ({ request }) => {
          if (textOf(request).length < 60_000) return says({ text: 'Yes.' });
          refusals++;
          throw new GatewayError('upstream_error', 'too long', {
            status: 400,
            providerCode: 'context_length_exceeded',
          });
        },
      },
    });
    const { answer, error, step } = await run(asked(70));
    assert.equal(error, undefined);
    assert.equal(step?.attributes.aside, undefined);
    assert.equal(refusals, 1);
    assert.equal(answer?.stop_reason, 'end_turn');
  });
});

describe('the holdout', () => {
  const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const named = (name: string, more: RunOptions = {}): RunOptions => ({
    ...more,
    headers: ['x-weir-conversation', name],
  });
  const isWhole = (sent: readonly ChatRequest[], turns: number) => textOf(sent[0]) === textOf(asked(turns));

  test('is a share of the conversations, each for its whole life, and both sides are recorded', async () => {
    const { run, works } = house('target=10000&holdout=0.5');
    const sides = new Map<string, boolean>();
    for (const name of names) {
      const { sent, step } = await run(asked(80), named(name));
      sides.set(name, isWhole(sent, 80));
      assert.equal(step?.attributes.aside === 'holdout', isWhole(sent, 80));
    }
    const trials = works.flatMap(({ trial }) => trial?.isHeldOut ?? []);
    assert.deepEqual(trials, [...sides.values()]);
    assert.equal(new Set(trials).size, 2);
    for (const [name, isHeldOut] of sides) {
      const { sent } = await run(asked(90), named(name, { options: 'target=10000&holdout=0' }));
      assert.equal(isWhole(sent, 90), isHeldOut, name);
    }
  });

  test('has no conversation that was compacted before', async () => {
    const { run, works } = house('target=10000');
    for (const name of names) await run(asked(80), named(name));
    for (const name of names) {
      const { sent } = await run(asked(90), named(name, { options: 'target=10000&holdout=0.5' }));
      assert.equal(isWhole(sent, 90), false, name);
    }
    assert.ok(works.every(({ trial }) => trial === undefined));
  });

  test('is not there while the module steps aside: it goes on in conversations that it has compacted', async () => {
    const nothing = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };
    const days = { accountId: 'local', day: '1970-01-01', module: 'ipc', calls: 2000, spentNanoUsd: 0 };
    const moduleDays = [{ ...days, savedNanoUsd: -1, with: nothing, without: nothing }];
    const { run, works } = house('target=10000&holdout=0', { moduleDays });
    const options = 'target=10000&holdout=0.5&auto=on';
    await run(asked(80), named('known'));
    assert.equal(isWhole((await run(asked(90), named('known', { options }))).sent, 90), false);
    const { sent, step } = await run(asked(80), named('new', { options }));
    assert.ok(isWhole(sent, 80));
    assert.deepEqual(step?.attributes, { aside: 'auto', why: 'loses', until: '1970-01-31' });
    assert.ok(works.every(({ trial }) => trial === undefined));
  });

  test('is compacted where the window or the provider requires it, and not further', async () => {
    const fits = house('target=10000&holdout=0.5');
    const heldOut: string[] = [];
    for (const name of names)
      if (isWhole((await fits.run(asked(70), named(name))).sent, 70)) heldOut.push(name);
    const [name = assert.fail()] = heldOut;
    const narrow = house('target=10000&holdout=0.5', { contextTokens: 30_000 });
    const { sent, error } = await narrow.run(asked(80), named(name));
    assert.equal(error, undefined);
    assert.ok(textOf(sent[0]).length < 30_000 * 4, `${textOf(sent[0]).length}`);
    const refusal = new GatewayError('upstream_error', 'too long', {
      status: 400,
      providerCode: 'context_length_exceeded',
    });
    let refusals = 0;
    const upstream: Handler = async ({ request }) => {
      if (textOf(request).length < 60_000) return says({ text: 'Yes.' });
      refusals++;
      throw refusal;
    };
    const refused = await fits.run(asked(70), named(name, { upstream }));
    assert.deepEqual([refused.error, refusals], [undefined, 1]);
  });
});

describe('what it costs', () => {
  test('decides: a warm conversation is left alone while a step would not pay for itself', async () => {
    const { run } = house('target=10000');
    const usage = { input_tokens: 0, cache_read_input_tokens: 9000, cache_creation_input_tokens: 100 };
    const upstream = async () => says({ text: 'Yes.' }, usage);
    for (const turns of [20, 24, 28]) await run(asked(turns), { upstream });
    const { sent, step } = await run(asked(32), { upstream });
    assert.equal(textOf(sent[0]), textOf(asked(32)));
    assert.equal(step?.attributes.step, undefined);
    assert.equal(step?.attributes.aside, 'prefix');
  });

  test('is nothing where a provider keeps nothing: then a step is taken as soon as it is long enough', async () => {
    const { run } = house('target=10000');
    const upstream = async () => says({ text: 'Yes.' }, { input_tokens: 9000 });
    for (const turns of [16, 19, 22, 25]) await run(asked(turns), { upstream });
    const { sent, step } = await run(asked(31), { upstream });
    assert.equal(step?.attributes.step, 'pays');
    assert.ok(textOf(sent[0]).length < textOf(asked(31)).length * 0.8);
    if (sent[0] !== undefined) checkSound(sent[0]);
  });

  test('is kept low by markers that stand by, for clients that use markers', async () => {
    const { run } = house('target=10000');
    const { messages, ...rest } = asked(20);
    const last = messages.at(-1);
    if (last === undefined || typeof last.content === 'string') assert.fail();
    const [end] = last.content.slice(-1);
    if (end?.type !== 'text') assert.fail();
    const marked = { ...end, cache_control: { type: 'ephemeral' as const } };
    const content = [...last.content.slice(0, -1), marked];
    const { sent } = await run({ ...rest, messages: [...messages.slice(0, -1), { ...last, content }] });
    const text = textOf(sent[0]);
    assert.equal(text.match(/cache_control/g)?.length, 3);
    assert.equal(text.replaceAll(',"cache_control":{"type":"ephemeral"}', ''), textOf(asked(20)));
  });

  test('is not claimed as saved where the provider did not clear what it was asked to', async () => {
    const thought: Block = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const messages = asked(74).messages.map((message, at): Message => {
      const blocks = blocksIn(message);
      if (message.role === 'assistant') return { ...message, content: [thought, ...blocks] };
      return { ...message, content: blocks.filter(({ type }) => at === 0 || type !== 'text') };
    });
    const savedWith = async (clears: boolean) => {
      const provider = new SimulatedProvider({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, 1e6);
      const { run } = house('target=10000', { contextTokens: 30_000 });
      const { step } = await run(
        { ...asked(74), messages },
        {
          upstream: async ({ request }) =>
            provider.answer(clears ? request : { ...request, context_management: {} }),
        },
      );
      assert.equal(step?.attributes.cleared, 'by-provider');
      return Number(step.attributes.saved);
    };
    assert.ok((await savedWith(true)) > 0.03);
    assert.ok(Math.abs(await savedWith(false)) < 0.002);
  });

  test('is reported for each call and for the conversation', async () => {
    const { run, works } = house('target=10000');
    const { step } = await run(asked(80), {
      upstream: async () => says({ text: 'Yes.' }, { cache_creation_input_tokens: 9000 }),
    });
    assert.match(String(step?.attributes.saved), /^0\.0\d+$/);
    assert.deepEqual(
      works.map(({ savedNanoUsd = 0 }) => formatUsd(savedNanoUsd)),
      [step?.attributes.saved],
    );
    assert.match(String(step?.attributes.usd), /^0\.\d+\/0\.\d+$/);
  });
});

describe('big results', () => {
  const blob = Buffer.from(Array.from({ length: 9000 }, (_, at) => (at * 7919) % 251)).toString('base64');
  const result = (content: string): ChatRequest => ({
    model: 'demo-1',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Read.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content }] },
    ],
  });

  test('lose data and repeated lines before they are first sent, and stay like that', async () => {
    const { run } = house('target=0.5');
    const request = result(`head\n${blob}\n${'the same\n'.repeat(500)}tail`);
    const first = await run(request);
    const text = textOf(first.sent[0]?.messages[2]);
    assert.ok(text.length < 600, text);
    assert.match(text, /head.*characters of base64.*the same.*499 more times.*tail.*kept as/s);
    const later = await run({
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'And?' },
      ],
    });
    assert.equal(textOf(later.sent[0]?.messages[2]), text);
    assert.equal(later.step?.attributes.prefix, undefined);
  });

  test('that are still too large to store after shrinking are sent unchanged', async () => {
    const { run } = house('target=0.5');
    const lines = Array.from({ length: 3000 }, (_, at) => `${at}: ${'漢'.repeat(25)}`).join('\n');
    const request = result(`${lines}\n${'the same\n'.repeat(3000)}`);
    const { sent, step, error } = await run(request);
    assert.equal(error, undefined);
    assert.notEqual(step?.effect, 'broken');
    assert.equal(textOf(sent[0]), textOf(request));
  });

  test('of other kinds stay as they are', async () => {
    const { run } = house('target=0.5');
    const prose = Array.from({ length: 400 }, (_, at) => `Line ${at} says something of its own.`).join('\n');
    const { sent } = await run(result(prose));
    assert.equal(textOf(sent[0]), textOf(result(prose)));
  });
});

describe('recall', () => {
  test('reads what a shortened result says it is kept as, of its own conversation alone', async () => {
    const { run } = house('target=10000');
    const seen: string[] = [];
    const names = ['nothing'];
    await run(asked(60), {
      upstream: async ({ request }) => {
        seen.push(textOf(request.messages.at(-1)));
        names.push(/left out by the gateway, kept as (\w+) …/.exec(textOf(request))?.[1] ?? '');
        const ref = seen.length === 1 ? names[0] : names[1];
        return seen.length < 3 ? says({ tool: { name: 'recall', input: { ref } } }) : says({ text: 'Yes.' });
      },
    });
    assert.match(seen[1] ?? '', /Nothing of this conversation is kept as/);
    assert.match(seen[2] ?? '', /Tool: export const value0 = \d+;.*export const value39 = \d+;/s);
  });

  test('brings passages of the whole conversation in order for questions about its course', async () => {
    const { run } = house('target=10000');
    const recalled: string[] = [];
    for (const query of ['Summarize what was wished for so far', 'wish']) {
      await run(asked(80), {
        upstream: async ({ request }) => {
          const last = textOf(request.messages.at(-1));
          const isAnswered = last.includes('call_r');
          if (isAnswered) recalled.push(last);
          return isAnswered
            ? says({ text: 'Yes.' })
            : says({ tool: { name: 'recall', input: { query, overview: query === 'wish' } } });
        },
      });
    }
    for (const text of recalled) {
      const wishes = [...text.matchAll(/Wish (\d+):/g)].map(([, turn]) => Number(turn));
      assert.deepEqual(wishes, [0, 10, 20, 30, 40, 50, 60, 70, 80]);
    }
    assert.equal(recalled.length, 2);
  });

  test('brings back what was left out, and the client sees one answer', async () => {
    const { run } = house('target=10000');
    const seen: string[] = [];
    const { answer, sent } = await run(asked(80), {
      upstream: async ({ request }) => {
        const last = textOf(request.messages.at(-1));
        seen.push(last);
        return last.includes('call_r')
          ? says({ text: 'It was 1207.' })
          : says({ tool: { name: 'recall', input: { query: 'value7 in part-30' } } });
      },
    });
    assert.equal(sent.length, 2);
    assert.match(seen[1] ?? '', /export const value7 = 1207;/);
    assert.doesNotMatch(textOf(sent[0]), /1207/);
    assert.deepEqual(
      answer?.content.map((block) => block.type === 'text' && block.text),
      ['It was 1207.'],
    );
  });
});

test('records that a model writes take the place of extracts when they are ready', async () => {
  const questions: ChatRequest[] = [];
  const { run, time } = house('target=10000&style=model', {
    over: {
      upstream: async ({ request }) => {
        if (!textOf(request.system ?? '').includes('keep the record')) return says({ text: 'Yes.' });
        questions.push(request);
        return says({ text: 'THE RECORD: all parts stay blue.' });
      },
    },
  });
  await run(asked(40));
  assert.equal(questions.length, 1);
  time.nowMs += 3_600_000;
  const { sent } = await run(asked(90));
  assert.match(textOf(sent[0]), /THE RECORD: all parts stay blue/);
  if (sent[0] !== undefined) checkSound(sent[0]);
});
