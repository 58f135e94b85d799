import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Environment } from '../src/gateway/settings.ts';
import { at } from './support/at.ts';
import { call, type RawAnswer } from './support/call.ts';
import { bearer, type CreatedKey, Person, password, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { connectRedisClient } from './support/redis-client.ts';
import { replicaSettings } from './support/replicas.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

/** Longer than any store is waited for, also on a busy machine, and far from never. */
const boundMs = 30_000;

const demo = { model: 'demo-1', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };

interface Setting {
  readonly url: string;
  readonly person: Person;
  readonly made: CreatedKey;
  readonly database: TcpProxy;
  readonly redis: TcpProxy;
  /** Not through the proxy. */
  readonly redisUrl: string;
  ask(key?: string): Promise<RawAnswer>;
  ready(): Promise<RawAnswer>;
  metrics(): Promise<string>;
  readonly logLines: readonly string[];
}

/** A gateway whose stores can be taken away from it. */
async function setUp(t: TestContext, more: Environment = {}): Promise<Setting> {
  const environment = await replicaSettings(t, more);
  const database = await TcpProxy.to(t, String(environment.DATABASE_URL));
  const redis = await TcpProxy.to(t, String(environment.REDIS_URL));
  const { url, logLines } = await startCloud(t, {
    ...environment,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
  });
  const person = await Person.signUp(url);
  const made = await person.makeKey();
  return {
    url,
    person,
    made,
    database: database.proxy,
    redis: redis.proxy,
    redisUrl: String(environment.REDIS_URL),
    ask: (key = made.key) => call(url, { path: '/v1/messages', headers: bearer(key), body: demo }),
    ready: () => call(url, { path: '/ready' }),
    metrics: async () => (await call(url, { path: '/metrics' })).text,
    logLines,
  };
}

async function inTime(answer: Promise<RawAnswer>): Promise<RawAnswer> {
  const startedAt = performance.now();
  const given = await answer;
  assert.ok(performance.now() - startedAt < boundMs);
  return given;
}

function assertUnavailable(answer: RawAnswer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(at(answer.json, 'error', 'code'), 'storage_unavailable');
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
}

for (const how of ['stop', 'silence'] as const)
  test(`without Redis (${how}) calls are refused in time, and go on when it is back`, async (t) => {
    const { redis, ask, ready, metrics, logLines, person } = await setUp(t);
    const limited = await person.makeKey();
    const body = { requests_per_minute: 100, concurrent: 1 };
    await person.call({ method: 'PUT', path: `/v1/keys/${limited.id}/limits`, body });
    assert.equal((await ask()).status, 200);
    assert.equal((await ask(limited.key)).status, 200);
    redis[how]();
    for (const answer of await Promise.all([inTime(ask()), inTime(ask(limited.key))]))
      assertUnavailable(answer);
    assert.match(await metrics(), /^weir_refused_total\{status="503",code="storage_unavailable"\} 2$/m);
    assert.match(await metrics(), /^weir_redis_up 0$/m);
    const down = await inTime(ready());
    assert.equal(down.status, 503);
    assert.deepEqual(down.json, { status: 'unavailable', stores: { redis: 'down', database: 'up' } });
    if (how === 'stop') await redis.start();
    else redis.speak();
    await eventually(async () => ((await ask()).status === 200 ? true : undefined));
    await eventually(async () => ((await ready()).status === 200 ? true : undefined));
    assert.match(logLines.join(''), /"msg":"Redis is back after [\d.]+ s"/);
  });

for (const how of ['stop', 'silence'] as const)
  test(`without the database (${how}) known keys go on, the rest is refused in time, and comes back`, async (t) => {
    const { url, person, database, made, ask, ready } = await setUp(t);
    const other = await person.makeKey();
    assert.equal((await ask()).status, 200);
    database[how]();
    assert.equal((await inTime(ask())).status, 200);
    const login = { path: '/v1/users/login', body: { email: person.email, password } };
    const [down, ...refused] = await Promise.all([
      inTime(ready()),
      inTime(ask(other.key)),
      inTime(person.call({ path: '/v1/keys' })),
      inTime(call(url, login)),
    ]);
    for (const answer of refused) assertUnavailable(answer);
    assert.equal(down.status, 200);
    assert.deepEqual(down.json, { status: 'degraded', stores: { database: 'down', redis: 'up' } });
    if (how === 'stop') await database.start();
    else database.speak();
    await eventually(async () => ((await ask(other.key)).status === 200 ? true : undefined));
    assert.equal((await call(url, login)).status, 200);
    // What was used while nobody could store it is stored now.
    await eventually(async () => {
      const { json } = await call(url, { path: '/v1/usage', headers: bearer(made.key) });
      return at(json, 'quota', 'used') === 3 ? true : undefined;
    });
  });

test('a count that Redis lost is taken from the database', async (t) => {
  const { ask, redisUrl } = await setUp(t, { WEIR_TIER_FREE_LIMIT: '5' });
  for (let calls = 0; calls < 3; calls++) assert.equal((await ask()).status, 200);
  const redis = await connectRedisClient(redisUrl);
  await redis.flushDb();
  redis.destroy();
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
  assert.equal(answers.filter(({ status }) => status === 200).length, 2);
});
