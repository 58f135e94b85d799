import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRedisUrl } from './redis-address.ts';

const plain = { isTls: false, database: 0, sentinel: undefined };

test('a Redis URL names a server, nodes of a cluster, sentinels or a socket', () => {
  assert.deepEqual(parseRedisUrl('redis://cache.internal'), {
    ...plain,
    endpoints: [{ host: 'cache.internal', port: 6379 }],
  });
  assert.deepEqual(parseRedisUrl('rediss://weir:a%40b@[::1]:7000/3'), {
    ...plain,
    isTls: true,
    database: 3,
    username: 'weir',
    password: 'a@b',
    endpoints: [{ host: '::1', port: 7000 }],
  });
  assert.deepEqual(parseRedisUrl('redis://:p:w@one:7000,two'), {
    ...plain,
    password: 'p:w',
    endpoints: [
      { host: 'one', port: 7000 },
      { host: 'two', port: 6379 },
    ],
  });
  assert.deepEqual(parseRedisUrl('redis+sentinel://:pw@one,two:5000/main/2?sentinel_password=other'), {
    ...plain,
    database: 2,
    password: 'pw',
    endpoints: [
      { host: 'one', port: 26_379 },
      { host: 'two', port: 5000 },
    ],
    sentinel: { master: 'main', password: 'other' },
  });
  assert.deepEqual(parseRedisUrl('unix://:pw@/run/redis/redis.sock?db=1'), {
    ...plain,
    database: 1,
    password: 'pw',
    endpoints: [{ path: '/run/redis/redis.sock' }],
  });
});

test('a Redis URL that is wrong is refused without its password', () => {
  for (const url of [
    'http://:hunter2@host',
    'redis://:hunter2@',
    'redis://:hunter2@host/x',
    'redis://:hunter2@one,,two',
    'redis+sentinel://:hunter2@host',
    'unix://:hunter2@run/redis.sock',
  ])
    assert.throws(
      () => parseRedisUrl(url),
      (error: Error) => !`${error.stack}`.includes('hunter2'),
      url,
    );
});
