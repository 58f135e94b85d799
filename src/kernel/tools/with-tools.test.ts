import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { systemClock } from '../../lib/clock.ts';
import { runModule } from '../../testing/run-module.ts';
import { GatewayError } from '../errors.ts';
import type { Answer, Block, ChatRequest, Message } from '../message.ts';
import { blocksOf } from '../message-blocks.ts';
import type { Handler, Module } from '../module.ts';
import { Reply } from '../reply/reply.ts';
import type { GatewayTool, ToolAnswer, ToolCachePlan } from './gateway-tool.ts';
import { withTools } from './with-tools.ts';

const clock: GatewayTool = {
  tool: { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object' } },
  answer: () => 'It is noon.',
};

function moduleWith(tools: readonly GatewayTool[], over: Partial<Module> = {}): Module {
  return {
    api: 1,
    name: 'teller',
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
    options: z.strictObject({}),
    handle: (exchange, next, kit) => withTools(tools, { exchange, next, kit }),
    ...over,
  };
}

const text = (said: string): Block => ({ type: 'text', text: said });
const call = (id: string, name: string, input: unknown = {}): Block => ({
  type: 'tool_use',
  id,
  name,
  input,
});

/** A model that says these one after the other. */
function says(...answers: readonly { content: readonly Block[]; stop?: string; output?: number }[]): Handler {
  let at = 0;
  return async () => {
    const { content, stop, output = 5 } = answers[at++] ?? assert.fail('the model was asked too often');
    const calls = content.some(({ type }) => type === 'tool_use');
    const answer: Answer = {
      id: `msg_${at}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: stop ?? (calls ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: output },
    };
    return Reply.of(answer);
  };
}

/** A call of a kind that only one format has, which the client answers. */
const shell = (awaits: string | null): Block =>
  Object.assign(text(''), { type: 'foreign', wire: 'w', kind: 'shell_call', part: {}, awaits });

const question: ChatRequest = {
  model: 'm',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'What time is it?' }],
};

describe('a tool that the gateway answers', () => {
  test('is called and answered behind the client’s back, and the client gets one answer', async () => {
    const run = runModule(moduleWith([clock]));
    const { answer, sent, step } = await run(question, {
      upstream: says({ content: [text('Let me see.'), call('c1', 'clock')] }, { content: [text('Noon.')] }),
    });
    assert.equal(answer?.id, 'msg_1');
    assert.deepEqual(answer?.content, [text('Let me see.'), text('\n\nNoon.')]);
    assert.equal(answer?.stop_reason, 'end_turn');
    assert.deepEqual([answer?.usage.input_tokens, answer?.usage.output_tokens], [20, 10]);
    assert.deepEqual(
      sent[0]?.tools?.map(({ name }) => name),
      ['clock'],
    );
    assert.deepEqual(sent[1]?.messages.slice(1), [
      { role: 'assistant', content: [text('Let me see.'), call('c1', 'clock')] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'It is noon.' }] },
    ]);
    assert.equal(sent[1]?.max_tokens, 95);
    assert.equal(step?.attributes.tool_calls, 1);
  });

  test('is put back where it was when the conversation goes on, byte for byte', async () => {
    const run = runModule(moduleWith([clock]));
    const first = await run(question, {
      upstream: says({ content: [call('c1', 'clock')] }, { content: [text('Noon.')] }),
    });
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', content: 'Noon.' },
      { role: 'user', content: 'Thanks' },
    ];
    const { sent, step } = await run(
      { ...question, messages },
      { upstream: says({ content: [text('Bye.')] }) },
    );
    const before = first.sent.at(-1)?.messages ?? [];
    assert.equal(JSON.stringify(sent[0]?.messages.slice(0, before.length)), JSON.stringify(before));
    assert.deepEqual(sent[0]?.messages.slice(before.length), [
      { role: 'assistant', content: [text('Noon.')] },
      { role: 'user', content: 'Thanks' },
    ]);
    assert.equal(step?.attributes.prefix, undefined);
  });

  test('leaves the client’s cache markers where they are', async () => {
    const run = runModule(moduleWith([clock]));
    await run(question, { upstream: says({ content: [call('c1', 'clock')] }, { content: [text('Noon.')] }) });
    const marked: Block = { type: 'text', text: 'Noon.', cache_control: { type: 'ephemeral' } };
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', content: [marked] },
      { role: 'user', content: 'Thanks' },
    ];
    const { sent } = await run({ ...question, messages }, { upstream: says({ content: [text('Bye.')] }) });
    assert.deepEqual(sent[0]?.messages[3], { role: 'assistant', content: [marked] });
  });

  test('may be called together with tools of the client’s, whose results come with ours on the next call', async () => {
    const run = runModule(moduleWith([clock]));
    const asked = { ...question, tools: [{ name: 'open' }] };
    const first = await run(asked, {
      upstream: says({ content: [call('c1', 'clock'), call('c2', 'open', { door: 1 })] }),
    });
    assert.deepEqual(first.answer?.content, [call('c2', 'open', { door: 1 })]);
    assert.equal(first.answer?.stop_reason, 'tool_use');
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', content: first.answer?.content ?? [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'opened' }] },
    ];
    const { sent } = await run({ ...asked, messages }, { upstream: says({ content: [text('Done.')] }) });
    assert.deepEqual(sent[0]?.messages.slice(1), [
      { role: 'assistant', content: [call('c1', 'clock'), call('c2', 'open', { door: 1 })] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'It is noon.' },
          { type: 'tool_result', tool_use_id: 'c2', content: 'opened' },
        ],
      },
    ]);
  });

  test('may be called together with what only one format has and the client answers', async () => {
    const run = runModule(moduleWith([clock]));
    for (const awaits of ['c2', null]) {
      const said = [call('c1', 'clock'), shell(awaits)];
      const { answer } = await run(question, { upstream: says({ content: said, stop: 'end_turn' }) });
      assert.deepEqual(answer?.content, [shell(awaits)]);
      const back = awaits === null ? shell(awaits) : call(awaits, 'shell');
      const messages: Message[] = [
        ...question.messages,
        { role: 'assistant', content: [back] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'ran' }] },
      ];
      const { sent } = await run({ ...question, messages }, { upstream: says({ content: [text('Done.')] }) });
      assert.deepEqual(sent[0]?.messages[1], { role: 'assistant', content: said });
    }
  });

  test('has another name where the client has one of the same', async () => {
    const asked = { ...question, tools: [{ name: 'clock' }] };
    const { answer, sent } = await runModule(moduleWith([clock]))(asked, {
      upstream: says({ content: [call('c1', 'clock')] }),
    });
    assert.deepEqual(
      sent[0]?.tools?.map(({ name }) => name),
      ['clock', 'clock_2'],
    );
    assert.deepEqual(answer?.content, [call('c1', 'clock')]);
  });

  test('may hand its call over to the client, and gets it back as it was', async () => {
    const proxy: GatewayTool = {
      tool: { name: 'call_tool' },
      answer: () => ({ handOver: { name: 'open', input: { door: 2 } } }),
    };
    const run = runModule(moduleWith([proxy]));
    const wrapped = call('c1', 'call_tool', { name: 'open', arguments: { door: 2 } });
    const { answer } = await run(question, { upstream: says({ content: [text('Opening.'), wrapped] }) });
    assert.deepEqual(answer?.content, [text('Opening.'), call('c1', 'open', { door: 2 })]);
    const result: Message = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }],
    };
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', content: answer?.content ?? [] },
      result,
    ];
    const { sent } = await run({ ...question, messages }, { upstream: says({ content: [text('Done.')] }) });
    assert.deepEqual(sent[0]?.messages.slice(1), [
      { role: 'assistant', content: [text('Opening.'), wrapped] },
      result,
    ]);
  });

  test('that fails is reported to the model, which goes on', async () => {
    const broken: GatewayTool = {
      ...clock,
      answer: () => Promise.reject(new Error('a secret of the house')),
    };
    const { answer, sent, step } = await runModule(moduleWith([broken]))(question, {
      upstream: says({ content: [call('c1', 'clock')] }, { content: [text('I can’t tell.')] }),
    });
    assert.deepEqual(answer?.content, [text('I can’t tell.')]);
    assert.match(JSON.stringify(sent[1]), /"is_error":true/);
    assert.doesNotMatch(JSON.stringify(sent[1]), /secret/);
    assert.equal(step?.attributes.tool_failed, 'clock');
  });

  test('that a model had to call is not forced upon it again', async () => {
    const forcing = moduleWith([clock], {
      handle: (exchange, next, kit) =>
        withTools([clock], {
          exchange: exchange.with({
            request: { ...exchange.request, tool_choice: { type: 'tool', name: 'clock' } },
          }),
          next,
          kit,
        }),
    });
    const { sent } = await runModule(forcing)(question, {
      upstream: says({ content: [call('c1', 'clock')] }, { content: [text('Noon.')] }),
    });
    assert.deepEqual(
      sent.map(({ tool_choice }) => tool_choice?.type),
      ['tool', 'auto'],
    );
  });
});

describe('an answer that can’t go on', () => {
  const twice = [{ content: [text('Let me see.'), call('c1', 'clock')] }, { content: [call('c2', 'clock')] }];

  test('ends with what there is, and with the reason, when the next round is refused', async () => {
    let asked = 0;
    const guard: Module = {
      ...moduleWith([]),
      name: 'guard',
      touches: [],
      handle: async (exchange, next) => {
        if (++asked > 1) throw new GatewayError('cost_ceiling_exceeded', 'the day’s 5 USD are spent');
        return next(exchange);
      },
    };
    const run = runModule(moduleWith([clock]), { pipeline: 'teller,guard' }, { otherModules: [guard] });
    const { answer, step } = await run(question, { upstream: says(...twice) });
    assert.deepEqual(answer?.content, [
      text('Let me see.'),
      text('\n\n[The answer ends here: the day’s 5 USD are spent]'),
    ]);
    assert.equal(answer?.stop_reason, 'end_turn');
    assert.equal(step?.attributes.stopped, 'cost_ceiling_exceeded');
    asked = 0;
    const messages: Message[] = [
      ...question.messages,
      { role: 'assistant', content: answer?.content ?? [] },
      { role: 'user', content: 'And now?' },
    ];
    const { sent } = await run({ ...question, messages }, { upstream: says({ content: [text('One.')] }) });
    assert.deepEqual(
      sent[0]?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user', 'assistant', 'user'],
    );
  });

  test('ends at the client’s limit of tokens, which holds for all rounds together', async () => {
    const { answer, sent } = await runModule(moduleWith([clock]))(question, {
      upstream: says({ content: [text('Let me see.'), call('c1', 'clock')], output: 90 }),
    });
    assert.equal(sent.length, 1);
    assert.deepEqual([answer?.content, answer?.stop_reason], [[text('Let me see.')], 'max_tokens']);
  });

  test('goes on where a budget for thinking takes all of that limit', async () => {
    const thinking = { type: 'enabled', budget_tokens: 4095 } as const;
    const { sent } = await runModule(moduleWith([clock]))(
      { ...question, max_tokens: 4096, thinking },
      { upstream: says({ content: [call('c1', 'clock')] }, { content: [text('Noon.')] }) },
    );
    assert.deepEqual(
      sent.map(({ max_tokens }) => max_tokens),
      [4096, 4096],
    );
  });

  test('ends when it goes round in circles', async () => {
    const circles = Array.from({ length: 8 }, (_, at) => ({ content: [call(`c${at}`, 'clock')] }));
    const { answer, sent } = await runModule(moduleWith([clock]))(question, { upstream: says(...circles) });
    assert.equal(sent.length, 8);
    assert.match(JSON.stringify(answer?.content), /tools were called 8 times in a row/);
  });

  test('fails where its provider does', async () => {
    const upstream = says(...twice);
    let asked = 0;
    const { error } = await runModule(moduleWith([clock]))(question, {
      upstream: (exchange) =>
        ++asked > 1
          ? Promise.reject(new GatewayError('upstream_error', 'Overloaded', { status: 529 }))
          : upstream(exchange),
    });
    assert.ok(GatewayError.is(error));
    assert.deepEqual([error.code, error.status], ['upstream_error', 529]);
  });

  test('is given up when the client leaves', async () => {
    const client = new AbortController();
    const slow: GatewayTool = {
      ...clock,
      answer: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
          client.abort();
        }),
    };
    const { error, sent } = await runModule(moduleWith([slow]))(question, {
      upstream: says(...twice),
      signal: client.signal,
    });
    assert.ok(GatewayError.is(error));
    assert.deepEqual([error.code, sent.length], ['client_gone', 1]);
  });

  test('leaves out a call that was cut off', async () => {
    const { answer, sent } = await runModule(moduleWith([clock]))(question, {
      upstream: says({ content: [text('Let me'), call('c1', 'clock')], stop: 'max_tokens' }),
    });
    assert.equal(sent.length, 1);
    assert.deepEqual([answer?.content, answer?.stop_reason], [[text('Let me')], 'max_tokens']);
  });
});

test('tools of two modules may be called in one turn', async () => {
  const scale: GatewayTool = { tool: { name: 'scale' }, answer: () => '3 kg' };
  const other = moduleWith([scale], { name: 'other' });
  const run = runModule(moduleWith([clock]), { pipeline: 'teller,other' }, { otherModules: [other] });
  const { answer, sent } = await run(question, {
    upstream: says(
      { content: [call('c1', 'clock'), call('c2', 'scale')] },
      { content: [text('Noon, 3 kg.')] },
    ),
  });
  assert.deepEqual(answer?.content, [text('Noon, 3 kg.')]);
  const [said, results] = sent[1]?.messages.slice(1) ?? [];
  assert.deepEqual(said?.content, [call('c1', 'clock'), call('c2', 'scale')]);
  assert.deepEqual(Array.isArray(results?.content) && results.content.map((block) => block.tool_use_id), [
    'c2',
    'c1',
  ]);
});

describe('a tool with a cache plan', () => {
  /** Caches answers of tools for an hour. */
  const caching = moduleWith([], {
    name: 'caching',
    handle: (exchange, next) => next(exchange),
    toolAnswerSeconds: () => 3600,
  });

  interface PlannedTool {
    readonly scope?: ToolCachePlan['scope'];
    readonly answer?: (count: number) => ToolAnswer | Promise<ToolAnswer>;
    readonly pipeline?: string;
  }

  /** Lets a model look something up, once or several times at once, as an end user. */
  function withLookup({ scope = 'account', answer, pipeline = 'teller,caching' }: PlannedTool) {
    let count = 0;
    const lookup: GatewayTool = {
      tool: { name: 'lookup' },
      answer: () => answer?.(++count) ?? `Answer ${++count}.`,
      cache: { seconds: 60, scope, invalidatedBy: ['store'] },
    };
    const store: GatewayTool = { tool: { name: 'store' }, answer: () => 'Stored.' };
    let now = 0;
    const run = runModule(
      moduleWith([lookup, store]),
      { pipeline },
      { otherModules: [caching], clock: { ...systemClock, now: () => now } },
    );
    const ask = async (
      names: readonly string[],
      { person = 'ann', account = 'a1' }: { readonly person?: string; readonly account?: string } = {},
    ) => {
      const { sent } = await run(
        { ...question, metadata: { user_id: person } },
        {
          account,
          upstream: says(
            { content: names.map((name, at) => call(`c${at}`, name, { key: 'k' })) },
            { content: [text('Done.')] },
          ),
        },
      );
      return blocksOf(sent[1]?.messages.at(-1) ?? assert.fail()).map((block) =>
        block.type === 'tool_result' ? block.content : undefined,
      );
    };
    return { ask, wait: (seconds: number) => (now += seconds * 1000) };
  }

  test('is called once for the same input, also by calls at the same time', async () => {
    const { ask, wait } = withLookup({});
    assert.deepEqual(await ask(['lookup', 'lookup']), ['Answer 1.', 'Answer 1.']);
    assert.deepEqual(await ask(['lookup'], { person: 'bob' }), ['Answer 1.']);
    wait(61);
    assert.deepEqual(await ask(['lookup']), ['Answer 2.']);
  });

  test('is called again after a call that changes its answers', async () => {
    const { ask } = withLookup({});
    assert.deepEqual(await ask(['lookup']), ['Answer 1.']);
    assert.deepEqual(await ask(['store']), ['Stored.']);
    assert.deepEqual(await ask(['lookup']), ['Answer 2.']);
  });

  test('has answers for one end user, and never for another account', async () => {
    const { ask } = withLookup({ scope: 'person' });
    assert.deepEqual(await ask(['lookup']), ['Answer 1.']);
    assert.deepEqual(await ask(['lookup'], { person: 'bob' }), ['Answer 2.']);
    assert.deepEqual(await ask(['lookup'], { account: 'a2' }), ['Answer 3.']);
    assert.deepEqual(await ask(['lookup']), ['Answer 1.']);
  });

  test('is called again after an error, and if nothing in the pipeline caches answers', async () => {
    const failing = withLookup({
      answer: (count) => (count === 1 ? { content: 'No.', isError: true } : `Answer ${count}.`),
    });
    assert.deepEqual(await failing.ask(['lookup']), ['No.']);
    assert.deepEqual(await failing.ask(['lookup']), ['Answer 2.']);
    const { ask } = withLookup({ pipeline: 'teller' });
    assert.deepEqual(await ask(['lookup']), ['Answer 1.']);
    assert.deepEqual(await ask(['lookup']), ['Answer 2.']);
  });
});
