import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { runModule } from '../../testing/run-module.ts';
import { testPrices } from '../../testing/test-prices.ts';
import type { Block, ChatRequest, Message } from '../message.ts';
import type { Handler, Module } from '../module.ts';
import type { Prices } from '../ports/prices.ts';
import { Reply } from '../reply/reply.ts';
import { withTools } from '../tools/with-tools.ts';

const hour = 3_600_000;

function editing(handle: Module['handle'], name = 'editor'): Module {
  return {
    api: 1,
    name,
    summary: 'For tests.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: ['tools', 'system', 'history', 'newest-turn'],
    options: z.strictObject({ word: z.string().default('') }),
    handle,
  };
}

/** Puts a word into the instructions, another with each option. */
const worded = editing((exchange, next, kit) => {
  const options = z.object({ word: z.string() }).parse(kit.options);
  if (options.word === '') return next(exchange);
  return next(exchange.with({ request: { ...exchange.request, system: options.word } }));
});

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const turns: readonly Message[] = [user('one'), assistant('1'), user('two'), assistant('2'), user('three')];
const asked = (messages: number, over: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  max_tokens: 9,
  messages: turns.slice(0, messages),
  ...over,
});

describe('an edit that would change what the provider keeps', () => {
  test('is left out, and the trace says so', async () => {
    const run = runModule(worded);
    await run(asked(1), { options: 'word=a' });
    const same = await run(asked(3), { options: 'word=a' });
    assert.deepEqual([same.sent[0]?.system, same.step?.attributes.prefix], ['a', undefined]);
    const other = await run(asked(5), { options: 'word=b' });
    assert.deepEqual([other.sent[0]?.system, other.step?.attributes.prefix], [undefined, 'edit-left-out']);
    assert.equal(other.step?.effect, 'passed');
  });

  test('is left out where there was none before, and is not tried again and again', async () => {
    const run = runModule(worded);
    await run(asked(1));
    for (const messages of [3, 5]) {
      const { sent, step } = await run(asked(messages), { options: 'word=a' });
      assert.deepEqual([sent[0]?.system, step?.attributes.prefix], [undefined, 'edit-left-out']);
    }
  });

  test('is made at the first call, in another conversation, with another model, and by another tenant', async () => {
    const run = runModule(worded);
    await run(asked(1));
    const breaks: readonly [ChatRequest, object][] = [
      [asked(3, { model: 'n' }), {}],
      [asked(3, { system: 'Be kind.' }), {}],
      [asked(3, { tools: [{ name: 'open' }] }), {}],
      [{ ...asked(1), messages: [user('summary'), assistant('ok'), user('two')] }, {}],
      [asked(3), { account: 'other' }],
      [asked(3), { headers: ['x-weir-conversation', 'another'] }],
    ];
    for (const [request, over] of breaks) {
      const { sent } = await run(request, { options: 'word=a', ...over });
      assert.equal(sent[0]?.system, 'a', JSON.stringify([request, over]));
    }
  });

  test('is made when the provider has forgotten, but not while a thought waits for its tool', async () => {
    const clock = { ms: 0, now: () => clock.ms };
    const thought: Message = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'tool_use', id: 't', name: 'open', input: {} },
      ],
    };
    const result: Message = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }],
    };
    const loop = { ...asked(1), messages: [user('one'), thought, result] };
    for (const [request, system] of [
      [asked(3), 'a'],
      [loop, undefined],
    ] as const) {
      const run = runModule(worded, {}, { clock });
      await run(asked(1));
      clock.ms += hour;
      assert.equal((await run(request, { options: 'word=a' })).sent[0]?.system, system);
    }
  });

  test('waits for an hour where a call asks to be kept for so long', async () => {
    const clock = { ms: 0, now: () => clock.ms };
    const run = runModule(worded, {}, { clock });
    const cache_control = { type: 'ephemeral', ttl: '1h' } as const;
    const marked: Message = { role: 'user', content: [{ type: 'text', text: 'one', cache_control }] };
    await run({ ...asked(1), messages: [marked] });
    clock.ms += hour - 1;
    assert.equal((await run(asked(3), { options: 'word=a' })).sent[0]?.system, undefined);
  });

  test('waits for a day where an OpenAI call asks for that retention', async () => {
    const clock = { ms: 0, now: () => clock.ms };
    const run = runModule(worded, { wire: 'openai-chat' }, { clock });
    const extensions = { 'openai-chat': { prompt_cache_retention: '24h' } };
    await run(asked(1, { extensions }));
    clock.ms += 24 * hour - 1;
    assert.equal((await run(asked(3), { options: 'word=a' })).sent[0]?.system, undefined);
    await run(asked(1));
    clock.ms += 24 * hour;
    assert.equal((await run(asked(3), { options: 'word=a' })).sent[0]?.system, 'a');
  });

  test('is one module’s alone: what others do stays', async () => {
    const tools = editing((exchange, next) => {
      const { request } = exchange;
      return next(
        exchange.with({ request: { ...request, tools: [...(request.tools ?? []), { name: 'added' }] } }),
      );
    }, 'adder');
    const run = runModule(worded, { pipeline: 'adder,editor?word=a' }, { otherModules: [tools] });
    await run(asked(1));
    const { sent, steps } = await run(asked(3), { pipeline: 'adder,editor?word=b' });
    assert.deepEqual(
      sent[0]?.tools?.map(({ name }) => name),
      ['added'],
    );
    assert.deepEqual(
      steps.map(({ attributes }) => attributes.prefix),
      [undefined, 'edit-left-out'],
    );
  });

  test('is left out with a model that another module chose, and made when that chooses another', async () => {
    const router: Module = {
      ...editing((exchange, next, kit) => {
        const target = kit.models.target(String(exchange.request.max_tokens));
        return next(target === undefined ? exchange : exchange.with({ target }));
      }, 'router'),
      touches: ['target'],
    };
    const run = runModule(worded, {}, { otherModules: [router] });
    const sentBy = async (pipeline: string, messages: number, max_tokens: number) => {
      const { sent } = await run(asked(messages, { max_tokens }), { pipeline });
      return sent[0]?.system;
    };
    assert.equal(await sentBy('router,editor', 1, 1), undefined);
    assert.equal(await sentBy('router,editor?word=a', 3, 1), undefined);
    assert.equal(await sentBy('router,editor?word=a', 5, 2), 'a');
  });

  test('may be made in the newest turn, also when a call is made again', async () => {
    const appending = editing((exchange, next) => {
      const { messages } = exchange.request;
      const last = messages.at(-1);
      const said = { role: 'user' as const, content: `${String(last?.content)}, please` };
      return next(
        exchange.with({ request: { ...exchange.request, messages: [...messages.slice(0, -1), said] } }),
      );
    });
    const run = runModule(appending);
    for (const messages of [1, 1]) {
      const { sent, step } = await run(asked(messages));
      assert.deepEqual(
        [sent[0]?.messages.at(-1)?.content, step?.attributes.prefix],
        ['one, please', undefined],
      );
    }
    // A module that doesn't repeat its edit gets a note.
    const { sent, step } = await run(asked(3));
    assert.deepEqual([sent[0]?.messages.at(-1)?.content, step?.attributes.prefix], ['two', 'edit-left-out']);
  });
});

