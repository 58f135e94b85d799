import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Script, SeenRequest } from '../src/testing/fake-upstream.ts';
import { objectsOf } from '../src/wire/json-values.ts';
import { eventually } from './support/eventually.ts';
import { asksStream, dialectAt, providerDialects } from './support/provider-dialects.ts';
import { startGatewayOfFile } from './support/scripted-gateway.ts';

const { fake, weir } = await startGatewayOfFile();
beforeEach(() => {
  fake.answerWith(model);
});

const headers = { 'x-weir-pipeline': 'mcp-optimizer?holdout=0&learn=off' };
const anthropic = new Anthropic({ baseURL: weir.url, apiKey: 'any', maxRetries: 0, defaultHeaders: headers });
const openai = new OpenAI({
  baseURL: `${weir.url}/v1`,
  apiKey: 'any',
  maxRetries: 0,
  defaultHeaders: headers,
});

const parameters = { type: 'object' as const, properties: { id: { type: 'string' } }, required: ['id'] };
const longer = 'It takes an id and answers with a record of all that is known. '.repeat(2);
const tools = Object.entries({
  crm__create_invoice: 'Writes an invoice for a customer.',
  crm__list_customers: 'Lists the customers of the company.',
  travel__book_flight: 'Books a flight between two airports.',
  travel__book_hotel: 'Books a room in a hotel.',
  home__set_thermostat: 'Sets the temperature of a room.',
  home__lock_door: 'Locks a door of the house.',
  music__play_song: 'Plays a song on the speakers.',
  music__make_playlist: 'Makes a playlist of songs.',
  news__headlines: 'Tells the headlines of today.',
  math__integrate: 'Integrates a function of one variable.',
  chess__best_move: 'Finds the best move in a game of chess.',
  bio__fold_protein: 'Predicts how a protein folds.',
  law__find_ruling: 'Finds rulings of courts.',
  art__paint_portrait: 'Paints a portrait of a person.',
}).map(([name, description]) => ({ name, description: `${description} ${longer}` }));
const messagesTools = tools.map((tool) => ({ ...tool, input_schema: parameters }));
const chatTools = tools.map((tool) => ({ type: 'function' as const, function: { ...tool, parameters } }));

/** A model that searches for what isn't there, and calls what it found. */
function model(request: SeenRequest): Script {
  const { opening, text, call, closing, whole } = dialectAt(request.url);
  const said = request.bytes.toString('utf8');
  const streamed = asksStream(request);
  const using = (use: { id: string; name: string }, json: string): Script =>
    streamed
      ? { chunks: [opening, call(use, json), closing('called')] }
      : { body: whole('', { ...use, json }) };
  if (said.includes('quietly') && !said.includes('call_find'))
    return using({ id: 'call_find', name: 'find_tools' }, '{"query":"make a playlist of songs"}');
  if (said.includes('quietly') && !said.includes('call_list'))
    return using(
      { id: 'call_list', name: 'call_tool' },
      '{"name":"music__make_playlist","arguments":{"id":"7"}}',
    );
  return streamed ? { chunks: [opening, text('Done.'), closing('said')] } : { body: whole('Done.') };
}

const namesIn = ({ json }: SeenRequest) =>
  objectsOf(json.tools)
    .flatMap((tool) => objectsOf(tool.functionDeclarations ?? [tool]))
    .map((tool) => String(tool.name ?? Object(tool.function).name));

let number = 0;
const question = () => `Book a flight from Berlin to Lisbon for person ${++number}`;

/** The first turn of a conversation for which vectors were there in time, which a busy machine can't promise. */
function chosenFor<Said>(say: (asked: { role: 'user'; content: string }) => Promise<Said>, manner = '') {
  return eventually(async () => {
    fake.requests.length = 0;
    const asked = { role: 'user' as const, content: `${question()}${manner}` };
    const first = await say(asked);
    return isChosenFrom(fake.requests[0] ?? assert.fail()) ? { asked, first } : undefined;
  });
}

function isChosenFrom(request: SeenRequest): boolean {
  const isDeferred = objectsOf(request.json.tools).some((tool) => tool.defer_loading === true);
  return isDeferred || namesIn(request).includes('find_tools');
}

