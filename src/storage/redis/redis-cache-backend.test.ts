import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheBackendConformance } from '../../../test/conformance/cache-backend.ts';
import { advanceRedisTime } from '../../../test/support/advance-redis-time.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settlesAtOnce } from '../../../test/support/settles-at-once.ts';
import { freshRedis } from '../../../test/support/stores.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { limits } from '../limits.ts';
import { RedisCacheBackend } from './redis-cache-backend.ts';
import { RedisConnection } from './redis-connection.ts';

cacheBackendConformance('shelves in Redis', async (t) => {
  const url = await freshRedis(t);
  const link = await RedisConnection.open({ url });
  t.after(() => link.close());
  return { backend: new RedisCacheBackend(link), pass: await advanceRedisTime(t, url) };
});

test('a value that is too large for Redis is not kept, and neither is the one before it', async (t) => {
  const link = await RedisConnection.open({ url: await freshRedis(t) });
  t.after(() => link.close());
  const shelves = new RedisCacheBackend(link);
  const scopedCache = shelves.cacheFor('a');
  await scopedCache.put('key', Buffer.alloc(limits.cacheValueBytesMax, 1), 60);
  assert.equal((await scopedCache.get('key'))?.byteLength, limits.cacheValueBytesMax);
  await scopedCache.put('key', Buffer.alloc(limits.cacheValueBytesMax + 1, 1), 60);
  assert.equal(await scopedCache.get('key'), undefined);
  assert.equal(shelves.pendingBytes, 0);
});

test('only so many bytes are on their way at once', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const link = await RedisConnection.open({ url, answerMs: 60_000 });
  const shelves = new RedisCacheBackend(link);
  proxy.silence();
  const value = Buffer.alloc(limits.cacheValueBytesMax);
  const puts = Array.from({ length: 20 }, (_, at) => shelves.cacheFor('a').put(`key ${at}`, value, 60));
  assert.ok(shelves.pendingBytes <= limits.cachePendingBytesMax);
  link.close();
  await Promise.all(puts);
  assert.equal(shelves.pendingBytes, 0);
});

test('while Redis is away shelves are empty and keep nothing, and no call waits or fails for it', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const link = await RedisConnection.open({ url, answerMs: 1500 });
  t.after(() => link.close());
  const scopedCache = new RedisCacheBackend(link).cacheFor('a');
  await scopedCache.put('key', Buffer.from('1'), 60);
  proxy.silence();
  assert.equal(await scopedCache.get('key'), undefined);
  await eventually(() => settlesAtOnce(scopedCache.put('key', Buffer.from('2'), 60)));
  assert.ok(await settlesAtOnce(scopedCache.get('key')));
  assert.equal(await scopedCache.get('key'), undefined);
  proxy.speak();
  await eventually(() => (link.isUp ? true : undefined));
  assert.equal(String(await scopedCache.get('key')), '1');
});