describe('a declared step', () => {
  const long = 'word '.repeat(4000);
  const history = (turnCount: number): Message[] =>
    Array.from({ length: turnCount }, (_, at) => (at % 2 === 0 ? user(`${at} ${long}`) : assistant(`${at}`)));
  const prices = testPrices({ input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 });
  /** Forgets all but the newest messages. */
  const forgetting = (calls: number, keep = 1, decisions: string[] = []) =>
    editing(async (exchange, next, kit) => {
      const { messages } = exchange.request;
      if (messages.length < 5) return next(exchange);
      const request = { ...exchange.request, messages: messages.slice(-keep) };
      const { isAllowed, why } = kit.prefix.proposeStep(request, { calls });
      decisions.push(why);
      return next(isAllowed ? exchange.with({ request }) : exchange);
    });

  for (const [what, calls, why] of [
    ['is taken when it pays', 30, 'pays'],
    ['is not taken when writing the cache anew costs more', 0.01, 'costs'],
  ] as const)
    test(what, async () => {
      const decisions: string[] = [];
      const run = runModule(forgetting(calls, 3, decisions), {}, { prices });
      await run({ ...asked(1), messages: history(3) });
      const { sent, step } = await run({ ...asked(1), messages: history(7) });
      assert.deepEqual(decisions, [why]);
      assert.equal(sent[0]?.messages.length, why === 'pays' ? 3 : 7);
      assert.equal(step?.attributes.step, why === 'pays' ? 'pays' : 'no-costs');
      assert.ok(Number(step?.attributes.costs) > 0);
    });

  test('is noted, even if another one is rejected afterwards', async () => {
    const asking = editing(async (exchange, next, kit) => {
      const { messages } = exchange.request;
      if (messages.length < 5) return next(exchange);
      const request = { ...exchange.request, messages: messages.slice(-3) };
      assert.equal(kit.prefix.proposeStep(request, { calls: 30 }).isAllowed, true);
      const further = { ...exchange.request, messages: messages.slice(-1) };
      assert.equal(kit.prefix.proposeStep(further, { calls: 0.01 }).isAllowed, false);
      return next(exchange.with({ request }));
    });
    const run = runModule(asking, {}, { prices });
    await run({ ...asked(1), messages: history(3) });
    const { sent, step } = await run({ ...asked(1), messages: history(7) });
    assert.deepEqual([sent[0]?.messages.length, step?.attributes.step], [3, 'pays']);
  });

  test('is taken when the window requires it', async () => {
    const decisions: string[] = [];
    const small: Prices = {
      ...prices,
      priceOf(target) {
        const modelPricing = prices.priceOf(target);
        return modelPricing && { ...modelPricing, contextTokens: 20_000 };
      },
    };
    const run = runModule(forgetting(0, 1, decisions), {}, { prices: small });
    await run({ ...asked(1), messages: history(3) });
    await run({ ...asked(1), messages: history(7) });
    assert.deepEqual(decisions, ['window']);
  });

  describe('in a call of several rounds', () => {
    const tool = { tool: { name: 'tell' }, answer: () => `told ${long}` };
    const teller: Module = {
      ...editing((exchange, next, kit) => withTools([tool], { exchange, next, kit }), 'teller'),
      touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
    };
    /** The model calls the tool in the first round of each call after the first, and then speaks. */
    function talking(editor: Module, pipeline: string, ...others: readonly Module[]) {
      let calls = 0;
      const upstream: Handler = async () => {
        const use = { type: 'tool_use', id: `t${calls}`, name: 'tell', input: {} } as const;
        const isCall = ++calls % 2 === 0;
        return Reply.of({
          ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_sequence: null, usage: {} },
          content: isCall ? [use] : [{ type: 'text', text: 'said' }],
          stop_reason: isCall ? 'tool_use' : 'end_turn',
        });
      };
      const run = runModule(editor, { pipeline, upstream }, { prices, otherModules: [teller, ...others] });
      return async (turnCount: number) => {
        calls = turnCount > 3 ? 1 : 0;
        return run({ ...asked(1), max_tokens: 1000, messages: history(turnCount) });
      };
    }

    test('is one step, and the call may be made again', async () => {
      const talk = talking(forgetting(30, 3), 'editor,teller');
      await talk(3);
      for (const why of ['pays', undefined]) {
        const { steps, sent } = await talk(7);
        assert.equal(sent.length, 2);
        assert.deepEqual(
          steps.map(({ attributes }) => [attributes.step, attributes.prefix]),
          [
            [why, undefined],
            [undefined, undefined],
          ],
        );
      }
    });

    test('is taken in the first or not at all, since a call that is made again begins with that', async () => {
      /** Forgets what came before the newest tool result. */
      const editor = editing(async (exchange, next, kit) => {
        const { messages } = exchange.request;
        const isResult = typeof messages.at(-1)?.content !== 'string';
        if (!isResult) return next(exchange);
        const request = { ...exchange.request, messages: [...messages.slice(0, 1), ...messages.slice(-2)] };
        const { isAllowed } = kit.prefix.proposeStep(request, { calls: 1000 });
        return next(isAllowed ? exchange.with({ request }) : exchange);
      });
      const talk = talking(editor, 'teller,editor');
      await talk(3);
      for (const again of [false, true]) {
        const { steps, sent } = await talk(7);
        assert.deepEqual(
          sent.map(({ messages }) => messages.length),
          [7, 9],
          String(again),
        );
        assert.deepEqual(
          steps.map(({ attributes }) => [attributes.step, attributes.prefix]),
          [
            [undefined, undefined],
            [undefined, undefined],
            ['no-round', undefined],
          ],
        );
      }
    });

    test('is not needed to shorten what is new in a further one, nor bound to it in the next call', async () => {
      const editor = editing((exchange, next) => {
        const { request } = exchange;
        const isLong = ({ content }: Message) => typeof content !== 'string' && content.some(isResult);
        const messages = request.messages.map((message) => (isLong(message) ? shortened(message) : message));
        const isSame = messages.every((message, at) => message === request.messages[at]);
        return next(isSame ? exchange : exchange.with({ request: { ...request, messages } }));
      });
      const talk = talking(editor, 'teller,editor');
      await talk(3);
      for (const again of [false, true]) {
        const { steps, sent } = await talk(7);
        assert.match(JSON.stringify(sent[1]?.messages.at(-1)), /"short"/, String(again));
        assert.deepEqual(
          steps.map(({ attributes }) => attributes.prefix),
          [undefined, undefined, undefined],
        );
      }
    });

    test('is no break in a further one, whoever edited the request before', async () => {
      const breaks: boolean[] = [];
      const editor = editing((exchange, next, kit) => {
        breaks.push(kit.prefix.isBreak);
        return next(exchange);
      });
      const first = editing(
        (exchange, next) => next(exchange.with({ request: { ...exchange.request, system: 'Be brief.' } })),
        'first',
      );
      const { sent } = await talking(editor, 'first,teller,editor', first)(7);
      assert.equal(sent.length, 2);
      assert.deepEqual(breaks, [true, false]);
    });

    function isResult({ type }: Block): boolean {
      return type === 'tool_result';
    }

    function shortened({ role, content }: Message): Message {
      if (typeof content === 'string') return { role, content };
      return {
        role,
        content: content.map((block) => (isResult(block) ? { ...block, content: 'short' } : block)),
      };
    }
  });

  test('is for nothing at a break', async () => {
    const decisions: string[] = [];
    const run = runModule(forgetting(30, 3, decisions), {}, { prices });
    await run({ ...asked(1), messages: history(5) });
    assert.deepEqual(decisions, ['break']);
  });
});

describe('conversations that part', () => {
  const run = runModule(worded);
  const name = async (...said: readonly string[]) => {
    const messages = said.map((text, at) => (at % 2 === 0 ? user(text) : assistant(text)));
    const { moduleHeaders } = await run({ ...asked(1), messages });
    return moduleHeaders[moduleHeaders.indexOf('x-weir-conversation') + 1];
  };

  test('have one name up to there, and different ones from there on', async () => {
    const start = await name('one');
    assert.match(start ?? '', /^c-[\w-]{22}$/);
    assert.equal(await name('one'), start);
    assert.equal(await name('one', '1', 'two'), start);
    const branch = await name('one', '1', 'other');
    assert.notEqual(branch, start);
    assert.equal(await name('one', '1', 'other', '2', 'three'), branch);
    assert.equal(await name('one', '1', 'two', '2', 'three'), start);
    assert.equal(await name('one'), start);
    assert.equal(await name('one', '1', 'other'), branch);
    assert.notEqual(await name('something else'), start);
  });

  test('part also when they do so at the same moment', async () => {
    await name('at once');
    const names = await Promise.all(['a', 'b', 'c'].map((said) => name('at once', '1', said)));
    assert.equal(new Set(names).size, 3);
  });
});
