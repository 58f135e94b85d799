import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { shapeOf } from '../../lib/json-scan.ts';
import { badTexts, goodTexts } from './json-samples.ts';
import { scan, windowBytes } from './scan.ts';
import {
  childrenMax,
  depthCap,
  longTextBytes,
  longTextsMax,
  type ScanFault,
  type ScanResult,
} from './scan-result.ts';

const bounds = { valuesMax: Number.POSITIVE_INFINITY, depthMax: depthCap };
const tricky = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', ']', ':', ',', 'é', '\n', 'u', '0') }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\'), minLength: 50, maxLength: 200 }),
);
const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.constant(null), tricky),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(tricky, tie('any'), { maxKeys: 5 }),
  ),
}));
const indent = fc.constantFrom('', ' ', '\t', '\r\n');
const texts = fc.tuple(any, indent).map(([value, space]) => JSON.stringify(value, null, space));
/** Without their characters beyond ASCII, and with the longest form of some others. */
const escapedTexts = texts.map((text) =>
  text.replace(
    /[^\0-~]|(?<!\\)[g-m]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ),
);

test('the scanner goes on where a window ends, wherever that is', () => {
  const bytes = Buffer.alloc(2 * windowBytes, ' ');
  for (const text of [...goodTexts, ...badTexts]) {
    const alone = scan(Buffer.from(text), bounds);
    const length = Buffer.byteLength(text);
    for (let before = 0; before <= length; before++) {
      const start = windowBytes - before;
      bytes.write(text, start);
      const expected = withoutMarks(moved(alone, start));
      assert.deepEqual(withoutMarks(scan(bytes, bounds, 0, start + length)), expected, text);
      assert.deepEqual(withoutMarks(scan(bytes, bounds, 0, start + length + 100)), expected, text);
      bytes.fill(' ', start, start + length);
    }
  }
});

