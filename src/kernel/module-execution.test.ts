import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { runModule } from '../testing/run-module.ts';
import { GatewayError } from './errors.ts';
import type { Answer, ChatRequest, ReplyEvent } from './message.ts';
import type { Handler, Module } from './module.ts';
import { answerToEvents } from './reply/answer-events.ts';
import { Reply } from './reply/reply.ts';

const request: ChatRequest = {
  model: 'demo-1',
  max_tokens: 50,
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'How are you?' },
  ],
};

const answer: Answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'demo-1',
  content: [{ type: 'text', text: 'Fine' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 10 },
};

const upstream: Handler = async () => Reply.of(answer);

function module(handle: Module['handle'], over: Partial<Module> = {}): Module {
  return {
    api: 1,
    name: 'probe',
    summary: 'A module under test.',
    status: 'preview',
    protective: false,
    ifBroken: 'skip',
    touches: ['reply'],
    options: z.strictObject({}),
    handle,
    ...over,
  };
}

const run = (handle: Module['handle'], over: Partial<Module> = {}) =>
  runModule(module(handle, over), { upstream })(request);

const never = <Nothing>() => new Promise<Nothing>(() => undefined);

function isBroken(error: unknown): void {
  assert.ok(GatewayError.is(error) && error.code === 'module_broken', String(error));
}

describe('a module that breaks inside of its reply', () => {
  const mapping: Module['handle'] = async (exchange, next) =>
    (await next(exchange)).map((event) => {
      if (event.type === 'content_block_delta') throw new Error('oops');
      return event.type === 'message_start' ? { ...event, message: { ...event.message, id: 'mine' } } : event;
    });

  test('is done without from there on where it says skip', async () => {
    const { answer: got, step } = await run(mapping);
    assert.deepEqual([got?.id, got?.content], ['mine', answer.content]);
    assert.equal(step?.effect, 'broken');
    assert.match(step?.fault ?? '', /oops/);
  });

  test('fails the answer where it says reject', async () => {
    const { error, step } = await run(mapping, { ifBroken: 'reject' });
    isBroken(error);
    assert.equal(step?.effect, 'broken');
  });

  test('can’t be done without once it has read what it doesn’t hand on', async () => {
    const { error, step } = await run(async (exchange, next) =>
      (await next(exchange)).through(async function* (events) {
        for await (const event of events) if (event.type === 'message_stop') throw new Error(event.type);
        yield* [];
      }),
    );
    isBroken(error);
    assert.equal(step?.effect, 'broken');
  });

  test('is done without where it has read nothing', async () => {
    const splices: ((events: AsyncIterable<ReplyEvent>) => AsyncIterable<ReplyEvent>)[] = [
      () => {
        throw new Error('oops');
      },
      async function* () {
        yield* [];
        throw new Error('oops');
      },
    ];
    for (const splice of splices) {
      const { answer: got, step } = await run(async (exchange, next) =>
        (await next(exchange)).through(splice),
      );
      assert.deepEqual([got, step?.effect], [answer, 'broken']);
    }
  });

  test('is to blame for what it looks with, too', async () => {
    const tapping: Module['handle'] = async (exchange, next) =>
      (await next(exchange)).tap(() => {
        throw new Error('oops');
      });
    const skipped = await run(tapping);
    assert.deepEqual([skipped.answer, skipped.step?.effect], [answer, 'broken']);
    isBroken((await run(tapping, { ifBroken: 'reject' })).error);
    const late = await run(async (exchange, next) =>
      (await next(exchange)).onEnd(() => {
        throw new Error('oops');
      }),
    );
    assert.deepEqual([late.answer, late.step?.effect], [answer, 'broken']);
  });

  test('may refuse in the middle', async () => {
    const refusing: Module['handle'] = async (exchange, next) =>
      (await next(exchange)).map((event) => {
        if (event.type === 'content_block_delta')
          throw new GatewayError('blocked_by_module', 'not that', { detail: 'word 7' });
        return event;
      });
    const { error, step } = await run(refusing);
    assert.ok(GatewayError.is(error) && error.code === 'blocked_by_module' && error.status === 400);
    assert.equal(step?.effect, 'rejected');
  });

  test('is not to blame for a provider that breaks', async () => {
    async function* cut() {
      yield* [...answerToEvents(answer)].slice(0, 3);
      throw new GatewayError('upstream_broken', 'cut');
    }
    const handles: Module['handle'][] = [
      async (exchange, next) => (await next(exchange)).map((event) => event),
      async (exchange, next) =>
        (await next(exchange)).through(async function* (events) {
          yield* events;
        }),
      async (exchange, next) => Reply.stream((await next(exchange)).events()),
    ];
    for (const handle of handles) {
      const { error, step } = await runModule(module(handle), { upstream: async () => Reply.stream(cut()) })(
        request,
      );
      assert.ok(GatewayError.is(error) && error.code === 'upstream_broken', String(error));
      assert.equal(step?.effect, 'changed-reply');
    }
  });
});

