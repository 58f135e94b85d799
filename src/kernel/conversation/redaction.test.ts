import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { runModule } from '../../testing/run-module.ts';
import { testPrices } from '../../testing/test-prices.ts';
import { GatewayError } from '../errors.ts';
import type { ChatRequest, Message } from '../message.ts';
import type { Handler, Module } from '../module.ts';
import { Reply } from '../reply/reply.ts';
import { withTools } from '../tools/with-tools.ts';
import { digest } from './digest.ts';

const base = {
  api: 1,
  summary: 'For tests.',
  status: 'preview',
  protective: false,
  ifBroken: 'reject',
} as const;

/** Masks the words of its option. */
const mask: Module<{ words: string }> = {
  ...base,
  name: 'mask',
  touches: ['redaction'],
  options: z.strictObject({ words: z.string().default('') }),
  handle(exchange, next, { options }) {
    const words = options.words.split('.').filter((word) => word !== '');
    const json = JSON.stringify(exchange.request);
    const masked = words.reduce((text, word) => text.replaceAll(word, 'XXX'), json);
    return next(masked === json ? exchange : exchange.with({ request: JSON.parse(masked) }));
  },
};

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const turns: readonly Message[] = [
  user('I am bob'),
  assistant('Hello bob'),
  user('She is eve'),
  assistant('I see'),
  user('bob and eve'),
  assistant('Yes'),
  user('Who?'),
];
const asked = (messages: number, over: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'm',
  max_tokens: 9,
  messages: turns.slice(0, messages),
  ...over,
});

