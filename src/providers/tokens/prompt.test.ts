import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChatRequest } from '../../kernel/message.ts';
import { limits } from '../limits.ts';
import { buildPrompt } from './prompt.ts';
import { type PromptTemplate, templateFor } from './prompt-template.ts';

const template: PromptTemplate = {
  models: /^/,
  scale: 2,
  base: 1000,
  message: 10,
  call: 1,
  tools: { as: 'json', base: 100_000, scale: 3 },
  readsSchema: true,
};
const media = { models: /^/, picture: ({ width }: { width: number }) => width, page: 5000 };
const asked: ChatRequest = { model: 'a-model', messages: [{ role: 'user', content: 'Hello' }] };

describe('what a model reads', () => {
  test('system, messages, tools and the schema of the answer', () => {
    const schema = { type: 'object' };
    const { textGroups, fixedTokens } = buildPrompt(
      {
        ...asked,
        system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
        tools: [{ name: 'level', input_schema: {}, cache_control: { type: 'ephemeral' } }],
        output_config: { format: { type: 'json_schema', schema } },
      },
      template,
      media,
    );
    assert.deepEqual(textGroups, [
      { texts: ['Be brief', 'Hello'], scale: 2 },
      { texts: ['{"name":"level","input_schema":{}}'], scale: 3 },
      { texts: ['{"type":"object"}'], scale: 1 },
    ]);
    assert.equal(fixedTokens, 1000 + 2 * 10 + 100_000);
  });

  test('a call and its result, each result as a message of its own', () => {
    const { textGroups, fixedTokens } = buildPrompt(
      {
        ...asked,
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'Two calls', signature: 'secret' },
              { type: 'tool_use', id: '1', name: 'level', input: { river: 'Isar' } },
              { type: 'tool_use', id: '2', name: 'level', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: '1', content: '1.2 m' },
              { type: 'tool_result', tool_use_id: '2', content: [{ type: 'text', text: 'none' }] },
            ],
          },
        ],
      },
      template,
      media,
    );
    assert.deepEqual(textGroups[0]?.texts, ['level', '{"river":"Isar"}', 'level', '{}', '1.2 m', 'none']);
    assert.equal(fixedTokens, 1000 + 3 * 10 + 2);
  });

  test('a picture counts by its size, also in a result; a text document is its text, another its pages', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const;
    const png = Buffer.alloc(40);
    png.write('\x89PNG\r\n', 'latin1');
    png.writeUInt32BE(640, 16);
    png.writeUInt32BE(480, 20);
    const data = png.toString('base64');
    const screenshot = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
    const text = Buffer.from('Water').toString('base64');
    const { textGroups, fixedTokens } = buildPrompt(
      {
        ...asked,
        messages: [
          {
            role: 'user',
            content: [
              image,
              { type: 'tool_result', tool_use_id: '1', content: [screenshot] },
              { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Stone' } },
              { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: text } },
              { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: text } },
            ],
          },
        ],
      },
      template,
      media,
    );
    assert.deepEqual(textGroups[0]?.texts, ['Stone', 'Water']);
    assert.equal(fixedTokens, 1000 + 2 * 10 + 768 + 640 + 5000);
  });

  test('what the model thought in earlier turns is not read again, what it thought in this one is', () => {
    const thought = (thinking: string) =>
      ({ role: 'assistant', content: [{ type: 'thinking', thinking }] }) as const;
    const messages = [
      thought('Long ago'),
      { role: 'user', content: 'And now?' } as const,
      thought('Just now'),
    ];
    assert.deepEqual(buildPrompt({ ...asked, messages }, template, media).textGroups[0]?.texts, [
      'And now?',
      'Just now',
    ]);
  });

  test('of tools without number a sample is laid out', () => {
    const tools = Array.from({ length: 10 * limits.countedToolsMax }, (_, at) => ({ name: `tool${at}` }));
    const [, weightedTexts] = buildPrompt({ ...asked, tools }, template, media).textGroups;
    assert.equal(weightedTexts?.texts.length, limits.countedToolsMax);
    assert.equal(weightedTexts?.scale, 30);
  });
});

describe('how it is laid out', () => {
  const baseOf = (model: string, wire = 'openai-chat') => templateFor(model, wire).base;

  test('goes by the family, whoever serves it', () => {
    assert.equal(baseOf('openai/gpt-oss-120b'), baseOf('accounts/fireworks/models/gpt-oss-120b'));
    assert.equal(baseOf('meta-llama/Llama-3.3-70B-Instruct-Turbo'), baseOf('llama-3.3-70b-versatile'));
    assert.notEqual(baseOf('gpt-4o'), baseOf('gpt-oss-20b'));
    assert.notEqual(baseOf('mistral-small-latest'), baseOf('ministral-8b'));
  });

  test('and by the API, where that makes a difference', () => {
    const tools = (wire: string) => templateFor('gpt-5-mini', wire).tools.base;
    assert.ok(tools('openai-chat') > tools('openai-responses'));
  });

  test('an unknown family has a layout, too', () => {
    assert.ok(baseOf('something-new') > 0);
  });
});