describe('a module that never comes to an end', () => {
  /** Long enough for a busy machine to get to where a module is stuck. */
  const quick = { deadlineMs: 100 };

  test('is left behind where it says skip, and fails the call where it says reject', async () => {
    const { answer: got, step } = await run(never, quick);
    assert.deepEqual([got, step?.effect], [answer, 'broken']);
    assert.match(step?.fault ?? '', /deadline of 0\.1 s/);
    isBroken((await run(never, { ...quick, ifBroken: 'reject' })).error);
  });

  test('gives the answer it already has', async () => {
    let calls = 0;
    const { answer: got } = await runModule(
      module(async (exchange, next) => {
        await next(exchange);
        return never();
      }, quick),
      {
        upstream: async () => {
          calls++;
          return Reply.of(answer);
        },
      },
    )(request);
    assert.deepEqual([got, calls], [answer, 1]);
  });

  test('is noticed inside of its reply as well', async () => {
    const { error, step } = await run(
      async (exchange, next) =>
        (await next(exchange)).through(async function* (events) {
          for await (const event of events) {
            yield event;
            await never();
          }
        }),
      quick,
    );
    isBroken(error);
    assert.equal(step?.effect, 'broken');
  });

  test('may wait for its provider as long as that takes', async () => {
    // Longer than the module may take, which on a busy machine takes a while itself.
    const deadlineMs = 500;
    const slow: Handler = async () => {
      await sleep(deadlineMs + 50);
      return Reply.stream(slowly());
    };
    async function* slowly() {
      const [first, ...others] = answerToEvents(answer);
      if (first !== undefined) yield first;
      await sleep(deadlineMs + 50);
      yield* others;
    }
    for (const read of [
      async (reply: Reply) => Reply.of(await reply.answer()),
      async (reply: Reply) => reply.map((event) => event),
    ]) {
      const waiting = module(async (exchange, next) => read(await next(exchange)), { deadlineMs });
      const { answer: got, step } = await runModule(waiting, { upstream: slow })(request);
      assert.deepEqual([got, step?.effect], [answer, 'changed-reply']);
      assert.ok((step?.ownMs ?? 0) < deadlineMs, String(step?.ownMs));
    }
  });

  test('asks for nothing any more when it wakes', async () => {
    const woken = Promise.withResolvers<void>();
    const refusal = Promise.withResolvers<unknown>();
    const { answer: got, sent } = await run(async (exchange, next) => {
      await woken.promise;
      next(exchange).catch(refusal.resolve);
      return never();
    }, quick);
    woken.resolve();
    assert.match(String(await refusal.promise), /the call continued without it/);
    assert.deepEqual([got, sent.length], [answer, 1]);
  });
});

