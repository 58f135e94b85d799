import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { runModule } from '../testing/run-module.ts';
import { GatewayError } from './errors.ts';
import type { ChatRequest } from './message.ts';
import type { Handler, Module } from './module.ts';
import { Pipelines } from './pipeline.ts';
import { Reply } from './reply/reply.ts';

const unguarded = { open: () => assert.fail('nothing runs here') };
const request: ChatRequest = { model: 'demo-1', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] };

function module(handle: Module['handle'], over: Partial<Module> = {}): Module {
  return {
    api: 1,
    name: 'probe',
    summary: 'A module under test.',
    status: 'preview',
    protective: false,
    ifBroken: 'reject',
    touches: ['output-limit', 'reply'],
    options: z.strictObject({ n: z.coerce.number().optional() }),
    handle,
    ...over,
  };
}

async function endless(): Promise<{ upstream: Handler; ended: string[] }> {
  const ended: string[] = [];
  const upstream: Handler = async () => {
    const reply = Reply.of({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {},
    });
    return reply.onEnd(({ how }) => void ended.push(how));
  };
  return { upstream, ended };
}

describe('what a module does is seen from outside', () => {
  test('passed', async () => {
    const { step } = await runModule(module((exchange, next) => next(exchange)))(request);
    assert.equal(step?.effect, 'passed');
  });

  test('passed, though it watched', async () => {
    const watching = module(async (exchange, next) =>
      (await next(exchange)).tap(() => undefined).onEnd(() => undefined),
    );
    assert.equal((await runModule(watching)(request)).step?.effect, 'passed');
  });

  test('changed-request', async () => {
    const changing = module((exchange, next) =>
      next(exchange.with({ request: { ...exchange.request, max_tokens: 3 } })),
    );
    const { step, sent } = await runModule(changing)(request);
    assert.equal(step?.effect, 'changed-request');
    assert.equal(sent[0]?.max_tokens, 3);
  });

  test('changed-reply', async () => {
    const mapping = module(async (exchange, next) => (await next(exchange)).map((event) => event));
    assert.equal((await runModule(mapping)(request)).step?.effect, 'changed-reply');
    const holding = module(async (exchange, next) => Reply.of(await (await next(exchange)).answer()));
    assert.equal((await runModule(holding)(request)).step?.effect, 'changed-reply');
  });

  test('changed-both', async () => {
    const changing = module(async (exchange, next) => {
      const reply = await next(exchange.with({ request: { ...exchange.request, max_tokens: 3 } }));
      return reply.map((event) => event);
    });
    const { step, sent } = await runModule(changing)(request);
    assert.equal(step?.effect, 'changed-both');
    assert.equal(sent[0]?.max_tokens, 3);
  });

  test('answered', async () => {
    const { upstream } = await endless();
    const { step, sent } = await runModule(module((exchange) => upstream(exchange)))(request);
    assert.equal(step?.effect, 'answered');
    assert.equal(sent.length, 0);
  });

  test('rejected', async () => {
    const rejecting = module(() => Promise.reject(new GatewayError('invalid_request', 'no')));
    const { step, error } = await runModule(rejecting)(request);
    assert.equal(step?.effect, 'rejected');
    assert.ok(GatewayError.is(error) && error.status === 400);
  });

  test("an upstream's failure is not the module's", async () => {
    const failure = new GatewayError('upstream_error', 'no', { status: 529 });
    const { step, error } = await runModule(
      module((exchange, next) => next(exchange)),
      { upstream: () => Promise.reject(failure) },
    )(request);
    assert.equal(step?.effect, 'passed');
    assert.equal(error, failure);
  });
});

