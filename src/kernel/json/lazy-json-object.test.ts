import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isJsonObject } from '../../lib/json.ts';
import { originalByteLength } from '../../lib/truncate-texts.ts';
import { GatewayError } from '../errors.ts';
import { LazyJsonObject } from './lazy-json-object.ts';

const of = (text: string) => LazyJsonObject.of(Buffer.from(text));
const refused = (pattern: RegExp) => (error: unknown) =>
  GatewayError.is(error) &&
  error.status === 400 &&
  error.code === 'invalid_json' &&
  pattern.test(error.message);

const key = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('model', 'messages', 'é', '"', '\\u0061'));
const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 40 });

describe('an outline', () => {
  test('has the fields that parsing finds, and reads each as parsing does', () => {
    fc.assert(
      fc.property(object, fc.constantFrom(0, 1), (body, indent) => {
        const text = JSON.stringify(body, null, indent);
        const parsed = JSON.parse(text);
        const lazyJsonObject = of(text);
        for (const name of Object.keys(parsed)) {
          assert.ok(lazyJsonObject.has(name), name);
          assert.deepEqual(lazyJsonObject.get(name), parsed[name]);
        }
        assert.deepEqual(
          lazyJsonObject
            .members()
            .map(({ name }) => name)
            .sort(),
          Object.keys(parsed).sort(),
        );
        assert.equal(lazyJsonObject.has('there is no such name'), false);
        assert.equal(lazyJsonObject.get('there is no such name'), undefined);
        assert.deepEqual(lazyJsonObject.parse(), parsed);
      }),
    );
  });

  test('finds a field whose name is written with an escape', () => {
    assert.equal(of('{"\\u006dodel": "m"}').get('model'), 'm');
    assert.equal(of('{"a\\/b": 1}').get('a/b'), 1);
  });

  test('knows a list, and how much is in it', () => {
    const lazyJsonObject = of('{"none": [], "some": [1,2], "text": "[]"}');
    assert.deepEqual(
      ['none', 'some', 'text', 'missing'].map((name) => lazyJsonObject.listBytes(name)),
      [0, 3, undefined, undefined],
    );
  });

  test('refuses a field that is there twice, however it is written', () => {
    assert.throws(() => of('{"a":1,"b":2,"a":3}'), refused(/duplicate key/));
    assert.throws(() => of('{"a":1,"\\u0061":2}'), refused(/duplicate key/));
    const many = Array.from({ length: 100 }, (_, at) => `"k${at}":${at}`).join(',');
    assert.doesNotThrow(() => of(`{${many}}`));
    assert.throws(() => of(`{${many},"k50":0}`), refused(/duplicate key/));
  });

  test('refuses a key that is there twice deeper down only when somebody reads it', () => {
    const lazyJsonObject = of('{"a":[{"b":1,"b":2}],"c":3}');
    assert.equal(lazyJsonObject.get('c'), 3);
    assert.throws(() => lazyJsonObject.parse(), refused(/duplicate key/));
    assert.throws(() => lazyJsonObject.parseTruncated(), refused(/duplicate key/));
  });

  test('says what is wrong in the words of the parser', () => {
    assert.throws(() => of('{"a":}'), refused(/^the body is not JSON: Unexpected token '\}'/));
    assert.throws(() => of('[1]'), refused(/must be a JSON object/));
    assert.throws(() => of(`{"a":[${'1,'.repeat(300_000)}1]}`), refused(/more than 250000 values/));
    assert.throws(
      () => of(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`),
      refused(/nested more than 200 deep/),
    );
    assert.throws(
      () => LazyJsonObject.of(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      refused(/UTF-8/),
    );
  });
});

describe('an abridged object', () => {
  /** Nothing is cut in what is small. */
  const filling = Array.from({ length: 5000 }, () => 1);
  /** Long enough to be cut, or short; with escapes, quotes and letters of all widths. */
  const text = fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 40 }), fc.integer({ min: 1, max: 80 }))
    .map(([unit, times]) => unit.repeat(times));
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, text, fc.integer(), tie('list'), tie('record')),
    list: fc.array(tie('any'), { maxLength: 4 }),
    record: fc.dictionary(fc.string({ maxLength: 5 }), tie('any'), { maxKeys: 4 }),
  })).record;

  test('has everything that the whole one has, and knows how long its texts were', () => {
    fc.assert(
      fc.property(value, (body) => {
        const written = JSON.stringify({ body, filling });
        same(of(written).parseTruncated(), JSON.parse(written));
      }),
    );
  });

  test('is not fooled by a text that looks as if it had been cut', () => {
    const { a: cut } = of(JSON.stringify({ a: 'x'.repeat(50_000) })).parseTruncated();
    assert.equal(originalByteLength(String(cut)), 50_000);
    assert.ok(String(cut).length < 400);
    assert.equal(originalByteLength(`${'x'.repeat(256)}${'0'.repeat(32)}99999`), 293);
  });
});

function same(cut: unknown, whole: unknown): void {
  if (typeof whole === 'string') {
    assert.ok(typeof cut === 'string');
    const written = Buffer.byteLength(JSON.stringify(whole)) - 2;
    if (cut !== whole) assert.equal(originalByteLength(cut), written);
    assert.equal(cut === '', whole === '');
  } else if (Array.isArray(whole)) {
    assert.ok(Array.isArray(cut) && cut.length === whole.length);
    for (const [at, item] of whole.entries()) same(cut[at], item);
  } else if (isJsonObject(whole)) {
    assert.ok(isJsonObject(cut));
    assert.deepEqual(Object.keys(cut), Object.keys(whole));
    for (const name of Object.keys(whole)) same(cut[name], whole[name]);
  } else assert.equal(cut, whole);
}

describe('a large body', () => {
  const long = 'x'.repeat(2000);
  const messages = Array.from({ length: 70 }, (_, at) => ({ role: 'user', content: `${at} ${long}` }));
  const ofCall = (text: string, owner = 'account:a') => LazyJsonObject.ofCall(Buffer.from(text), owner);
  const bodyWith = (list: readonly unknown[], rest: object = {}, owner?: string) =>
    ofCall(JSON.stringify({ model: 'm', messages: list, ...rest }), owner);
  const messagesIn = (lazyJsonObject: LazyJsonObject): readonly unknown[] => {
    const { messages: list } = lazyJsonObject.parse();
    assert.ok(Array.isArray(list));
    return list;
  };

  test('shares the items of earlier ones, and nobody can change them', () => {
    const before = messagesIn(bodyWith(messages));
    const now = messagesIn(bodyWith([...messages, { role: 'user', content: 'new' }], { stream: true }));
    assert.deepEqual(now.slice(0, 70), messages);
    assert.ok(before.every((message, at) => message === now[at]));
    const edited = messagesIn(bodyWith(messages.with(50, { role: 'user', content: 'edited' })));
    assert.deepEqual(edited[50], { role: 'user', content: 'edited' });
    assert.ok(before.slice(0, 32).every((message, at) => message === edited[at]));
    const [first] = now;
    assert.throws(() => Object.assign(first ?? {}, { role: 'assistant' }), TypeError);
  });

  test('shares its other long values with earlier ones', () => {
    const tools = [{ name: 'open', description: long }];
    const [one, two, other] = [tools, tools, [{ name: 'shut', description: long }]].map(
      (list) => bodyWith(messages, { tools: list }).parse().tools,
    );
    assert.deepEqual(one, tools);
    assert.equal(one, two);
    assert.notEqual(one, other);
  });

  test('shares nothing with those of other owners, or of none', () => {
    const seen = new Set(messagesIn(bodyWith(messages)));
    const others = [bodyWith(messages, {}, 'account:b'), of(JSON.stringify({ messages }))].map(messagesIn);
    for (const message of others.flat()) assert.ok(!seen.has(message));
  });

  test('has an object for each item, also for equal ones', () => {
    const twice = messagesIn(bodyWith([...messages, ...messages]));
    assert.deepEqual(twice, [...messages, ...messages]);
    assert.equal(new Set(twice).size, 140);
  });

  test('with a duplicate key in an item is rejected, also if the item is known', () => {
    const twin = `{"role":"user","content":"${long}","content":"x"}`;
    const text = JSON.stringify({ messages }).replace(']}', `,${twin}]}`);
    for (const _ of [1, 2]) assert.throws(() => ofCall(text).parse(), refused(/duplicate key/));
  });

  test('keeps all digits of long integers where it is asked for them, and is itself without any', () => {
    const digits = '12345678901234567890';
    const text = JSON.stringify({ messages, n: 1 });
    for (const [written, isItself] of [
      [text, true],
      [text.replace('"n":1', `"n":"${digits}"`), true],
      [text.replace('"n":1', `"n":${digits}`), false],
      [text.replace('"role"', `"long":${digits},"role"`), false],
    ] as const) {
      const lazyJsonObject = ofCall(written);
      const body = lazyJsonObject.parse();
      const exact = lazyJsonObject.exactOf(body);
      assert.equal(exact === body, isItself);
      assert.equal(JSON.stringify(exact), written);
      assert.deepEqual(body, JSON.parse(written));
    }
  });
});