test('a list that nobody has seen goes as it is, and later ones are chosen from', async () => {
  const asked = async () => {
    fake.requests.length = 0;
    const messages = [{ role: 'user' as const, content: question() }];
    await anthropic.messages.create({
      model: 'claude-sonnet-4-0',
      max_tokens: 100,
      tools: messagesTools,
      messages,
    });
    return namesIn(fake.requests[0] ?? assert.fail('nothing was asked'));
  };
  assert.equal((await asked()).length, tools.length);
  const names = await eventually(async () => {
    const now = await asked();
    return now.length < tools.length ? now : undefined;
  });
  assert.ok(names.includes('travel__book_flight'), names.join(' '));
  assert.deepEqual(names.slice(-2), ['find_tools', 'call_tool']);
});

for (const { name, model: provider } of providerDialects)
  for (const stream of [true, false])
    test(`with a provider of ${name}, ${stream ? 'streamed' : 'unstreamed'}, clients call what was left out`, async () => {
      const body = { model: provider, max_tokens: 100, tools: messagesTools };
      const ours = {
        headers: { 'x-weir-pipeline': 'mcp-optimizer?way_back=find_tools&holdout=0&learn=off' },
      };
      const say = (messages: Anthropic.MessageParam[]) =>
        stream
          ? anthropic.messages.stream({ ...body, messages }, ours).finalMessage()
          : anthropic.messages.create({ ...body, messages }, ours);
      const { asked, first } = await chosenFor((asked) => say([asked]), ', quietly');
      const [used] = first.content.filter((block) => block.type === 'tool_use');
      assert.deepEqual([used?.name, used?.input], ['music__make_playlist', { id: '7' }]);
      assert.equal(first.stop_reason, 'tool_use');
      const offered = namesIn(fake.requests[0] ?? assert.fail());
      assert.ok(
        !offered.includes('music__make_playlist') && offered.includes('find_tools'),
        offered.join(' '),
      );
      assert.match(fake.requests[1]?.bytes.toString('utf8') ?? '', /music__make_playlist/);
      const result = { type: 'tool_result' as const, tool_use_id: used?.id ?? '', content: 'made' };
      const second = await say([
        asked,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [result] },
      ]);
      assert.equal(second.content[0]?.type === 'text' && second.content[0].text, 'Done.');
      const last = fake.requests.at(-1) ?? assert.fail();
      assert.deepEqual(namesIn(last), offered);
      assert.match(last.bytes.toString('utf8'), /call_tool/);
    });

test('a tool that was found and called is sent with similar requests from then on', async () => {
  const body = { model: 'claude-sonnet-4-0', max_tokens: 100, tools: messagesTools };
  const say = (...messages: Anthropic.MessageParam[]) =>
    anthropic.messages.create(
      { ...body, messages },
      { headers: { 'x-weir-pipeline': 'mcp-optimizer?holdout=0' } },
    );
  const { asked, first } = await chosenFor((asked) => say(asked), ', quietly');
  const [used] = first.content.filter((block) => block.type === 'tool_use');
  const result = { type: 'tool_result' as const, tool_use_id: used?.id ?? '', content: 'made' };
  await say(asked, { role: 'assistant', content: first.content }, { role: 'user', content: [result] });
  await eventually(async () => {
    await chosenFor((asked) => say(asked));
    return namesIn(fake.requests[0] ?? assert.fail()).includes('music__make_playlist') || undefined;
  });
});

test('the SDK of Chat Completions gets the real call, too', async () => {
  const { first } = await chosenFor(async (asked) => {
    const stream = await openai.chat.completions.create({
      model: 'gpt-4.1-mini',
      stream: true,
      tools: chatTools,
      messages: [asked],
    });
    let calls = '';
    for await (const chunk of stream)
      for (const { function: called } of chunk.choices[0]?.delta.tool_calls ?? [])
        calls += `${called?.name ?? ''}${called?.arguments ?? ''}`;
    return calls;
  }, ', quietly');
  assert.equal(first, 'music__make_playlist{"id":"7"}');
});

/** What Anthropic's models say when they look for a tool by themselves. */
const searching = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', input: { query: 'playlist' } },
  {
    type: 'tool_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'music__make_playlist' }],
    },
  },
  { type: 'tool_use', id: 'toolu_1', name: 'music__make_playlist', input: { id: '7' } },
];

