import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agedRedis } from '../../../test/support/aged-redis.ts';
import { atOnce } from '../../../test/support/at-once.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { freshRedis } from '../../../test/support/stores.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { limits } from '../../kernel/limits.ts';
import { shelvesConformance } from '../shelves-conformance.ts';
import { RedisLink } from './redis-link.ts';
import { RedisShelves } from './redis-shelves.ts';

shelvesConformance('shelves in Redis', async (t) => {
  const url = await freshRedis(t);
  const link = await RedisLink.open({ url });
  t.after(() => link.close());
  return { shelves: new RedisShelves(link), pass: await agedRedis(t, url) };
});

test('a value that is too large for Redis is not kept, and neither is the one before it', async (t) => {
  const link = await RedisLink.open({ url: await freshRedis(t) });
  t.after(() => link.close());
  const shelves = new RedisShelves(link);
  const shelf = shelves.shelf('a');
  await shelf.put('key', Buffer.alloc(limits.shelfValueBytesMax, 1), 60);
  assert.equal((await shelf.get('key'))?.byteLength, limits.shelfValueBytesMax);
  await shelf.put('key', Buffer.alloc(limits.shelfValueBytesMax + 1, 1), 60);
  assert.equal(await shelf.get('key'), undefined);
  assert.equal(shelves.pendingBytes, 0);
});

test('only so many bytes are on their way at once', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const link = await RedisLink.open({ url, answerMs: 60_000 });
  const shelves = new RedisShelves(link);
  proxy.silence();
  const value = Buffer.alloc(limits.shelfValueBytesMax);
  const puts = Array.from({ length: 20 }, (_, at) => shelves.shelf('a').put(`key ${at}`, value, 60));
  assert.ok(shelves.pendingBytes <= limits.shelfPendingBytesMax);
  link.close();
  await Promise.all(puts);
  assert.equal(shelves.pendingBytes, 0);
});

test('while Redis is away shelves are empty and keep nothing, and no call waits or fails for it', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const link = await RedisLink.open({ url, answerMs: 1500 });
  t.after(() => link.close());
  const shelf = new RedisShelves(link).shelf('a');
  await shelf.put('key', Buffer.from('1'), 60);
  proxy.silence();
  assert.equal(await shelf.get('key'), undefined);
  await eventually(() => atOnce(shelf.put('key', Buffer.from('2'), 60)));
  assert.ok(await atOnce(shelf.get('key')));
  assert.equal(await shelf.get('key'), undefined);
  proxy.speak();
  await eventually(() => (link.isUp ? true : undefined));
  assert.equal(String(await shelf.get('key')), '1');
});
