import type { JsonObject } from '../../src/lib/json.ts';

/** One thing that a request can say, as each format says it. */
export interface Feature {
  readonly what: string;
  readonly in: Readonly<Record<Format, FeatureTurn>>;
  /** Models that can be told, where the usual one of a format can't. */
  readonly of?: Partial<Record<Format, string>>;
}

type Format = 'Messages' | 'Chat Completions' | 'Responses';

/** Fields of a body; or what the header lists when the format has no way to say it. */
type FeatureTurn = JsonObject | { readonly dropped: string };

const hello = { role: 'user', content: 'Hello' };
const png = 'iVBORw0KGgo=';
const pdf = 'JVBERi0xLjQ=';
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const schema = {
  type: 'object',
  properties: { level: { type: 'number' } },
  required: ['level'],
  additionalProperties: false,
};
const tool = {
  Messages: { name: 'weather', description: 'The weather', input_schema: parameters },
  'Chat Completions': {
    type: 'function',
    function: { name: 'weather', description: 'The weather', parameters },
  },
  Responses: { type: 'function', name: 'weather', description: 'The weather', parameters, strict: false },
};

/** The same conversation in two formats of messages and one of items. */
function turns(
  messages: readonly object[],
  chat: readonly object[],
  items: readonly object[],
): Feature['in'] {
  return { Messages: { messages }, 'Chat Completions': { messages: chat }, Responses: { input: items } };
}

/** The same fields beside one tool. */
function withTool(messages: object, chat: object, responses: object): Feature['in'] {
  return {
    Messages: { tools: [tool.Messages], ...messages },
    'Chat Completions': { tools: [tool['Chat Completions']], ...chat },
    Responses: { tools: [tool.Responses], ...responses },
  };
}

const call = { id: 'call_1', name: 'weather', city: 'Tokyo' };
const other = { id: 'call_2', name: 'weather', city: 'Oslo' };
const input = ({ city }: typeof call) => ({ city });
const use = (made: typeof call) => ({ type: 'tool_use', id: made.id, name: made.name, input: input(made) });
const functionCall = (made: typeof call) => ({
  id: made.id,
  type: 'function',
  function: { name: made.name, arguments: JSON.stringify(input(made)) },
});
const callItem = (made: typeof call) => ({
  type: 'function_call',
  call_id: made.id,
  name: made.name,
  arguments: JSON.stringify(input(made)),
});

export const features: readonly Feature[] = [
  {
    what: 'a system prompt',
    in: {
      Messages: { system: 'Be brief.', messages: [hello] },
      'Chat Completions': { messages: [{ role: 'system', content: 'Be brief.' }, hello] },
      Responses: { instructions: 'Be brief.' },
    },
  },
  {
    what: 'several turns',
    in: turns(
      [hello, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'And now?' }],
      [hello, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'And now?' }],
      [hello, { role: 'assistant', content: 'Hi' }, { role: 'user', content: 'And now?' }],
    ),
  },
  {
    what: 'pictures',
    in: turns(
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', image_url: `data:image/png;base64,${png}` },
            { type: 'input_image', image_url: 'https://a.example/b.png' },
          ],
        },
      ],
    ),
  },
  {
    what: 'a document',
    in: turns(
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Sum it up.' },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: pdf },
              title: 'a.pdf',
            },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Sum it up.' },
            { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Sum it up.' },
            { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
          ],
        },
      ],
    ),
  },
  { what: 'a tool', in: withTool({}, {}, {}) },
  {
    what: 'parallel calls with their results, one of which failed',
    in: withTool(
      {
        messages: [
          hello,
          { role: 'assistant', content: [use(call), use(other)] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_1', content: 'Rain' },
              { type: 'tool_result', tool_use_id: 'call_2', content: 'no such city', is_error: true },
            ],
          },
        ],
      },
      {
        messages: [
          hello,
          { role: 'assistant', content: null, tool_calls: [functionCall(call), functionCall(other)] },
          { role: 'tool', tool_call_id: 'call_1', content: 'Rain' },
          { role: 'tool', tool_call_id: 'call_2', content: '[tool error] no such city' },
        ],
      },
      {
        input: [
          hello,
          callItem(call),
          callItem(other),
          { type: 'function_call_output', call_id: 'call_1', output: 'Rain' },
          { type: 'function_call_output', call_id: 'call_2', output: '[tool error] no such city' },
        ],
      },
    ),
  },
  {
    what: 'that some tool must be called, and one at a time',
    in: withTool(
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { tool_choice: 'required', parallel_tool_calls: false },
      { tool_choice: 'required', parallel_tool_calls: false },
    ),
  },
  {
    what: 'which tool must be called',
    in: withTool(
      { tool_choice: { type: 'tool', name: 'weather' } },
      { tool_choice: { type: 'function', function: { name: 'weather' } } },
      { tool_choice: { type: 'function', name: 'weather' } },
    ),
  },
  {
    what: 'that no tool may be called',
    in: withTool({ tool_choice: { type: 'none' } }, { tool_choice: 'none' }, { tool_choice: 'none' }),
  },
  {
    what: 'how much to answer',
    in: {
      Messages: { max_tokens: 300 },
      'Chat Completions': { max_tokens: 300 },
      Responses: { max_output_tokens: 300 },
    },
  },
  {
    what: 'how freely to answer',
    in: {
      Messages: { temperature: 0.5 },
      'Chat Completions': { temperature: 0.5 },
      Responses: { dropped: 'temperature' },
    },
  },
  {
    what: 'from how much to choose',
    in: {
      Messages: { top_p: 0.9 },
      'Chat Completions': { top_p: 0.9 },
      Responses: { dropped: 'top_p' },
    },
  },
  {
    what: 'where to stop',
    in: {
      Messages: { stop_sequences: ['END', 'STOP'] },
      'Chat Completions': { stop: ['END', 'STOP'] },
      Responses: { dropped: 'stop_sequences' },
    },
  },
  {
    what: 'a schema for the answer',
    in: {
      Messages: { output_config: { format: { type: 'json_schema', schema } } },
      'Chat Completions': {
        response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } },
      },
      Responses: { text: { format: { type: 'json_schema', name: 'response', schema, strict: true } } },
    },
  },
  {
    what: 'how hard to think',
    of: { 'Chat Completions': 'lmstudio/gpt-oss-20b' },
    in: {
      Messages: { thinking: { type: 'enabled', budget_tokens: 2048 }, max_tokens: 4000 },
      'Chat Completions': { reasoning_effort: 'low', max_tokens: 4000 },
      Responses: { reasoning: { effort: 'low' }, max_output_tokens: 4000 },
    },
  },
  {
    what: 'whose call it is',
    in: {
      Messages: { metadata: { user_id: 'user-7' } },
      'Chat Completions': { user: 'user-7' },
      Responses: { user: 'user-7' },
    },
  },
  {
    what: 'what to keep in a cache',
    in: {
      Messages: {
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      },
      'Chat Completions': { dropped: 'cache_control' },
      Responses: { dropped: 'cache_control' },
    },
  },
];