function searcher(request: SeenRequest): Script {
  if (request.url.includes('/chat/')) return model(request);
  const said = request.bytes.toString('utf8').includes('toolu_1');
  return messaging(request, said ? [{ type: 'text', text: 'Done.' }] : searching);
}

interface Typed {
  readonly type: string;
  readonly [field: string]: unknown;
}

function messaging(request: SeenRequest, content: readonly Typed[]): Script {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const stop_reason = content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    stop_sequence: null,
  };
  if (request.json.stream !== true) return { body: { ...message, content, stop_reason, usage } };
  const frame = (fields: { type: string }) => `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`;
  const event = (type: string, fields: object) => frame({ type, ...fields });
  return {
    chunks: [
      event('message_start', { message: { ...message, content: [], stop_reason: null, usage } }),
      ...content.flatMap((content_block, index) => [
        event('content_block_start', { index, content_block }),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage }),
      event('message_stop', {}),
    ],
  };
}

for (const stream of [true, false])
  test(`a provider that searches by itself gets all tools, and its search is unseen, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
    fake.answerWith(searcher);
    const marked = messagesTools.map((tool, at) =>
      at === tools.length - 1 ? { ...tool, cache_control: { type: 'ephemeral' as const } } : tool,
    );
    const say = (messages: Anthropic.MessageParam[], over: { model?: string } = {}) => {
      const body = { model: 'claude-sonnet-5-5', max_tokens: 100, tools: marked, messages, ...over };
      return stream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body);
    };
    const { asked, first } = await chosenFor((asked) => say([asked]), ', quietly');
    assert.deepEqual(
      first.content.map(({ type }) => type),
      ['tool_use'],
    );
    const sent = objectsOf(fake.requests[0]?.json.tools);
    const deferred = sent.filter((tool) => tool.defer_loading === true);
    assert.equal(sent.length, tools.length + 1);
    assert.ok(deferred.length > 5 && deferred.every((tool) => tool.cache_control === undefined));
    assert.equal(sent.filter((tool) => tool.cache_control !== undefined).length, 1);
    assert.ok(sent.some((tool) => tool.type === 'tool_search_tool_bm25_20251119'));
    const turns: Anthropic.MessageParam[] = [
      asked,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'made' }] },
    ];
    await say(turns);
    const second = fake.requests.at(-1) ?? assert.fail();
    assert.deepEqual(second.json.tools, fake.requests[0]?.json.tools);
    assert.deepEqual(objectsOf(second.json.messages)[1]?.content, searching);
    // The same asked again of a model that doesn't search has our tools for that.
    await say([asked], { model: 'claude-sonnet-4-0' });
    assert.ok(namesIn(fake.requests.at(-1) ?? assert.fail()).includes('find_tools'));
    // Another provider can't read what this one said to itself.
    await say(turns, { model: 'lmstudio/any' });
    const other = fake.requests.at(-1)?.bytes.toString('utf8') ?? '';
    assert.match(other, /find_tools/);
    assert.doesNotMatch(other, /tool_search|defer_loading/);
  });

/** What OpenAI's models say when they look for a tool by themselves. */
const responsesTools = tools.map((tool) => ({
  type: 'function' as const,
  ...tool,
  parameters,
  strict: null,
}));
const found = responsesTools.find(({ name }) => name === 'music__make_playlist') ?? assert.fail();
const webTool = { type: 'web_search' as const };
function webSearch(id: string) {
  return { type: 'web_search_call', id, status: 'completed', action: { type: 'search', query: 'songs' } };
}
const search = { call_id: null, execution: 'server', status: 'completed' };
const searchItems = [
  { type: 'tool_search_call', id: 'tsc_1', ...search, arguments: { paths: ['music__make_playlist'] } },
  { type: 'tool_search_output', id: 'tso_1', ...search, tools: [found] },
  webSearch('ws_1'),
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'music__make_playlist',
    // A function that was deferred by itself comes back in a namespace of its own name.
    namespace: 'music__make_playlist',
    arguments: '{"id":"7"}',
    status: 'completed',
  },
];

function responsesSearcher(request: SeenRequest): Script {
  const said = request.bytes.toString('utf8').includes('function_call_output');
  return responding(request, said ? [saying('Done.')] : searchItems);
}

function saying(text: string, annotations: readonly object[] = []) {
  const content = [{ type: 'output_text', text, annotations }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
}

function responding(request: SeenRequest, output: readonly Typed[]): Script {
  const usage = {
    ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  };
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.4', output, usage };
  const completed = { ...response, status: 'completed' };
  if (request.json.stream !== true) return { body: completed };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: completed },
  ];
  return {
    chunks: events.map(
      (event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
    ),
  };
}

/** Items of an answer as their SDK lets clients send them. */
function sentBack(output: readonly OpenAI.Responses.ResponseOutputItem[]) {
  return output.flatMap((item) =>
    item.type === 'additional_tools' || item.type === 'computer_call_output' ? [] : [item],
  );
}

for (const stream of [true, false])
  test(`OpenAI’s search in Responses gets all tools, and is unseen, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
    fake.answerWith(responsesSearcher);
    const say = (input: OpenAI.Responses.ResponseInput, options = {}) => {
      const body = { model: 'gpt-5.4', tools: [...responsesTools, webTool], input, store: false };
      return stream
        ? openai.responses.stream(body, options).finalResponse()
        : openai.responses.create(body, options);
    };
    const { asked, first } = await chosenFor((asked) => say([asked]), ', quietly');
    assert.deepEqual(
      first.output.map(({ type }) => type),
      ['web_search_call', 'function_call'],
    );
    const sent = objectsOf(fake.requests[0]?.json.tools);
    const deferred = sent.filter((tool) => tool.defer_loading === true);
    assert.equal(sent.length, tools.length + 2);
    assert.ok(['tool_search', 'web_search'].every((kind) => sent.some(({ type }) => type === kind)));
    // But for that they are as they came: whether they are strict is not said.
    assert.ok(deferred.length > 5 && deferred.every(({ strict }) => strict === null));
    const result = { type: 'function_call_output' as const, call_id: 'call_1', output: 'made' };
    const calls = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    await say([asked, ...sentBack(first.output), result]);
    const second = fake.requests.at(-1) ?? assert.fail();
    assert.deepEqual(second.json.tools, fake.requests[0]?.json.tools);
    assert.deepEqual(
      objectsOf(second.json.input).map(({ type = 'message' }) => type),
      ['message', ...searchItems.map(({ type }) => type), 'function_call_output'],
    );
    assert.deepEqual(objectsOf(second.json.input).slice(1, 4), searchItems.slice(0, 3));
    const { name, namespace } = calls[0] ?? {};
    assert.deepEqual([name, namespace], ['music__make_playlist', undefined]);
    assert.equal(objectsOf(second.json.input)[4]?.namespace, 'music__make_playlist');
    // Off by an option, and in a format that has no such search.
    const off = { headers: { 'x-weir-pipeline': 'mcp-optimizer?way_back=find_tools&holdout=0&learn=off' } };
    await chosenFor((asked) => say([asked], off));
    assert.ok(namesIn(fake.requests.at(-1) ?? assert.fail()).includes('find_tools'));
    fake.answerWith(model);
    await chosenFor((asked) =>
      openai.chat.completions.create({ model: 'gpt-5.4', tools: chatTools, messages: [asked] }),
    );
    assert.ok(namesIn(fake.requests.at(-1) ?? assert.fail()).includes('find_tools'));
  });

