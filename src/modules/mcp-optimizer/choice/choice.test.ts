import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertCpuBelow } from '../../../../test/support/cpu-time.ts';
import type { Tool } from '../../../module-api.ts';
import { validateArguments } from '../validate-arguments.ts';
import { splitClauses } from './clauses.ts';
import { concatenateVectors, dotProducts } from './dot-products.ts';
import { isGeneralPurpose } from './general-purpose.ts';
import { isInformative } from './informative-text.ts';
import { prepareTool } from './prepared-tool.ts';
import { requestTexts } from './request-texts.ts';
import { searchTools, selectTools } from './select-tools.ts';
import { isSmallTalk } from './small-talk.ts';
import { ToolList } from './tool-list.ts';
import { serverOf, toolText } from './tool-text.ts';
import { splitIntoWords, termsOf } from './words.ts';

test('names are read as words', () => {
  assert.equal(splitIntoWords('getPullRequest'), 'get Pull Request');
  assert.equal(splitIntoWords('listHTTPHeaders'), 'list HTTP Headers');
  assert.equal(splitIntoWords('fs.read-file_v2'), 'fs read file v2');
  assert.deepEqual(termsOf('Searching the searches, searched'), ['search', 'search', 'search']);
});

test('a tool is a text with its name, what it does and what it takes', () => {
  const properties = Object.fromEntries(
    [...'abcdefghij'].map((letter) => [`the${letter.toUpperCase()}`, {}]),
  );
  const text = toolText({
    name: 'mcp__github__createIssue',
    description: 'Opens\n an issue.',
    input_schema: { type: 'object', properties },
  });
  assert.equal(
    text,
    'github create Issue: Opens an issue. (the A, the B, the C, the D, the E, the F, the G, the H)',
  );
  assert.equal(serverOf('mcp__github__create_issue'), 'github');
  assert.equal(serverOf('github__create_issue'), 'github');
  assert.equal(serverOf('flight_book__2'), undefined);
  assert.equal(serverOf('Bash'), undefined);
});

test('a longer request has clauses, a short one is one', () => {
  assert.deepEqual(splitClauses('Book me a flight, then find a hotel nearby and tell me the weather.'), [
    'Book me a flight',
    'find a hotel nearby',
    'tell me the weather.',
  ]);
  assert.deepEqual(splitClauses('What is the weather?'), []);
});

