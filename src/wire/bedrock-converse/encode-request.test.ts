import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Block, ChatRequest, Message, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { encodeRequest } from './encode-request.ts';

const nova = 'eu.amazon.nova-lite-v1:0';
const llama = 'us.meta.llama4-maverick-17b-instruct-v1:0';
const mistral = 'mistral.mistral-large-2407-v1:0';
const profile = 'arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3';
const hello: Message = { role: 'user', content: 'Hello' };

function written(request: Partial<ChatRequest>): { json: JsonObject; dropped: readonly string[] } {
  const { body, dropped } = encodeRequest({ model: nova, max_tokens: 9, messages: [hello], ...request });
  return { json: JSON.parse(Buffer.from(body).toString()), dropped };
}

describe('the schema of a tool', () => {
  const schemaOf = (model: string, input_schema: JsonObject) =>
    JSON.parse(JSON.stringify(written({ model, tools: [{ name: 'a', input_schema }] }).json.toolConfig))
      .tools[0].toolSpec.inputSchema.json;
  const $defs = {
    river: { type: 'object', properties: { name: { type: 'string' }, into: { $ref: '#/$defs/river' } } },
  };

  test('is one of an object, and says nothing of itself', () => {
    const properties = { b: { type: 'string' } };
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'x', properties };
    for (const model of [nova, llama, profile])
      assert.deepEqual(schemaOf(model, schema), { type: 'object', properties });
    const either = { oneOf: [{ required: ['b'] }, { required: ['c'] }] };
    assert.deepEqual(schemaOf(llama, either), { type: 'object', ...either });
  });

  test('is that of any object where the client sent null', () => {
    for (const model of [nova, llama]) assert.equal(schemaOf(model, JSON.parse('null')).type, 'object');
  });

  test('has for Nova nothing else at its top: what it refers to stands where it is referred to', () => {
    const schema = {
      type: 'object',
      title: 'Rivers',
      additionalProperties: false,
      properties: {
        one: { $ref: '#/$defs/river', description: 'Of them.' },
        other: { $ref: 'https://elsewhere' },
      },
      required: ['one'],
      $defs,
    };
    const river = { type: 'object', properties: { name: { type: 'string' }, into: {} } };
    assert.deepEqual(schemaOf(nova, schema), {
      type: 'object',
      properties: { one: { ...river, description: 'Of them.' }, other: {} },
      required: ['one'],
    });
    assert.deepEqual(schemaOf(profile, schema), schema);
  });

  test('that doubles with each reference is not written out', () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { type: 'object', properties: { a: next, b: next } }];
      }),
    );
    const json = schemaOf(nova, {
      type: 'object',
      properties: { a: { $ref: '#/$defs/d0' } },
      $defs: doubling,
    });
    assert.ok(JSON.stringify(json).length < 1_000_000);
  });
});

describe('which tool is called', () => {
  const choose = (model: string, tool_choice: ToolChoice) => {
    const { json, dropped } = written({ model, tools: [{ name: 'a', input_schema: {} }], tool_choice });
    return [JSON.parse(JSON.stringify(json.toolConfig)).toolChoice, dropped];
  };

  test('is left out where the model may choose, since some models reject it', () => {
    for (const model of [nova, llama]) assert.deepEqual(choose(model, { type: 'auto' }), [undefined, []]);
  });

  test('is sent to models that accept it', () => {
    assert.deepEqual(choose(nova, { type: 'tool', name: 'a' }), [{ tool: { name: 'a' } }, []]);
    assert.deepEqual(choose(mistral, { type: 'any' }), [{ any: {} }, []]);
    assert.deepEqual(choose(mistral, { type: 'tool', name: 'a' }), [{ any: {} }, []]);
    assert.deepEqual(choose(llama, { type: 'any' }), [undefined, ['tool_choice']]);
  });
});