describe('a broken module', () => {
  const broken = () => Promise.reject(new TypeError('a bug'));

  test('that says reject fails the call with a 500 and its name', async () => {
    const { error, step } = await runModule(module(broken))(request);
    assert.ok(GatewayError.is(error) && error.code === 'module_broken' && /probe/.test(error.message));
    assert.equal(step?.effect, 'broken');
    assert.match(step?.fault ?? '', /a bug/);
  });

  test('that says skip is left out', async () => {
    const { answer, sent, step } = await runModule(module(broken, { ifBroken: 'skip' }))(request);
    assert.ok(answer);
    assert.equal(sent.length, 1);
    assert.equal(step?.effect, 'broken');
  });

  test('that fails after the call is not made to call again', async () => {
    const late = module(async (exchange, next) => next(exchange).then(broken), { ifBroken: 'skip' });
    const { answer, sent } = await runModule(late)(request);
    assert.ok(answer);
    assert.equal(sent.length, 1);
  });

  test('that has read the reply cannot be skipped', async () => {
    const reading = module(
      async (exchange, next) =>
        next(exchange)
          .then((reply) => reply.answer())
          .then(broken),
      { ifBroken: 'skip' },
    );
    const { error } = await runModule(reading)(request);
    assert.ok(GatewayError.is(error) && error.code === 'module_broken');
  });
});

describe('replies that a module leaves lying', () => {
  test('are stopped when it answers by itself', async () => {
    const { upstream, ended } = await endless();
    const wasteful = module(async (exchange, next) => {
      await next(exchange);
      return Reply.of({
        id: 'm2',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {},
      });
    });
    await runModule(wasteful, { upstream })(request);
    assert.deepEqual(ended, ['aborted']);
  });

  test('are stopped when it calls again or throws', async () => {
    const { upstream, ended } = await endless();
    const retrying = module(async (exchange, next) => {
      await next(exchange);
      return next(exchange);
    });
    await runModule(retrying, { upstream })(request);
    assert.deepEqual(ended, ['aborted', 'complete']);
    const throwing = module(async (exchange, next) => {
      await next(exchange);
      throw new GatewayError('invalid_request', 'on second thought');
    });
    await runModule(throwing, { upstream })(request);
    assert.deepEqual(ended, ['aborted', 'complete', 'aborted']);
  });
});

const limit: Module<{ most?: number | undefined; note?: string | undefined }> = {
  api: 1,
  name: 'limit',
  summary: 'Limits nothing.',
  status: 'preview',
  ifBroken: 'reject',
  touches: [],
  protective: true,
  position: 'innermost',
  options: z.strictObject({ most: z.coerce.number().optional(), note: z.string().optional() }),
  strictest: (levels) => ({ most: Math.min(...levels.map(({ most = Number.POSITIVE_INFINITY }) => most)) }),
  idle: ({ most }) => most === undefined,
  async handle(exchange, next, kit) {
    kit.setHeader('limit', `most=${kit.options.most}`);
    return next(exchange);
  },
};

describe('a module without anything to do', () => {
  test('is not run, and is still listed', async () => {
    const { step, moduleHeaders } = await runModule(limit)(request);
    assert.deepEqual([step, moduleHeaders], [undefined, []]);
    const pipelines = new Pipelines(
      new Map([['limit', limit]]),
      () => assert.fail('nothing runs here'),
      unguarded,
    );
    assert.equal(pipelines.compile('limit').text, 'limit');
  });

  test('is run as soon as it has', async () => {
    const { step, moduleHeaders } = await runModule(limit, { options: 'most=3' })(request);
    assert.equal(step?.effect, 'passed');
    assert.deepEqual(moduleHeaders, ['x-weir-limit', 'most=3']);
  });
});

describe('what a module tells the client', () => {
  test('stands once in a header, and can’t be anything else than that', async () => {
    const telling = module(async (exchange, next, kit) => {
      kit.setHeader('weather', 'fine');
      kit.setHeader('weather', 'rain\r\nset-cookie: a=b');
      assert.throws(() => kit.setHeader('Set-Cookie: a', 'b'));
      return next(exchange);
    });
    const { moduleHeaders } = await runModule(telling)(request);
    assert.deepEqual(moduleHeaders, ['x-weir-weather', 'rain__set-cookie: a=b']);
  });
});

