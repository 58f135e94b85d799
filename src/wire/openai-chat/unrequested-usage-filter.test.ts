import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { includeUsageOption, wantsUsage } from './include-usage.ts';
import { UnrequestedUsageFilter } from './unrequested-usage-filter.ts';

/** What is left of a stream that is cut at these places. */
function left(stream: string, cuts: readonly number[] = []): string {
  const bytes = Buffer.from(stream);
  const filter = new UnrequestedUsageFilter();
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    const piece = filter.push(bytes.subarray(from, cut));
    if (piece !== undefined) pieces.push(piece);
    from = cut;
  }
  pieces.push(filter.end() ?? new Uint8Array(0));
  return Buffer.concat(pieces).toString('utf8');
}

/** Left whole, cut in two at every byte, and byte by byte. */
function leftEverywhere(stream: string): string {
  const whole = left(stream);
  const everyByte = Array.from(Buffer.from(stream), (_, at) => at);
  for (const cuts of [everyByte, ...everyByte.map((at) => [at])]) assert.equal(left(stream, cuts), whole);
  return whole;
}

const usageJson =
  '{"prompt_tokens":9,"completion_tokens":2,"completion_tokens_details":{"reasoning_tokens":0}}';
const head = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-5"';

function chunk(delta: string, after = ''): string {
  return `data: {${head},"choices":[{"index":0,"delta":${delta},"finish_reason":null}]${after}}\n\n`;
}

describe('a stream that was asked for its usage', () => {
  test('is what it would be unasked, however it is cut', () => {
    const deltas = [
      '{"role":"assistant","content":""}',
      '{"content":"Grüße 水"}',
      '{"content":"\\"usage\\":null"}',
    ];
    const asked = deltas.map((delta) => chunk(delta, ',"usage":null')).join('');
    const usage = `data: {${head},"choices":[],"usage":${usageJson}}\n\n`;
    const unasked = deltas.map((delta) => chunk(delta)).join('');
    assert.equal(leftEverywhere(`${asked}${usage}data: [DONE]\n\n`), `${unasked}data: [DONE]\n\n`);
  });

  const places: Readonly<Record<string, readonly [asked: string, unasked: string]>> = {
    'before other fields': [
      'data: {"usage":null,"id":"1","choices":[]}\n\n',
      'data: {"id":"1","choices":[]}\n\n',
    ],
    'between other fields': [
      'data: {"choices":[],"usage":null,"obfuscation":"a}\\"]b"}\n\n',
      'data: {"choices":[],"obfuscation":"a}\\"]b"}\n\n',
    ],
    'with spaces': [
      'data: {"id": "1", "usage" : null, "choices": []}\n\n',
      'data: {"id": "1", "choices": []}\n\n',
    ],
    'as the only field': ['data: {"usage":null}\n\n', 'data: {}\n\n'],
    'in lines that end in CRLF': [
      'data: {"id":"1","usage":null}\r\n\r\ndata: [DONE]\r\n\r\n',
      'data: {"id":"1"}\r\n\r\ndata: [DONE]\r\n\r\n',
    ],
    'in a last line without its end': ['data: {"id":"1","usage":null}', 'data: {"id":"1"}'],
  };
  for (const [place, [asked, unasked]] of Object.entries(places))
    test(`loses a null ${place}`, () => assert.equal(leftEverywhere(asked), unasked));

  const frames: Readonly<Record<string, string>> = {
    'with spaces': `data: {"choices" : [ ], "usage" : ${usageJson}}\n\n`,
    'with its usage first': `data:{"usage":${usageJson},"choices":[]}\n\n`,
    'with other lines in its frame': `id: 7\nevent: x\ndata: {"choices":[],"usage":${usageJson}}\nretry: 5\n\n`,
    'with lines that end in CRLF': `id: 7\r\ndata: {"choices":[],"usage":${usageJson}}\r\n\r\n`,
    'with usage in two places': `data: {"x_groq":{"usage":${usageJson}},"choices":[],"usage":${usageJson}}\n\n`,
  };
  for (const [how, frame] of Object.entries(frames))
    test(`loses the chunk that has nothing else, ${how}`, () => {
      const before = ': ping\n\ndata: {"choices":[{"delta":{}}]}\n\n';
      assert.equal(leftEverywhere(`${before}${frame}data: [DONE]\n\n`), `${before}data: [DONE]\n\n`);
      assert.equal(left(frame), '');
    });

  const kept: Readonly<Record<string, string>> = {
    'usage beside content': `data: {"choices":[{"delta":{"content":"a"}}],"usage":${usageJson}}\n\n`,
    'usage that belongs to something else': `data: {"choices":[{"usage":null}],"x_groq":{"usage":null,"id":"1"}}\n\n`,
    'usage of something else without choices': `data: {"choices":[],"x_groq":{"usage":${usageJson}}}\n\n`,
    'text that is spelled alike':
      'data: {"choices":[{"delta":{"content":"usage"}}],"a":"\\"usage\\":null"}\n\n',
    'a name that ends alike': 'data: {"copilot_usage":null,"choices":[],"\\"usage":null}\n\n',
    'an error': `data: {"error":{"message":"no \\"usage\\"","usage":null}}\n\n`,
    'what is no JSON': 'data: "choices":[] "usage":{\n\n: "usage":{ \n\n',
  };
  for (const [what, stream] of Object.entries(kept))
    test(`keeps ${what}`, () => assert.equal(leftEverywhere(stream), stream));

  test('is passed on without being copied where there is nothing to take out', () => {
    const bytes = Buffer.from(chunk('{"content":"a"}'));
    assert.equal(new UnrequestedUsageFilter().push(bytes), bytes);
  });
});

describe('the question', () => {
  const withOptions = (options: unknown) => new Map([['stream_options', options]]);

  test('is asked beside what else the client wants of its stream', () => {
    assert.deepEqual(includeUsageOption.optInFields(new Map()), { stream_options: { include_usage: true } });
    assert.deepEqual(includeUsageOption.optInFields(withOptions(null)), {
      stream_options: { include_usage: true },
    });
    assert.deepEqual(
      includeUsageOption.optInFields(withOptions({ include_obfuscation: false, include_usage: false })),
      { stream_options: { include_obfuscation: false, include_usage: true } },
    );
  });

  test('is not asked twice, nor in place of something that is no options', () => {
    assert.equal(includeUsageOption.optInFields(withOptions({ include_usage: true })), undefined);
    assert.equal(includeUsageOption.optInFields(withOptions('all')), undefined);
    assert.equal(wantsUsage(withOptions({ include_usage: 'true' })), false);
  });
});

test('a frame with usage in two places is removed whole', () => {
  const kept = 'data: {"choices":[{"delta":{}}]}\n\n';
  const frames = [
    'data: {"usage":null}\ndata: {"usage":{"a":1},"choices":[]}\n\n',
    'data: {"choices":[],"usage":null,"usage":{"a":1}}\n\n',
  ];
  for (const frame of frames) assert.equal(leftEverywhere(kept + frame + kept), kept + kept);
});