describe('a module may change', () => {
  type Change = Partial<ChatRequest> | ((messages: ChatRequest['messages']) => ChatRequest['messages']);
  const changing = (change: Change, touches: Module['touches']) =>
    run(
      (exchange, next) => {
        const fields =
          typeof change === 'function' ? { messages: change(exchange.request.messages) } : change;
        return next(exchange.with({ request: { ...exchange.request, ...fields } }));
      },
      { touches, ifBroken: 'reject' },
    );
  const another = { role: 'user', content: 'Hm.' } as const;
  const changes: readonly [string, Change, Module['touches'][number]][] = [
    ['tools', { tools: [{ name: 'look' }] }, 'tools'],
    ['the choice of tools', { tool_choice: { type: 'none' } }, 'tools'],
    ['the system prompt', { system: 'Be kind.' }, 'system'],
    ['the limit of output', { max_tokens: 7 }, 'output-limit'],
    ['the temperature', { temperature: 0 }, 'settings'],
    ['the newest turn', (messages) => messages.with(-1, another), 'newest-turn'],
    ['what comes behind it', (messages) => [...messages, another], 'newest-turn'],
    ['an old turn', (messages) => messages.with(0, another), 'history'],
  ];
  for (const [what, change, touch] of changes)
    test(`${what} if it says so, and not otherwise`, async () => {
      const allowed = await changing(change, [touch]);
      assert.deepEqual([allowed.step?.effect, allowed.error], ['changed-request', undefined]);
      const { step, sent, error } = await changing(change, []);
      isBroken(error);
      assert.equal(sent.length, 0);
      assert.match(step?.fault ?? '', new RegExp(`may not change "${touch}"`));
    });

  test('nothing by leaving old turns out unless it says so', async () => {
    const { step } = await changing((messages) => messages.slice(-1), ['newest-turn']);
    assert.match(step?.fault ?? '', /may not change "history"/);
  });

  test('the answer, or give one of its own, only if it says so', async () => {
    for (const handle of [
      async () => Reply.of(answer),
      (async (exchange, next) => (await next(exchange)).map((event) => event)) satisfies Module['handle'],
    ]) {
      const { step } = await run(handle, { touches: [] });
      assert.match(step?.fault ?? '', /may not change "reply"/);
    }
  });

  test('where a call goes only if it says so, and by nothing but its target', async () => {
    const moving: Module['handle'] = (exchange, next, kit) => {
      const target = kit.models.target('demo-2');
      assert.ok(target !== undefined);
      return next(exchange.with({ target }));
    };
    const moved = await run(moving, { touches: ['target'] });
    assert.deepEqual([moved.attempts[0]?.target.model, moved.step?.effect], ['demo-2', 'changed-request']);
    assert.match((await run(moving, { touches: [] })).step?.fault ?? '', /may not change "target"/);
    const renaming = await changing({ model: 'demo-2' }, ['settings', 'target']);
    isBroken(renaming.error);
    assert.match(renaming.step?.fault ?? '', /pass it to with\(\{ target \}\)/);
  });
});

describe('what a module asks for is paid for', () => {
  test('each time', async () => {
    const { attempts } = await run(async (exchange, next) => {
      for (let time = 0; time < 4; time++) await (await next(exchange)).answer();
      return next(exchange);
    });
    assert.deepEqual(
      attempts.map(({ usage, askedBy, ending }) => [usage.input_tokens, askedBy, ending?.how]),
      [
        [100, undefined, 'complete'],
        [100, 'probe', 'complete'],
        [100, 'probe', 'complete'],
        [100, 'probe', 'complete'],
        [100, 'probe', 'complete'],
      ],
    );
  });

  test('also where it throws after reading', async () => {
    const { attempts, error } = await run(async (exchange, next) => {
      await (await next(exchange)).answer();
      throw new Error('oops');
    });
    isBroken(error);
    assert.deepEqual(
      attempts.map(({ usage, ending }) => [usage.output_tokens, ending?.how]),
      [[10, 'complete']],
    );
  });

  test('when it asks for itself, beside the call', async () => {
    const {
      attempts,
      answer: got,
      step,
    } = await run(async (exchange, next, kit) => {
      const target = kit.models.target('demo-1');
      assert.ok(target !== undefined);
      const said = await kit.models.ask(
        { max_tokens: 9, messages: [{ role: 'user', content: 'Hm?' }] },
        target,
      );
      kit.note({ said: said.content.length });
      return next(exchange);
    });
    assert.deepEqual([got, step?.attributes], [answer, { said: 1 }]);
    assert.deepEqual(
      attempts.map(({ askedBy, isModuleCall }) => [askedBy, isModuleCall]),
      [
        ['probe', true],
        [undefined, false],
      ],
    );
  });

  test('and a loop of asking has an end', async () => {
    const { step, attempts } = await run(async (exchange, next) => {
      for (;;) await (await next(exchange)).answer();
    });
    assert.match(step?.fault ?? '', /at most 100 attempts in one call/);
    assert.equal(attempts.length, 100);
  });
});