describe('compiling', () => {
  const modules = new Map([
    ['guard', module((exchange, next) => next(exchange), { name: 'guard', protective: true })],
    ['probe', module((exchange, next) => next(exchange))],
    ['limit', limit],
  ]);
  const pipelines = new Pipelines(modules, () => assert.fail('nothing runs here'), unguarded);
  const names = (asked: string, ...lower: readonly string[]) => pipelines.compile(asked, ...lower).text;

  test('happens once for each list', () => {
    assert.equal(pipelines.compile('probe'), pipelines.compile('probe'));
  });

  test('keeps protective modules that a request leaves out, with the options they were given', () => {
    assert.equal(names('none', 'guard?n=1,probe'), 'guard?n=1');
    assert.equal(names('probe', 'guard?n=1'), 'guard?n=1,probe');
    assert.equal(names('probe,guard?n=9', 'guard?n=1'), 'guard?n=1,probe');
    assert.equal(names('probe', 'none'), 'probe');
    assert.equal(names('none', 'probe', 'guard?n=1'), 'guard?n=1');
  });

  test('puts a module that several levels set as strictly as any of them did', () => {
    assert.equal(names('probe,limit?most=9', 'limit?most=5'), 'probe,limit?most=5');
    assert.equal(names('probe,limit?most=3', 'limit?most=5'), 'probe,limit?most=3');
    assert.equal(names('limit?most=3&note=x', 'limit?most=5', 'limit?most=4'), 'limit?most=3');
    assert.equal(names('none', 'limit?most=5', 'limit?most=4'), 'limit?most=4');
    assert.equal(names('guard?n=1', 'guard?n=2'), 'guard?n=2');
    const [stage] = pipelines.compile('limit?most=7', 'limit?most=8').stages;
    assert.deepEqual(stage?.options, { most: 7 });
  });

  test('runs a list in its own order, with what lower levels protect around it or next to the provider', () => {
    assert.equal(names('limit?most=1,probe'), 'limit?most=1,probe');
    assert.equal(names('probe', 'limit?most=1,guard?n=1'), 'guard?n=1,probe,limit?most=1');
    assert.equal(names('limit?most=1,probe', 'limit?most=2'), 'probe,limit?most=1');
  });

  test('a configuration is named behind a colon, and options override its fields', () => {
    const configured = { find: (module: string, name: string) => ({ most: `${module}:${name}`.length }) };
    const compile = (text: string) => pipelines.compile({ text, configurations: configured });
    const { text, stages } = compile(' limit:prod.1 , probe');
    assert.equal(text, 'limit:prod.1,probe');
    assert.deepEqual(stages[0]?.options, { most: 'limit:prod.1'.length });
    assert.deepEqual(compile('limit:a?most=3&note=x').stages[0]?.options, { most: 3, note: 'x' });
    assert.equal(compile('limit:a'), compile('limit:a'));
    assert.equal(compile('limit:prod?note=x').text, 'limit:prod?note=x');
    const strictest = pipelines.compile({ text: 'limit:abc', configurations: configured }, 'limit?most=5');
    assert.deepEqual([strictest.text, strictest.stages[0]?.options], ['limit:abc?most=5', { most: 5 }]);
    assert.throws(() => pipelines.compile('limit:a'), /no configuration "limit:a"/);
  });

  const bad = {
    'limit:': 'unknown_configuration',
    'limit:a:b': 'unknown_configuration',
    ':a': 'unknown_module',
    nosuch: 'unknown_module',
    'probe?n=x': 'bad_module_option',
    'probe?m=1': 'bad_module_option',
  };
  for (const [list, code] of Object.entries(bad))
    test(`refuses "${list}" with ${code}`, () => {
      assert.throws(
        () => pipelines.compile(list),
        (error) => GatewayError.is(error) && error.code === code,
      );
    });
});
