import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { countForModule } from '../src/calls/module-counters.ts';
import { type Count, type CountOptions, defineModule } from '../src/module-api.ts';
import { MemoryCounters } from '../src/storage/memory/memory-counters.ts';
import { runModule } from '../src/testing/index.ts';
import { call } from './support/call.ts';
import { bearer, Person, password, startCloud } from './support/cloud.ts';
import { counting } from './support/counting-module.ts';
import { eventually } from './support/eventually.ts';
import { ManualClock } from './support/manual-clock.ts';
import { connectRedisClient } from './support/redis-client.ts';
import { replicaSettings } from './support/replicas.ts';
import { WeirProcess } from './support/weir-process.ts';

const body = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hello' }] };
const modules = { WEIR_MODULES: new URL('./support/counting-module.ts', import.meta.url).pathname };

describe('kit.count', () => {
  const clock = new ManualClock();
  const counted: Count[] = [];
  let options: CountOptions = { limit: 3, window: 60 };
  const module = defineModule({
    ...counting,
    async handle(exchange, next, kit) {
      counted.push(await kit.count('calls', options));
      return next(exchange);
    },
  });
  const run = runModule(module, { account: 'a' }, { clock });
  const count = async (changes: Partial<CountOptions> = {}, account = 'a'): Promise<Count> => {
    options = { limit: 3, window: 60, ...changes };
    const { error } = await run(body, { account });
    assert.equal(error, undefined);
    const last = counted.at(-1);
    assert.ok(last);
    return last;
  };
  const figures = ({ settle: _, ...rest }: Count) => rest;

  test('counts up to the limit, in a window that starts with the first', async () => {
    const allowed = { isAllowed: true, resetSeconds: 60, retryAfterSeconds: 0 };
    for (const at of [1, 2, 3])
      assert.deepEqual(figures(await count()), { ...allowed, count: at, remaining: 3 - at });
    clock.move(20_000);
    assert.deepEqual(figures(await count()), {
      isAllowed: false,
      count: 3,
      remaining: 0,
      resetSeconds: 40,
      retryAfterSeconds: 40,
    });
    assert.equal((await count({ by: 0 })).isAllowed, false);
    assert.equal((await count({}, 'b')).count, 1, 'accounts are counted apart');
    clock.move(40_000);
    assert.equal((await count()).count, 1);
  });

  test('settles an estimate by what was used', async () => {
    clock.move(60_000);
    const tokens = { limit: 1000, by: 600 };
    const reserved = await count(tokens);
    assert.equal((await count(tokens)).isAllowed, false);
    await reserved.settle(150);
    assert.equal((await count({ ...tokens, by: 0 })).remaining, 850);
    await reserved.settle(150);
    await reserved.settle(0);
    assert.equal((await count({ ...tokens, by: 0 })).count, 0, 'an amount is settled, not subtracted again');
    const late = await count(tokens);
    clock.move(60_000);
    await count({ ...tokens, by: 10 });
    await late.settle(0);
    assert.equal((await count({ ...tokens, by: 0 })).count, 10, 'another window is left alone');
    const refused = await count({ ...tokens, by: 2000 });
    await refused.settle(500);
    assert.equal((await count({ ...tokens, by: 0 })).count, 10, 'nothing was counted, so nothing is settled');
    assert.equal(refused.retryAfterSeconds, 60);
  });

  test('rejects what is no amount', async () => {
    const counters = new MemoryCounters(clock);
    const name = { scope: 'a', name: 'calls' };
    for (const [wrong, message] of [
      [{ limit: 1.5, window: 60 }, /limit must be a whole number/],
      [{ limit: -1, window: 60 }, /limit must be a whole number/],
      [{ limit: 1, window: 0 }, /window must be a number of seconds/],
      [{ limit: 1, window: Number.NaN }, /window must be a number of seconds/],
      [{ limit: 1, window: 60, by: -1 }, /by must be a whole number/],
    ] as const)
      await assert.rejects(countForModule(counters, name, wrong), message);
    await assert.rejects(
      countForModule(counters, { scope: 'a', name: 'x'.repeat(1000) }, { limit: 1, window: 60 }),
      /400 characters/,
    );
    assert.equal(counters.size, 0);
  });
});

describe('kit.takeSlot', () => {
  test('limits calls at once, and every ending of a call frees its slot', async () => {
    const run = runModule(counting, { options: 'slots=2' });
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const arrivals = gates.map(() => Promise.withResolvers<void>());
    const open = gates.map((gate, at) =>
      run(body, {
        async upstream() {
          arrivals[at]?.resolve();
          await gate.promise;
          throw new Error('the provider fails');
        },
      }),
    );
    await Promise.all(arrivals.map(({ promise }) => promise));
    assert.match(String((await run(body)).error), /too many calls at once/);
    for (const gate of gates) gate.resolve();
    assert.ok((await Promise.all(open)).every(({ error }) => error !== undefined));
    for (let at = 0; at < 3; at++) assert.equal((await run(body)).error, undefined);
  });
});

describe('exact', () => {
  const allowedOf = async (urls: readonly string[], key: string) => {
    const headers = [...bearer(key), 'x-weir-pipeline', 'counting?limit=7'];
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        call(urls[at % urls.length] ?? '', { path: '/v1/messages', headers, body }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]));
    const [refused] = answers.filter(({ status }) => status === 400);
    assert.match(String(refused?.headers['retry-after']), /^([1-5]\d?|60)$/);
    return answers.filter(({ status }) => status === 200).length;
  };

  test('on two replicas; the counts go with the account', async (t) => {
    const environment = await replicaSettings(t, modules);
    const replicas = [await startCloud(t, environment), await startCloud(t, environment)] as const;
    const urls = replicas.map(({ url }) => url);
    const person = await Person.signUp(replicas[0].url);
    const { key } = await person.makeKey();
    assert.equal(await allowedOf(urls, key), 7);
    const keys = await countKeysOf(t, environment.REDIS_URL);
    assert.equal((await keys()).length, 1);
    await person.call({ method: 'DELETE', path: '/v1/users/me', body: { password } });
    await eventually(async () => ((await keys()).length === 0 ? true : undefined));
  });

  test('on two workers', async (t) => {
    const weir = new WeirProcess(t, { environment: { ...modules, WEIR_MODE: 'cloud', WEIR_WORKERS: '2' } });
    const url = await weir.listening;
    const { key } = await (await Person.signUp(url)).makeKey();
    assert.equal(await allowedOf([url], key), 7);
  });
});

async function countKeysOf(t: TestContext, url = ''): Promise<() => Promise<readonly string[]>> {
  const redis = await connectRedisClient(url);
  t.after(() => redis.destroy());
  return () => redis.keys('weir:{*}:count:*');
}