describe('a module that redacts', () => {
  test('edits a conversation that began without it, and later turns build on that', async () => {
    const run = runModule(
      mask,
      {},
      { prices: testPrices({ input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }) },
    );
    await run(asked(1));
    await run(asked(3));
    const on = await run(asked(5), { options: 'words=bob' });
    assert.doesNotMatch(JSON.stringify(on.sent), /bob/);
    assert.equal(on.step?.effect, 'changed-request');
    assert.equal(on.step?.attributes.prefix, 'redacted');
    assert.ok(Number(on.step?.attributes.costs) > 0);
    const later = await run(asked(7), { options: 'words=bob' });
    assert.doesNotMatch(JSON.stringify(later.sent), /bob/);
    assert.deepEqual(later.step?.attributes, {});
  });

  test('edits everything when a rule is added in mid-conversation', async () => {
    const run = runModule(mask, { options: 'words=bob' });
    await run(asked(1));
    await run(asked(3));
    const added = await run(asked(5), { options: 'words=bob.eve' });
    assert.doesNotMatch(JSON.stringify(added.sent), /bob|eve/);
    assert.equal(added.step?.attributes.prefix, 'redacted');
    const later = await run(asked(7), { options: 'words=bob.eve' });
    assert.doesNotMatch(JSON.stringify(later.sent), /bob|eve/);
    assert.equal(later.step?.attributes.prefix, undefined);
  });

  test('may edit every field that carries text, and nothing else', async () => {
    const over = {
      system: 'bob',
      tools: [{ name: 'open', description: 'bob' }],
      stop_sequences: ['bob'],
      metadata: { user_id: 'bob' },
    };
    const { sent } = await runModule(mask, { options: 'words=bob' })(asked(3, over));
    assert.doesNotMatch(JSON.stringify(sent), /bob/);
    const limiting: Module = {
      ...mask,
      options: z.strictObject({}),
      handle: (exchange, next) => next(exchange.with({ request: { ...exchange.request, max_tokens: 1 } })),
    };
    const { error } = await runModule(limiting)(asked(1));
    assert.match(String(error), /module_broken|failed/);
  });

  test('edits a loop with signed thinking, too: a provider that rejects the call reads nothing', async () => {
    const run = runModule(mask);
    const messages: readonly Message[] = [
      user('I am bob'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 't', name: 'open', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
    ];
    await run(asked(1));
    const { sent } = await run({ ...asked(1), messages }, { options: 'words=bob' });
    assert.doesNotMatch(JSON.stringify(sent), /bob/);
  });

  describe('of a model that rejects a thought after anything else than it read', () => {
    /** It signs each thought with a digest of everything before it. */
    const thinking: Handler = async ({ request: { messages, system } }) => {
      const read = (end: number) => digest([system, messages.slice(0, end)]);
      for (const [at, { content }] of messages.entries())
        if (typeof content !== 'string')
          for (const block of content)
            if (block.type === 'thinking' && block.signature !== read(at))
              throw new GatewayError('upstream_error', `the thought in message ${at} is not valid`);
      const isCall = messages.length % 4 === 3;
      return Reply.of({
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', usage: {}, stop_sequence: null },
        content: [
          { type: 'thinking', thinking: `Thought ${messages.length}`, signature: read(messages.length) },
          isCall
            ? { type: 'tool_use', id: `t${messages.length}`, name: 'open', input: {} }
            : { type: 'text', text: 'Yes' },
        ],
        stop_reason: isCall ? 'tool_use' : 'end_turn',
      });
    };

    /** Runs a conversation in which the words are masked from some call on, and returns the last request. */
    async function converse(calls: number, optionsOf: (call: number) => string, pauseMs = 0) {
      const clock = { ms: 0, now: () => clock.ms };
      const run = runModule(mask, { upstream: thinking }, { clock });
      let messages: readonly Message[] = [user('I am bob and eve')];
      let last: ChatRequest | undefined;
      for (let call = 0; call < calls; call++) {
        const { answer, error, sent } = await run({ ...asked(0), messages }, { options: optionsOf(call) });
        assert.equal(error, undefined);
        last = sent.at(-1);
        const content = answer?.content ?? [];
        const [, block] = content;
        const next: Message =
          block?.type === 'tool_use'
            ? { role: 'user', content: [{ type: 'tool_result', tool_use_id: block.id, content: 'bob' }] }
            : user(`And ${call}, bob?`);
        messages = [...messages, { role: 'assistant', content }, next];
        clock.ms += pauseMs;
      }
      return last ?? assert.fail();
    }

    const thoughtsIn = (request: ChatRequest) =>
      [...JSON.stringify(request).matchAll(/Thought (\d+)/g)].map(([, number]) => Number(number));

    test('keeps all thoughts if it was there from the beginning', async () => {
      const all = [1, 3, 5, 7, 9];
      assert.deepEqual(thoughtsIn(await converse(6, () => 'words=bob')), all);
      assert.deepEqual(thoughtsIn(await converse(6, () => 'words=bob', 3_600_000)), all);
    });

    test('keeps all thoughts behind another module that edits the conversation', async () => {
      const brief: Module = {
        ...base,
        name: 'brief',
        touches: ['system'],
        options: z.strictObject({}),
        handle: (exchange, next) =>
          next(exchange.with({ request: { ...exchange.request, system: 'Be brief.' } })),
      };
      const run = runModule(
        mask,
        { upstream: thinking, pipeline: 'mask?words=bob,brief' },
        { otherModules: [brief] },
      );
      let messages: readonly Message[] = [user('Hello')];
      for (const said of ['And?', 'I am bob', 'Who?', 'Why, bob?', 'So?']) {
        const { answer, error, sent } = await run({ ...asked(0), messages });
        assert.equal(error, undefined);
        assert.equal(thoughtsIn(sent[0] ?? asked(0)).length, (messages.length - 1) / 2);
        const [thought] = answer?.content ?? [];
        const content = [...(thought === undefined ? [] : [thought]), { type: 'text', text: 'Yes' } as const];
        messages = [...messages, { role: 'assistant', content }, user(said)];
      }
    });

    test('leaves out the thoughts from before a change, then and later', async () => {
      const once = (call: number) => (call < 3 ? 'words=' : 'words=bob');
      const twice = (call: number) => (call < 5 ? once(call) : 'words=bob.eve');
      for (const pauseMs of [0, 3_600_000]) {
        const masked = await converse(9, once, pauseMs);
        assert.doesNotMatch(JSON.stringify(masked), /bob/);
        assert.deepEqual(thoughtsIn(masked), [7, 9, 11, 13, 15]);
        const both = await converse(9, twice, pauseMs);
        assert.doesNotMatch(JSON.stringify(both), /bob|eve/);
        assert.deepEqual(thoughtsIn(both), [11, 13, 15]);
      }
    });
  });

  test('runs behind the modules that edit content, wherever a list has it', async () => {
    const adding: Module = {
      ...base,
      name: 'adding',
      touches: ['system'],
      options: z.strictObject({}),
      handle: (exchange, next) => next(exchange.with({ request: { ...exchange.request, system: 'bob' } })),
    };
    const telling: Module = {
      ...base,
      name: 'telling',
      touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
      options: z.strictObject({}),
      handle: (exchange, next, kit) =>
        withTools([{ tool: { name: 'tell' }, answer: () => 'It was bob.' }], { exchange, next, kit }),
    };
    const watching: Module = {
      ...base,
      name: 'watching',
      touches: ['reply'],
      options: z.strictObject({}),
      handle: (exchange, next) => next(exchange),
    };
    let round = 0;
    const calling: Handler = async () => {
      const isFirst = round++ === 0;
      return Reply.of({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: isFirst
          ? [{ type: 'tool_use', id: 't', name: 'tell', input: {} }]
          : [{ type: 'text', text: 'Done' }],
        stop_reason: isFirst ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: {},
      });
    };
    const { sent, steps } = await runModule(
      mask,
      {},
      { otherModules: [adding, telling, watching] },
    )(asked(1, { max_tokens: 5000 }), {
      pipeline: 'mask?words=bob,adding,telling,watching',
      upstream: calling,
    });
    assert.equal(sent.length, 2);
    assert.doesNotMatch(JSON.stringify(sent), /bob/);
    assert.match(JSON.stringify(sent[1]), /It was XXX/);
    assert.deepEqual(
      steps.slice(0, 4).map(({ module }) => module),
      ['adding', 'telling', 'mask', 'watching'],
    );
  });

  test('sees the questions of other modules, even if it is not protective', async () => {
    const asking: Module = {
      ...base,
      name: 'asking',
      touches: [],
      options: z.strictObject({}),
      async handle(exchange, next, kit) {
        await kit.models.ask({ max_tokens: 9, messages: [user('Who is bob?')] }, exchange.target);
        return next(exchange);
      },
    };
    const { sent } = await runModule(
      mask,
      {},
      { otherModules: [asking] },
    )(asked(1), {
      pipeline: 'asking,mask?words=bob',
    });
    assert.equal(sent.length, 2);
    assert.doesNotMatch(JSON.stringify(sent), /bob/);
  });

  test('rejects the call when it fails or is late', async () => {
    const failing: Module = {
      ...mask,
      options: z.strictObject({}),
      handle: () => Promise.reject(new Error('no')),
    };
    const late: Module = {
      ...mask,
      options: z.strictObject({}),
      deadlineMs: 1,
      handle: () => new Promise(() => undefined),
    };
    for (const module of [failing, late]) {
      const { sent, error } = await runModule(module)(asked(1));
      assert.deepEqual(sent, []);
      assert.match(String(error), /the module mask failed/);
    }
  });
});