/** A model that searches the web as its provider lets it, and finds and calls a tool of the client's in between. */
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'secret' };
const cited = { type: 'url_citation', start_index: 3, end_index: 4, url: 'https://a.example', title: 'A' };
const functionCall = (call_id: string, name: string, input: object) => ({
  ...{ type: 'function_call', id: `fc_${call_id}`, call_id, name },
  ...{ arguments: JSON.stringify(input), status: 'completed' },
});
const rounds = [
  [
    thought,
    webSearch('ws_1'),
    saying('I look.'),
    functionCall('call_find', 'find_tools', { query: 'playlist' }),
  ],
  [
    webSearch('ws_2'),
    saying('As A says.', [cited]),
    functionCall('call_list', 'call_tool', { name: 'music__make_playlist', arguments: { id: '7' } }),
  ],
];

for (const stream of [true, false])
  test(`what OpenAI’s models do on the provider’s side comes through beside our tools, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
    fake.answerWith((request) => {
      const results = objectsOf(request.json.input).filter(({ type }) => type === 'function_call_output');
      return responding(request, rounds[results.length] ?? [saying('Done.')]);
    });
    const say = (input: OpenAI.Responses.ResponseInput) => {
      const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content'];
      const body = { model: 'gpt-5', tools: [...responsesTools, webTool], input, store: false, include };
      return stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);
    };
    const { asked, first } = await chosenFor((asked) => say([asked]));
    assert.deepEqual(
      first.output.map(({ type }) => type),
      ['reasoning', 'web_search_call', 'message', 'web_search_call', 'message', 'function_call'],
    );
    assert.partialDeepStrictEqual(first.output[0], { id: 'rs_1', encrypted_content: 'secret' });
    assert.deepEqual([first.output[1], first.output[3]], [webSearch('ws_1'), webSearch('ws_2')]);
    // Behind the pause between two rounds the cited words stand elsewhere.
    const moved = { ...cited, start_index: 5, end_index: 6 };
    assert.partialDeepStrictEqual(first.output[4], {
      content: [{ text: '\n\nAs A says.', annotations: [moved] }],
    });
    assert.partialDeepStrictEqual(first.output[5], { name: 'music__make_playlist', arguments: '{"id":"7"}' });
    const result = { type: 'function_call_output' as const, call_id: 'call_list', output: 'made' };
    await say([asked, ...sentBack(first.output), result]);
    const [one, two, three] = fake.requests.map(({ json }) => json);
    assert.deepEqual([two?.tools, three?.tools], [one?.tools, one?.tools]);
    assert.ok(objectsOf(one?.tools).some(({ type }) => type === 'web_search'));
    const sent = objectsOf(three?.input);
    assert.deepEqual(sent.slice(0, 6), objectsOf(two?.input));
    assert.deepEqual(
      sent.slice(1).map(({ type, id, name = '' }) => `${type} ${id ?? name}`),
      [
        ...['reasoning rs_1', 'web_search_call ws_1', 'message ', 'function_call find_tools'],
        ...['function_call_output ', 'web_search_call ws_2', 'message ', 'function_call call_tool'],
        'function_call_output ',
      ],
    );
  });

const webResult = { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'x' };
const pageSearch = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'songs' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [webResult] },
];
const location = {
  ...{ type: 'web_search_result_location', url: 'https://a.example', title: 'A' },
  ...{ cited_text: 'A', encrypted_index: 'y' },
};
const turns = [
  [...pageSearch, { type: 'tool_use', id: 'toolu_find', name: 'find_tools', input: { query: 'playlist' } }],
  [
    { type: 'text', text: 'As A says.', citations: [location] },
    {
      ...{ type: 'tool_use', id: 'toolu_list', name: 'call_tool' },
      input: { name: 'music__make_playlist', arguments: { id: '7' } },
    },
  ],
];

for (const stream of [true, false])
  test(`what Anthropic’s models do on the provider’s side comes through beside our tools, ${stream ? 'streamed' : 'unstreamed'}`, async () => {
    fake.answerWith((request) => {
      const results = request.bytes.toString('utf8').split('"tool_result"').length - 1;
      return messaging(request, turns[results] ?? [{ type: 'text', text: 'Done.' }]);
    });
    const web = { type: 'web_search_20250305' as const, name: 'web_search' as const };
    const say = (messages: Anthropic.MessageParam[]) => {
      const body = { model: 'claude-sonnet-4-0', max_tokens: 100, tools: [...messagesTools, web], messages };
      return stream ? anthropic.messages.stream(body).finalMessage() : anthropic.messages.create(body);
    };
    const { asked, first } = await chosenFor((asked) => say([asked]));
    assert.partialDeepStrictEqual(first.content.slice(0, 3), [...pageSearch, turns[1]?.[0]]);
    assert.partialDeepStrictEqual(first.content[3], { name: 'music__make_playlist', input: { id: '7' } });
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_list', content: 'made' };
    await say([asked, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }]);
    const [one, two, three] = fake.requests.map(({ json }) => json);
    assert.deepEqual([two?.tools, three?.tools], [one?.tools, one?.tools]);
    const sent = objectsOf(three?.messages);
    assert.deepEqual(sent.slice(0, 3), objectsOf(two?.messages));
    assert.deepEqual([sent[1]?.content, sent[3]?.content], turns);
  });