test('what the user said last counts most, then earlier turns; output of tools and reminders of agents don’t', () => {
  const texts = requestTexts({
    messages: [
      { role: 'user', content: 'Plan my trip.' },
      { role: 'assistant', content: [{ type: 'text', text: 'First the flights.' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ten thousand lines' }] },
      {
        role: 'user',
        content: [{ type: 'text', text: '<system-reminder>be kind</system-reminder>Now the hotel.' }],
      },
    ],
  });
  assert.deepEqual(
    texts.map(({ text, weight }) => [text, weight]),
    [
      ['Now the hotel.', 1],
      ['Plan my trip.', 0.9],
      ['First the flights.', 0.9],
    ],
  );
});

test('texts that open what they never close, and tools that say too much, take no time', async () => {
  const opened = '<system-reminder>'.repeat(50_000);
  await assertCpuBelow(2000, () => {
    const texts = requestTexts({ messages: [{ role: 'user', content: `${opened}Now the hotel.` }] });
    assert.ok(texts[0]?.text.endsWith('Now the hotel.'));
  });
  const tool = { name: 'big', description: 'word '.repeat(1_000_000), input_schema: { type: 'object' } };
  const { text, terms: termCounts } = prepareTool(tool, '');
  assert.ok(text.length < 3000 && termCounts.length < 1000);
});

test('a description that is no text is none', () => {
  const odd: Tool = JSON.parse('{"name":"odd","description":null,"input_schema":null}');
  assert.equal(toolText(odd), 'odd: ');
});

test('who says nothing, or says it in another language, tells nothing', () => {
  for (const text of [
    'hi',
    'please continue',
    'fix it',
    'do the next step then',
    '请帮我查询天气',
    'Ζέστη σήμερα;',
    'Tìm chuyến xe cho tôi từ Hà Nội',
    'Welche Rechnungen sind noch offen?',
    'Supprime le fichier config.json',
  ])
    assert.ok(!isInformative(text), text);
  for (const text of [
    'weather in Lisbon',
    'create an invoice',
    'list open pull requests',
    'Find a pet store near Los Angeles, CA',
    'What is 12 * 7?',
    'Translate שלום עולם into English',
    'play me something by Käärijä and Måneskin',
  ])
    assert.ok(isInformative(text), text);
});

test('who only greets or thanks has asked for nothing; who asks what one can do has', () => {
  for (const text of [
    'hi',
    'Hello!!',
    'Good morning, how are you today?',
    'ok thanks',
    'Who are you?',
    'hey, what’s up',
  ])
    assert.ok(isSmallTalk(text), text);
  for (const text of [
    '',
    'help',
    'ok',
    'What can you do?',
    'hi, the build is red',
    'thanks, now the next one',
    'どうも',
  ])
    assert.ok(!isSmallTalk(text), text);
});

describe('choosing', () => {
  const size = 8;
  /** A tool that lies this close to the request, which lies along the first axis. */
  const near = (name: string, cosine: number, description = ''): { tool: Tool; vector: Float32Array } => {
    const vector = new Float32Array(size);
    vector[0] = cosine;
    vector[1] = Math.sqrt(1 - cosine ** 2);
    return { tool: { name, description }, vector };
  };
  const axis = new Float32Array(size);
  axis[0] = 1;
  const request = [{ text: 'qqq wwww', weight: 1, vector: axis }];
  const strangers = Array.from({ length: 40 }, (_, at) => near(`far${at}`, 0.01));
  const listOf = (...some: readonly ReturnType<typeof near>[]) => {
    const all = [...some, ...strangers];
    return new ToolList(
      all.map(({ tool }) => prepareTool(tool, JSON.stringify(tool))),
      all.map(({ vector }) => vector),
    );
  };
  const keptOf = (list: ToolList, always: readonly number[] = []) =>
    [...selectTools(list, request, always).selected].map((at) => list.tools[at]?.name ?? '');

  test('keeps what fits, whatever its number', () => {
    const many = Array.from({ length: 20 }, (_, at) => near(`near${at}`, 0.4));
    assert.equal(keptOf(listOf(...many)).filter((name) => name.startsWith('near')).length, 20);
    assert.ok(keptOf(listOf(near('one', 0.6))).length < 10);
  });

  test('a tool that is needed raises the others of its family', () => {
    const kept = keptOf(listOf(near('s__a', 0.9), near('s__b', 0.14), near('t__c', 0.14)));
    assert.ok(kept.includes('s__b'));
    const tasks = keptOf(listOf(near('TaskCreate', 0.9), near('TaskUpdate', 0.1), near('NoteUpdate', 0.1)));
    assert.deepEqual([tasks.includes('TaskUpdate'), tasks.includes('NoteUpdate')], [true, false]);
    const alone = listOf(near('s__a', 0.9), ...Array.from({ length: 8 }, (_, at) => near(`o${at}__b`, 0.14)));
    assert.ok(!keptOf(alone).includes('o7__b'));
  });

  test('what a kept tool names comes along, and what that one names', () => {
    const list = listOf(
      near('first', 0.6, 'After use_second.'),
      near('use_second', 0, 'Before use_third.'),
      near('use_third', 0),
    );
    assert.ok(keptOf(list).includes('use_third'));
  });

  test('tools for anything stay whatever the request is, unless most of the tools are', () => {
    const general = [
      near('bash', 0, 'Executes a given command in a shell.'),
      near('web_search', 0, 'Finds pages.'),
      near('handover', 0, 'Transfers the chat to a human agent.'),
    ];
    const kept = keptOf(listOf(near('one', 0.6), ...general));
    for (const { tool } of general) assert.ok(kept.includes(tool.name), tool.name);
    const scripts = Array.from({ length: 40 }, (_, at) =>
      near(`job${at}`, 0, `Runs the script of job ${at}.`),
    );
    assert.ok(keptOf(listOf(near('one', 0.6), ...scripts)).length < 20);
    for (const description of ['Runs a marathon.', 'Searches for books in the library.', 'Lists commands.'])
      assert.ok(!isGeneralPurpose({ name: 'other', description }), description);
  });

  test('who names a file or a page gets the tools that open it', () => {
    const list = listOf(
      near('one', 0.6),
      near('read_file', 0, 'Returns the contents.'),
      near('fetch', 0, 'Fetches a URL.'),
    );
    const keptFor = (text: string) =>
      [
        ...selectTools(list, [{ text, weight: 1, vector: request[0]?.vector ?? new Float32Array(size) }])
          .selected,
      ]
        .map((at) => list.tools[at]?.name)
        .filter((name) => name === 'read_file' || name === 'fetch');
    assert.deepEqual(keptFor('Check the sums in ~/books/sums.txt'), ['read_file']);
    assert.deepEqual(keptFor('What does https://example.org/terms promise?'), ['fetch']);
    assert.deepEqual(keptFor('Which colour and/or shape is best?'), []);
  });

  test('a search brings the siblings of what it finds first', () => {
    const list = listOf(near('s__other', 0), near('t__near', 0.5), near('s__best', 0.9));
    const among = new Set(list.tools.keys());
    const found = searchTools(list, request, { among, first: 1 }).map((at) => list.tools[at]?.name);
    assert.deepEqual(found.slice(0, 3), ['s__best', 's__other', 't__near']);
    assert.equal(found.length, list.tools.length);
  });

  test('what is always wanted stays, and what is left out can be found', () => {
    const list = listOf(near('one', 0.6));
    const kept = selectTools(list, request, [40]).selected;
    assert.ok(kept.has(40));
    const left = new Set([...list.tools.keys()].filter((at) => !kept.has(at)));
    const [first = 0] = searchTools(list, [{ text: 'far38', weight: 1, vector: new Float32Array(size) }], {
      among: left,
      first: 1,
    });
    assert.equal(list.tools[first]?.name, 'far38');
  });
});

test('dot products are right for vectors of any size', () => {
  const vector = (size: number, seed: number) =>
    Float32Array.from({ length: size }, (_, at) => Math.sin(at * 7 + seed));
  for (const [count, size] of [
    [1, 8],
    [700, 384],
    [3, 12],
    [70, 4096],
  ] as const) {
    const rows = Array.from({ length: count }, (_, at) => vector(size, at));
    const ones = [vector(4096, 1).subarray(0, size), new Float32Array(), vector(size, 2)];
    // The longest vector first: what it leaves behind must not count.
    dotProducts(vector(4096, 5), [vector(4096, 5)]);
    const found = dotProducts(concatenateVectors(rows), ones);
    assert.deepEqual(
      found.map(({ length }) => length),
      [count, 0, count],
    );
    for (const [at, products] of found.entries())
      for (const [row, product] of products.entries()) {
        const expected = rows[row]?.reduce((sum, value, place) => sum + value * (ones[at]?.[place] ?? 0), 0);
        assert.ok(Math.abs(product - (expected ?? 99)) < 0.01);
      }
  }
});

test('arguments are checked as far as there is no doubt', () => {
  const schema = {
    type: 'object',
    properties: {
      count: { type: 'integer' },
      kind: { enum: ['a', 'b'] },
      list: { type: 'array', items: { type: 'string' } },
      odd: { type: 'dict' },
    },
    required: ['count'],
    additionalProperties: false,
  };
  assert.deepEqual(validateArguments({ count: 1, kind: 'a', list: ['x'], odd: 5 }, schema), []);
  assert.deepEqual(validateArguments({ kind: 'c', list: [1], more: true }, schema), [
    'arguments.count is missing',
    'arguments.kind must be one of ["a","b"]',
    'arguments.list[0] must be string',
    'there is no arguments.more',
  ]);
  assert.deepEqual(validateArguments([], schema), ['arguments must be object']);
  const linked = {
    $defs: {
      tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, size: { type: 'integer' } } },
    },
    properties: {
      tree: { $ref: '#/$defs/tree' },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      kind: { const: 'tree' },
      old: { type: 'string', nullable: true },
      elsewhere: { $ref: 'https://example.com/schema' },
      round: { $ref: '#/properties/round' },
    },
  };
  assert.deepEqual(
    validateArguments(
      { tree: { next: { size: 1 } }, either: null, kind: 'tree', old: null, elsewhere: 1, round: 1 },
      linked,
    ),
    [],
  );
  assert.deepEqual(validateArguments({ tree: { next: { size: 'x' } }, either: 5, kind: 'bush' }, linked), [
    'arguments.tree.next.size must be integer',
    'arguments.either fits none of 2 ways to write it',
    'arguments.kind must be one of ["tree"]',
  ]);
  const many = { type: 'array', items: { enum: Array.from({ length: 1000 }, (_, at) => `value ${at}`) } };
  const faults = validateArguments(
    Array.from({ length: 200_000 }, () => 'none'),
    many,
  );
  assert.ok(faults.length <= 5 && faults.join('').length < 5000);
  const nested = { anyOf: [{ $ref: '#' }, { $ref: '#' }] };
  assert.deepEqual(validateArguments({}, nested), []);
  assert.deepEqual(validateArguments({}, undefined), []);
});