describe('the scanner', () => {
  test('takes what is JSON', () => {
    for (const text of goodTexts) agrees(Buffer.from(text));
    for (const text of goodTexts) assert.notEqual(scan(Buffer.from(text), bounds), 'syntax', text);
  });

  test('refuses what is none', () => {
    for (const text of badTexts) {
      assert.throws(() => JSON.parse(text), text);
      assert.equal(scan(Buffer.from(text), bounds), 'syntax', text);
    }
  });

  test('agrees with JSON.parse on random JSON and its children', () => {
    fc.assert(
      fc.property(fc.oneof(texts, escapedTexts), (text) => agrees(Buffer.from(text))),
      { numRuns: 1000 },
    );
  });

  test('agrees with JSON.parse on JSON with one byte changed, removed or added', () => {
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],: \n\t0-+.eEu\u0000')));
    const change = fc.tuple(fc.nat(), fc.nat(1), fc.array(byte, { maxLength: 1 }));
    fc.assert(
      fc.property(
        fc.oneof(texts, escapedTexts),
        fc.array(change, { minLength: 1, maxLength: 20 }),
        (text, all) => {
          for (const [at, removed, added] of all) {
            const bytes = [...Buffer.from(text)];
            bytes.splice(at % (bytes.length + 1), removed, ...added);
            agrees(Buffer.from(bytes));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('agrees with JSON.parse on random bytes', () => {
    const marks = fc.array(fc.constantFrom(...Buffer.from('"\\{}[],: 01-.eEtruefalsn')), { maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), marks), (bytes) => agrees(Buffer.from(bytes))),
      { numRuns: 3000 },
    );
  });

  test('agrees with JSON.parse on every beginning of a text', () => {
    const whole = Buffer.from(goodTexts.filter((_, at) => at % 7 === 4).join(',')).toString();
    const bytes = Buffer.from(`[${whole}]`);
    for (let end = 0; end <= bytes.length; end += end < 3000 ? 1 : 97) agrees(bytes.subarray(0, end));
    for (const text of goodTexts)
      for (let end = 0; end < text.length; end++) agrees(Buffer.from(text.slice(0, end)));
  });

  test('finds what ends a string, whatever blocks it lies across', () => {
    const ends = [
      '',
      '\\n',
      '\\"',
      '\\\\',
      '\\\\\\"',
      '\\u00e9',
      '\\ud83d\\ude00',
      'é',
      '\\',
      '\\u00e',
      '\\x',
      '\n',
      '\0',
    ];
    for (let before = 0; before <= 70; before += 5)
      for (let inside = 0; inside <= 70; inside++)
        for (const end of ends)
          agrees(Buffer.from(`${' '.repeat(before)}["${'a'.repeat(inside)}${end}","b"]`));
  });

  test('reads tokens that are longer than a window', () => {
    const length = 3 * windowBytes;
    const digits = '1'.repeat(length);
    for (const text of [
      `"${'a'.repeat(length)}"`,
      `"${'\\u00e9'.repeat(length / 6)}"`,
      `"a${'\\u00e9'.repeat(length / 6)}"`,
      `"${'\\\\'.repeat(length / 2)}"`,
      `"a${'\\\\'.repeat(length / 2)}"`,
      `"a${'\\\\'.repeat(length / 2)}\\"`,
      digits,
      `-${digits}.${digits}e-${digits}`,
      `[${digits}.${digits}E+${digits},${digits}]`,
      `${digits}.`,
      `${digits}.${digits}.`,
      `${digits}e${digits}-`,
      `0${digits}`,
      `${' '.repeat(length)}1${' '.repeat(length)}`,
      `${' '.repeat(length)}1${' '.repeat(length)}1`,
    ])
      agrees(Buffer.from(text));
  });

  test('agrees with JSON.parse on random JSON of several windows, with one byte wrong or none', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 9 }), fc.nat(), fc.nat(255), (all, at, byte) => {
        const one = all.join(',');
        const bytes = Buffer.from(`[[${`${one},`.repeat(Math.ceil(250_000 / (one.length + 1)))}0],${one}]`);
        agrees(bytes);
        bytes[at % bytes.length] = byte;
        agrees(bytes);
      }),
      { numRuns: 15 },
    );
  });

  test('reads a part of the bytes as if there were nothing else', () => {
    const bytes = Buffer.from('1{"a":[1,2],"b" : "c"}2');
    assert.deepEqual(scan(bytes, bounds, 1, bytes.length - 1), {
      kind: 'object',
      start: 1,
      end: 22,
      offsets: [2, 5, 6, 11, 12, 15, 18, 21],
      values: 4,
      pairs: 2,
      depth: 2,
      escapedKeys: false,
      textMarks: 0,
      longTexts: [],
    });
    assert.equal(scan(bytes, bounds, 1), 'syntax');
    assert.equal(scan(bytes, bounds, 0, bytes.length - 1), 'syntax');
    assert.deepEqual(found(scan(bytes, bounds, 6, 11)).offsets, [7, 8, 9, 10]);
    for (const [start, end] of [
      [0, 1],
      [22, 23],
      [7, 8],
    ] as const)
      assert.equal(found(scan(bytes, bounds, start, end)).kind, 'number');
    for (const [start, end] of [
      [1, 21],
      [6, 10],
      [18, 20],
      [5, 5],
    ] as const)
      assert.equal(scan(bytes, bounds, start, end), 'syntax');
  });

  test('says what is wrong first', () => {
    const scanWithin = (text: string, valuesMax: number, depthMax: number) =>
      scan(Buffer.from(text), { valuesMax, depthMax });
    assert.equal(scanWithin('[1,2,3,nonsense', 2, 9), 'values');
    assert.equal(scanWithin('[1,2,3,nonsense', 3, 9), 'values');
    assert.equal(scanWithin('[1,2,3,nonsense', 4, 9), 'syntax');
    assert.equal(scanWithin('[nonsense,2,3', 1, 9), 'syntax');
    assert.equal(scanWithin('[[[nonsense', 9, 2), 'depth');
    assert.equal(scanWithin('[[[nonsense', 9, 3), 'syntax');
    assert.equal(scanWithin('[[[nonsense', 2, 2), 'values');
    assert.equal(scanWithin('[[]nonsense]', 9, 1), 'depth');
    assert.equal(found(scanWithin('[1,{"a":2}]', 3, 2)).values, 3);
    assert.equal(scanWithin('{}', 1, 0), 'depth');
    assert.equal(scanWithin('[]', 0, 1), 'values');
    assert.equal(found(scanWithin('1', 0, 0)).depth, 0);
  });

  test('refuses a bomb when it has seen enough of it', () => {
    const bomb = Buffer.alloc(3_000_000, '{},');
    bomb.write('[[');
    assert.equal(scan(bomb, { valuesMax: 250_000, depthMax: 200 }), 'syntax');
    const head = Buffer.from('[[{},');
    const body = Buffer.concat([head, Buffer.alloc(3_000_000, '{},')]);
    assert.equal(scan(body, { valuesMax: 250_000, depthMax: 200 }), 'values');
    assert.equal(scan(Buffer.alloc(3_000_000, '['), bounds), 'depth');
  });

  test('lists so many children and no more', () => {
    for (const [open, child, close] of [
      ['[', '1', ']'],
      ['{', '"a":1', '}'],
    ] as const) {
      const many = (count: number) => Buffer.from(`${open}${Array(count).fill(child).join()}${close}`);
      const most = found(scan(many(childrenMax), bounds));
      assert.equal(most.offsets.length, childrenMax * (open === '{' ? 4 : 2));
      agrees(many(childrenMax));
      assert.equal(scan(many(childrenMax + 1), bounds), 'children');
      const inside = Buffer.from(`[${many(childrenMax + 1).toString()}]`);
      assert.equal(found(scan(inside, bounds)).offsets.length, 2);
      assert.equal(scan(many(childrenMax + 1).subarray(0, -1), bounds), 'children');
      assert.equal(scan(many(childrenMax).subarray(0, -1), bounds), 'syntax');
    }
  });

  test('lists texts that are long, wherever they are, and no keys', () => {
    const text = (bytes: number) =>
      `"${'\\"x '.repeat(bytes / 4)}${'y'.repeat(bytes % 4)}"`.replace(/^"../, '"');
    const short = text(longTextBytes - 1);
    const long = text(longTextBytes);
    const longest = text(400_000);
    const bytes = Buffer.from(`{"a":${short},${long}:[${long},{"b":${longest}}],"c":${longest}}`);
    const { longTexts } = found(scan(bytes, bounds));
    const listed: string[] = [];
    for (let at = 0; at < (longTexts?.length ?? 0); at += 2)
      listed.push(bytes.toString('utf8', longTexts?.[at], longTexts?.[at + 1]));
    assert.deepEqual(listed, [long, longest, longest]);
    const many = (count: number) => Buffer.from(`[${Array(count).fill(long).join()}]`);
    assert.equal(found(scan(many(longTextsMax), bounds)).longTexts?.length, 2 * longTextsMax);
    assert.equal(found(scan(many(longTextsMax + 1), bounds)).longTexts, undefined);
  });

  test('goes as deep as it can keep track of', () => {
    const deep = (depth: number) =>
      Buffer.from('[{"a":'.repeat(depth / 2) + '}]'.repeat(depth / 2).replace('}', '1}'));
    assert.equal(found(scan(deep(depthCap), bounds)).depth, depthCap);
    assert.equal(scan(deep(depthCap + 2), { ...bounds, depthMax: depthCap + 2 }), 'depth');
  });

  test('knows nothing of the scan before', () => {
    const bytes = Buffer.from('{"a":1}');
    const before = scan(bytes, bounds);
    for (const other of ['"abc', '[[[[', '{"a', '12e', '[1,2,3]', 'x']) {
      scan(Buffer.from(other), bounds);
      scan(Buffer.from(other), { valuesMax: 0, depthMax: 0 });
      assert.deepEqual(scan(bytes, bounds), before);
    }
  });
});