describe('a reply', () => {
  test('that a module goes on reading when the call is answered is left to it', async () => {
    const later = Promise.withResolvers<void>();
    let read: Promise<readonly ReplyEvent[]> | undefined;
    const {
      answer: got,
      attempts,
      step,
    } = await run(async (exchange, next) => {
      const events = (await next(exchange)).events();
      read = later.promise.then(() => Array.fromAsync(events));
      return Reply.of({ ...answer, id: 'cached' });
    });
    assert.deepEqual([got?.id, step?.effect], ['cached', 'changed-reply']);
    assert.deepEqual(
      attempts.map(({ ending }) => ending),
      [undefined],
    );
    later.resolve();
    assert.deepEqual(await read, [...answerToEvents(answer)]);
    assert.deepEqual(
      attempts.map(({ ending, usage }) => [ending?.how, usage.input_tokens]),
      [['complete', 100]],
    );
  });

  test('that will not be read is stopped, even if another was derived from it', async () => {
    const { attempts } = await run(async (exchange, next) => {
      (await next(exchange)).map((event) => event);
      (await next(exchange)).through(async function* (events) {
        yield* events;
      });
      return next(exchange);
    });
    assert.deepEqual(
      attempts.map(({ ending }) => ending?.how),
      ['aborted', 'aborted', 'complete'],
    );
  });

  test('that is handed on though it was read is the module’s fault', async () => {
    const { error, step } = await run(async (exchange, next) => {
      const reply = await next(exchange);
      await reply.answer();
      return reply;
    });
    isBroken(error);
    assert.match(step?.fault ?? '', /was already read/);
  });
});

describe('a reply that comes too late', () => {
  test('is stopped and paid for, whoever requested it and did not wait', async () => {
    const late = Promise.withResolvers<void>();
    let asked = 0;
    const slow: Handler = async () => {
      if (++asked > 1) await late.promise;
      return Reply.of(answer);
    };
    const racing = module((exchange, next) => Promise.race([next(exchange), next(exchange)]));
    const { answer: got, attempts } = await runModule(racing, { upstream: slow })(request);
    assert.deepEqual(got, answer);
    late.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(
      attempts.map(({ ending }) => ending?.how),
      ['complete', 'aborted'],
    );
  });

  test('may still be read by one who has answered, if it does so at once', async () => {
    const late = Promise.withResolvers<void>();
    let read: Promise<Answer> | undefined;
    const { attempts } = await runModule(
      module(async (exchange, next) => {
        read = next(exchange).then((reply) => reply.answer());
        return Reply.of({ ...answer, id: 'at once' });
      }),
      {
        upstream: async () => {
          await late.promise;
          return Reply.of(answer);
        },
      },
    )(request).then(async (seen) => {
      late.resolve();
      await read?.catch(() => undefined);
      return seen;
    });
    assert.deepEqual(
      attempts.map(({ ending }) => ending?.how),
      ['aborted'],
    );
  });

  test('can’t be asked for when the call is over', async () => {
    let ask: (() => Promise<unknown>) | undefined;
    const { attempts } = await run((exchange, next) => {
      ask = () => next(exchange);
      return next(exchange);
    });
    await assert.rejects(async () => ask?.(), /after the call ended/);
    assert.equal(attempts.length, 1);
  });

  test('of a module that was given up doesn’t take the answer away that others read', async () => {
    const awake = Promise.withResolvers<void>();
    const handed = Promise.withResolvers<Reply>();
    async function* slowly() {
      const [first, ...rest] = answerToEvents(answer);
      if (first !== undefined) yield first;
      awake.resolve();
      const late = await handed.promise;
      assert.throws(() => late.events(), /already read/);
      await late.discard();
      yield* rest;
    }
    const sleepy = module(
      async (exchange, next) => {
        const reply = await next(exchange);
        await awake.promise;
        handed.resolve(reply);
        return reply;
      },
      { deadlineMs: 20 },
    );
    const { answer: got, step } = await runModule(sleepy, { upstream: async () => Reply.stream(slowly()) })(
      request,
    );
    assert.deepEqual([got, step?.effect], [answer, 'broken']);
  });
});

