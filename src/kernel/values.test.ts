import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { parseDuration } from '../lib/duration.ts';
import { headerOf, headerValuesOf } from '../lib/headers.ts';
import { Lru } from '../lib/lru.ts';
import { Secret } from '../lib/secret.ts';
import { GatewayError } from './errors.ts';
import { formatUsd, nanoOfPico, picoPerToken } from './money.ts';
import { formatPipelineList, parsePipelineList } from './pipeline-list.ts';
import { Trace } from './trace.ts';

describe('durations', () => {
  test('have a number and a unit', () => {
    assert.deepEqual(['500ms', '30s', '5m', '24h', '7d'].map(parseDuration), [0.5, 30, 300, 86_400, 604_800]);
  });
  test('are nothing else', () => {
    for (const text of ['', '5', 'm', '-5m', '5 m', '1.5h', '5M', '99999999999s'])
      assert.equal(parseDuration(text), undefined, text);
  });
});

describe('money', () => {
  test('is whole numbers all the way', () => {
    assert.equal(picoPerToken(0.0375), 37_500);
    assert.equal(nanoOfPico(37_500 * 3), 113);
  });
  test('is written as people write it', () => {
    assert.deepEqual([0, 1, 3_100_000, 1_000_000_000, 12_050_000_000].map(formatUsd), [
      '0',
      '0.000000001',
      '0.0031',
      '1',
      '12.05',
    ]);
  });
});

describe('pipeline lists', () => {
  test('are names in order with options', () => {
    assert.deepEqual(parsePipelineList(' exact-cache?ttl=1h&note=a%2Cb , cost-guard '), [
      { name: 'exact-cache', options: { ttl: '1h', note: 'a,b' } },
      { name: 'cost-guard', options: {} },
    ]);
  });
  test('may be empty', () => {
    for (const text of ['', '  ', 'none', ' none ']) assert.deepEqual(parsePipelineList(text), []);
  });
  test('come back as they were written', () => {
    assert.equal(formatPipelineList(parsePipelineList('a?x=1%2C2&y=,b')), 'a?x=1%2C2&y=,b');
  });
  const bad = {
    'a,a': 'bad_pipeline',
    'a,,b': 'unknown_module',
    A: 'unknown_module',
    '../x': 'unknown_module',
    'a?x=1&x=2': 'bad_module_option',
  };
  for (const [text, code] of Object.entries(bad))
    test(`"${text}" is refused as ${code}`, () => {
      assert.throws(
        () => parsePipelineList(text),
        (error) => GatewayError.is(error) && error.code === code && error.status === 400,
      );
    });
  test('have a length', () => {
    assert.throws(() => parsePipelineList('a'.repeat(8001)), /8000/);
  });
});

describe('a secret', () => {
  const secret = new Secret('sk-ant-canary');
  test('does not show in any usual way of printing', () => {
    for (const text of [
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
    ])
      assert.doesNotMatch(text, /canary/);
  });
  test('is compared by value', () => {
    assert.ok(secret.equals('sk-ant-canary'));
    assert.ok(!secret.equals('sk-ant-canar'));
  });
  test('has a name that depends on the key', () => {
    assert.notEqual(secret.keyedDigest(Buffer.from('a')), secret.keyedDigest(Buffer.from('b')));
  });
});

test('headers are found whatever their case', () => {
  const list = ['X-One', '1', 'x-two', '2', 'X-ONE', '3'];
  assert.equal(headerOf(list, 'x-one'), '1');
  assert.equal(headerOf(list, 'x-three'), undefined);
  assert.deepEqual(headerValuesOf(list, 'x-one'), ['1', '3']);
});

test('an LRU keeps what is asked for, and never more than its number', () => {
  const lru = new Lru<number>(4);
  for (let at = 0; at < 100; at++) {
    lru.set(`key ${at}`, at);
    lru.set('dear', -1);
    assert.equal(lru.get('dear'), -1);
  }
  const left = Array.from({ length: 100 }, (_, at) => lru.get(`key ${at}`)).filter(
    (value) => value !== undefined,
  );
  assert.ok(left.length <= 4 && left.includes(99), String(left));
});

describe('a trace', () => {
  test('names the modules that acted, with their facts', () => {
    const trace = new Trace(0);
    trace.step('quiet');
    trace.step('exact-cache', true).note({ hit: true });
    trace.step('cost-guard').note({ usd: 0.0031 });
    assert.equal(trace.modulesHeader(), 'exact-cache;hit;0.0ms, cost-guard;usd=0.0031;0.0ms');
  });

  test('knows a hit by what a cache was seen to do, and by nothing that a module says', () => {
    const trace = new Trace(0);
    trace.step('boasting').note({ hit: true });
    assert.equal(trace.cacheHeader(), 'bypass');
    const cache = trace.step('exact-cache', true);
    assert.equal(trace.cacheHeader(), 'miss');
    cache.note({ bypass: true });
    assert.equal(trace.cacheHeader(), 'bypass');
    trace.step('other-cache', true).effect = 'answered';
    assert.equal(trace.cacheHeader(), 'hit');
  });

  test('keeps facts within their place in a header', () => {
    const trace = new Trace(0);
    trace.step('x').note({ 'a;b': 'c,\r\nd é' });
    assert.equal(trace.modulesHeader(), 'x;a_b=c___d__;0.0ms');
  });
});