/** That the scan says of these bytes what JSON.parse does, and that what lies between the children is all that may. */
function agrees(bytes: Buffer): void {
  const text = bytes.toString();
  const result = scan(bytes, bounds);
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    assert.equal(result, 'syntax', text.slice(-300));
    return;
  }
  if (typeof result === 'string') assert.fail(`${result}: ${text.slice(-300)}`);
  const { kind, start, end, offsets, values, pairs, depth } = result;
  assert.deepEqual({ values, pairs, depth }, shapeOf(bytes.toString('latin1')));
  assert.equal(kind, kindOf(whole));
  // Keys of whole objects aren't looked at: V8 may mistake them, https://github.com/nodejs/node/issues/63785.
  const cuts = [start, ...offsets, end];
  const skeleton = cuts.slice(1).map((cut, at) => {
    const part = bytes.toString('utf8', cuts[at], cut);
    if (at % 2 === 0 && offsets.length > 0) return part.replace(/[ \t\r\n]/g, '');
    assert.doesNotMatch(part, /^[ \t\r\n]|[ \t\r\n]$/);
    const value: unknown = JSON.parse(part);
    return kind === 'object' && at % 4 === 1 ? typeof value : 'value';
  });
  assert.match(text.slice(0, text.indexOf(bytes.toString('utf8', start, end))), /^[ \t\r\n]*$/);
  assert.match(bytes.toString('utf8', end), /^[ \t\r\n]*$/);
  if (offsets.length > 0) assert.match(skeleton.join(' '), skeletons[kind] ?? /never/);
  else if (kind === 'object' || kind === 'array') assert.deepEqual(whole, kind === 'object' ? {} : []);
}

const skeletons: Readonly<Record<string, RegExp>> = {
  object: /^\{ string : value(?: , string : value)* \}$/,
  array: /^\[ value(?: , value)* \]$/,
};

function kindOf(value: unknown): ScanResult['kind'] {
  if (typeof value === 'string' || typeof value === 'number') return typeof value as 'string' | 'number';
  if (Array.isArray(value)) return 'array';
  return value === null || typeof value === 'boolean' ? 'word' : 'object';
}

/** The same, found so much further on. */
function moved(result: ScanResult | ScanFault, by: number): ScanResult | ScanFault {
  if (typeof result === 'string') return result;
  return {
    ...result,
    start: result.start + by,
    end: result.end + by,
    offsets: result.offsets.map((place) => place + by),
    longTexts: result.longTexts?.map((place) => place + by),
  };
}

/** Marks may be noted too often where a window ends; their own test has more. */
function withoutMarks(result: ScanResult | ScanFault): ScanResult | ScanFault {
  return typeof result === 'string' ? result : { ...result, textMarks: 0 };
}

function found(result: ScanResult | ScanFault): ScanResult {
  if (typeof result === 'string') assert.fail(result);
  return result;
}