describe('a careless module', () => {
  test('that doesn’t wait for what fails brings nothing down', async () => {
    let asked = 0;
    const failing: Handler = async () => {
      if (++asked === 1) throw new GatewayError('upstream_error', 'overloaded', { status: 529 });
      return Reply.of(answer);
    };
    const careless = module(async (exchange, next) => {
      void next(exchange);
      return (await next(exchange)).tap(async () => {
        throw new Error('oops');
      });
    });
    const { answer: got, step } = await runModule(careless, { upstream: failing })(request);
    assert.deepEqual([got, step?.effect], [answer, 'broken']);
  });

  test('that waits in an onEnd for ever delays the reply no longer than its deadline', async () => {
    const { answer: got, step } = await run(async (exchange, next) => (await next(exchange)).onEnd(never), {
      deadlineMs: 20,
    });
    assert.deepEqual([got, step?.effect], [answer, 'broken']);
  });

  test('that writes what is no event is to blame for it', async () => {
    for (const written of [undefined, Promise.resolve(), { kind: 'odd' }]) {
      const rewrite = new Function('written', 'return () => written')(written);
      const { answer: got, step } = await run(async (exchange, next) => (await next(exchange)).map(rewrite));
      assert.deepEqual([got, step?.effect], [answer, 'broken']);
    }
  });

  test('is to blame for each of the replies that it made one of the other', async () => {
    const { answer: got, step } = await run(async (exchange, next) =>
      (await next(exchange))
        .map((event) => {
          if (event.type === 'content_block_delta') throw new Error('oops');
          return event;
        })
        .map((event) => event),
    );
    assert.deepEqual([got, step?.effect], [answer, 'broken']);
  });

  test('that has written something can’t be done without', async () => {
    const { error } = await run(async (exchange, next) =>
      (await next(exchange)).through(async function* () {
        yield { type: 'ping' };
        throw new Error('oops');
      }),
    );
    isBroken(error);
  });

  test('may read what it was given when its own answer begins', async () => {
    const { answer: got } = await run(async (exchange, next) => {
      const reply = await next(exchange);
      async function* lazily() {
        yield* reply.events();
      }
      return Reply.stream(lazily());
    });
    assert.deepEqual(got, answer);
  });
});

test('what a module uses may fail without failing the call, where it says skip', async () => {
  const away = new GatewayError('storage_unavailable', 'away');
  const using: Module['handle'] = async () => {
    throw away;
  };
  const skipped = await run(using);
  assert.deepEqual([skipped.answer, skipped.step?.effect], [answer, 'broken']);
  const rejected = await run(using, { ifBroken: 'reject' });
  assert.deepEqual([rejected.error, rejected.step?.effect], [away, 'broken']);
});

test('a provider’s error inside of an answer is not the refusal of the module that read it', async () => {
  async function* erring(): AsyncGenerator<ReplyEvent> {
    yield* [...answerToEvents(answer)].slice(0, 2);
    yield { type: 'error', error: { type: 'overloaded_error', message: 'busy', status: 529 } };
  }
  const reading = module(async (exchange, next) => Reply.of(await (await next(exchange)).answer()));
  const { error, step } = await runModule(reading, { upstream: async () => Reply.stream(erring()) })(request);
  assert.ok(GatewayError.is(error) && error.code === 'upstream_error');
  assert.equal(step?.effect, 'passed');
});

test('each step and each attempt has its own start and end', async () => {
  const startedAtMs = performance.now();
  const { step, attempts } = await run(async (exchange, next) => {
    await (await next(exchange)).discard();
    return next(exchange);
  });
  const [first, second] = attempts;
  const times = [
    startedAtMs,
    step?.startedAtMs,
    first?.startedAtMs,
    first?.endedAtMs,
    second?.startedAtMs,
    second?.endedAtMs,
    step?.endedAtMs,
    performance.now(),
  ].map(Number);
  assert.ok(
    times.every((ms, at) => ms >= (times[at - 1] ?? 0)),
    String(times),
  );
});

test('no credential can be reached by what a module is given', async () => {
  await runModule(
    module(async (exchange, next, kit) => {
      for (const given of [exchange, exchange.clientRequest, kit, next])
        for (let one: object | null = given; one !== null; one = Object.getPrototypeOf(one))
          for (const name of Object.getOwnPropertyNames(one.constructor ?? {}))
            assert.ok(
              ['length', 'name', 'prototype'].includes(name) ||
                Reflect.has(Object, name) ||
                Reflect.has(Function, name),
              name,
            );
      return next(exchange);
    }),
    { upstream, credential: 'sk-secret' },
  )(request);
});