test('what is said beside results is in a turn of its own nowhere, and in the last result where turns may not be mixed', () => {
  const called: Block = { type: 'tool_use', id: 'c_1', name: 'a', input: {} };
  const result: Block = { type: 'tool_result', tool_use_id: 'c_1', content: 'low' };
  const messages: Message[] = [
    hello,
    { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, called] },
    { role: 'user', content: [{ type: 'text', text: 'Mind:' }, result, { type: 'text', text: 'And?' }] },
  ];
  const turnOf = (model: string) =>
    JSON.parse(JSON.stringify(written({ model, messages }).json.messages)).map(
      ({ content }: JsonObject) => content,
    );
  const toolUse = { toolUseId: 'c_1', name: 'a', input: {} };
  assert.deepEqual(turnOf(nova).slice(1), [
    [{ text: 'Looking.' }, { toolUse }],
    [{ text: 'Mind:' }, { toolResult: { toolUseId: 'c_1', content: [{ text: 'low' }] } }, { text: 'And?' }],
  ]);
  assert.deepEqual(turnOf(llama).slice(2), [
    [{ toolResult: { toolUseId: 'c_1', content: [{ text: 'low' }, { text: 'Mind:' }, { text: 'And?' }] } }],
  ]);
});

test('a conversation begins with a turn of the user: with the instructions, if it has no messages', () => {
  const called: Message = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'c_1', name: 'a', input: {} }],
  };
  const returned: Message = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c_1', content: 'low' }],
  };
  const firstOf = (request: Partial<ChatRequest>) => {
    const { messages, system } = JSON.parse(JSON.stringify(written(request).json));
    return [messages[0], messages.length, system];
  };
  const instructed = { role: 'user', content: [{ text: 'Look.' }] };
  const unsaid = { role: 'user', content: [{ text: '(empty)' }] };
  assert.deepEqual(firstOf({ system: 'Look.', messages: [] }), [instructed, 1, undefined]);
  assert.deepEqual(firstOf({ system: 'Look.', messages: [called, returned] }), [instructed, 3, undefined]);
  assert.deepEqual(firstOf({ messages: [called, returned] }), [unsaid, 3, undefined]);
  assert.deepEqual(firstOf({ messages: [{ role: 'user', content: '' }] }), [unsaid, 1, undefined]);
});

test('pictures in a result go to who can see them there, else beside what it says', () => {
  const source = { type: 'base64' as const, media_type: 'image/png', data: 'cA==' };
  const messages: Message[] = [
    hello,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c_1', name: 'a', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c_1', content: [{ type: 'image', source }] }],
    },
  ];
  const image = { format: 'png', source: { bytes: 'cA==' } };
  const last = (model: string) =>
    JSON.parse(JSON.stringify(written({ model, messages }).json.messages))[2].content;
  assert.deepEqual(last(nova), [{ toolResult: { toolUseId: 'c_1', content: [{ image }] } }]);
  assert.deepEqual(last('qwen.qwen3-vl-235b-a22b'), [
    { toolResult: { toolUseId: 'c_1', content: [{ text: '(image)' }] } },
    { image },
  ]);
});

test('a mark lives for an hour where that is asked of a model that may be Claude', () => {
  const system: ChatRequest['system'] = [
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ];
  const markIn = (model: string) => JSON.parse(JSON.stringify(written({ model, system }).json.system))[1];
  assert.deepEqual(markIn(profile), { cachePoint: { type: 'default', ttl: '1h' } });
  assert.deepEqual(markIn(nova), { cachePoint: { type: 'default' } });
});

describe('the names of documents', () => {
  const source = { type: 'text' as const, media_type: 'text/plain' as const, data: 'x' };
  const namesOf = (titles: readonly string[]) => {
    const content: Block[] = titles.map((title) => ({ type: 'document', title, source }));
    const [turn] = JSON.parse(
      JSON.stringify(written({ messages: [{ role: 'user', content }] }).json.messages),
    );
    return turn.content
      .flatMap(({ document }: JsonObject) => (document ? [document] : []))
      .map(({ name }: JsonObject) => name);
  };

  test('have the accepted characters, single spaces, and are unique', () => {
    const long = `${'a'.repeat(179)} b`;
    assert.deepEqual(namesOf(['Ä. b\t c', 'b c', 'b c 2', 'b c', '…', long, long]), [
      'b c',
      'b c 2',
      'b c 2 2',
      'b c 3',
      'document',
      'a'.repeat(179),
      `${'a'.repeat(179)} 2`,
    ]);
  });

  test('of thirty thousand documents are found in no time', () => {
    const startedAt = process.cpuUsage();
    const names = namesOf(Array.from({ length: 30_000 }, () => 'same'));
    assert.equal(new Set(names).size, 30_000);
    assert.ok(process.cpuUsage(startedAt).user < 5_000_000);
  });
});
