import type { Answer, ChatRequest } from '../../../src/kernel/message.ts';
import { dataFrames, namedFrames } from './replay.ts';

/** Small replies written by us, each with the features of one kind of traffic. */
const usage = {
  input_tokens: 12,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 30,
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
  output_tokens: 1,
};

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-8',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
};

function delta(index: number, fields: Readonly<Record<string, unknown>>) {
  return { type: 'content_block_delta', index, delta: fields };
}

/** Signed thinking, text in several scripts with a citation, two tools of which one has no arguments. */
export const messagesStream = namedFrames(
  { type: 'message_start', message },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'ping' },
  delta(0, { type: 'thinking_delta', thinking: 'Hmm … ' }),
  delta(0, { type: 'thinking_delta', thinking: 'weather.' }),
  delta(0, { type: 'signature_delta', signature: 'c2lnbmVk' }),
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  delta(1, { type: 'text_delta', text: 'Grüße 🌊 ' }),
  delta(1, { type: 'text_delta', text: 'aus 東京' }),
  delta(1, {
    type: 'citations_delta',
    citation: { type: 'web_search_result_location', url: 'https://a.example', title: 'A' },
  }),
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
  },
  delta(2, { type: 'input_json_delta', partial_json: '' }),
  delta(2, { type: 'input_json_delta', partial_json: '{"city":"To' }),
  delta(2, { type: 'input_json_delta', partial_json: 'kyo","id":12345678901234567890}' }),
  { type: 'content_block_stop', index: 2 },
  {
    type: 'content_block_start',
    index: 3,
    content_block: { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
  },
  delta(3, { type: 'input_json_delta', partial_json: '' }),
  { type: 'content_block_stop', index: 3 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 40 },
  },
  { type: 'message_delta', delta: {}, usage: { output_tokens: 44, cache_read_input_tokens: 0 } },
  { type: 'message_stop' },
);

export const messagesAnswer: Answer = {
  id: 'msg_2',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-8',
  content: [
    { type: 'thinking', thinking: 'Hmm.', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'b3BhcXVl' },
    { type: 'text', text: 'Grüße 🌊' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Tokyo' } },
    { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: {
    input_tokens: 12,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 30,
    output_tokens: 44,
  },
};

function chunk(part: Readonly<Record<string, unknown>>, finish: string | null = null) {
  const choices = [{ index: 0, delta: part, logprobs: null, finish_reason: finish }];
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-5',
    choices,
    usage: null,
  };
}

function call(index: number, fields: Readonly<Record<string, unknown>>) {
  return chunk({ tool_calls: [{ index, ...fields }] });
}

const chatUsage = {
  prompt_tokens: 142,
  completion_tokens: 44,
  total_tokens: 186,
  prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 9 },
};

/** Reasoning, text, two calls with alternating fragments, one with arguments before its id; usage after the stop. */
export const chatStream = dataFrames(
  chunk({ role: 'assistant', content: '', refusal: null }),
  chunk({ reasoning_content: 'Hmm … ' }),
  chunk({ reasoning_content: 'weather.' }),
  chunk({ content: 'Grüße 🌊 ' }),
  chunk({ content: 'aus 東京' }),
  call(0, { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }),
  call(1, { function: { arguments: '{"zone":' } }),
  call(0, { function: { arguments: '{"city":"To' } }),
  call(1, { id: 'call_b', type: 'function', function: { name: 'now', arguments: '"JST"' } }),
  call(0, { function: { arguments: 'kyo","id":12345678901234567890}' } }),
  call(1, { function: { arguments: '}' } }),
  chunk({}, 'tool_calls'),
  {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-5',
    choices: [],
    usage: chatUsage,
  },
  '[DONE]',
);

export const chatCompletion = {
  id: 'chatcmpl-2',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Grüße 🌊',
        refusal: null,
        reasoning_content: 'Hmm.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Tokyo"}' } },
          { id: 'call_b', type: 'function', function: { name: 'now', arguments: '' } },
        ],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: chatUsage,
};

const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5',
  status: 'in_progress',
  output: [],
  usage: null,
};
const summaryAt = { item_id: 'rs_1', output_index: 0 };
const textAt = { item_id: 'msg_1', output_index: 1, content_index: 0 };
const callAt = { item_id: 'fc_1', output_index: 2 };
const textDelta = (text: string) => ({ type: 'response.output_text.delta', ...textAt, delta: text });
const summaryDelta = (summary_index: number, text: string) => ({
  type: 'response.reasoning_summary_text.delta',
  ...summaryAt,
  summary_index,
  delta: text,
});

/** Reasoning in two parts with its encrypted half, text, a fragmented call and a free-text call. */
export const responsesStream = namedFrames(
  { type: 'response.created', response },
  { type: 'response.in_progress', response },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { id: 'rs_1', type: 'reasoning', summary: [] },
  },
  { type: 'response.reasoning_summary_part.added', ...summaryAt, summary_index: 0 },
  summaryDelta(0, 'Hmm …'),
  { type: 'response.reasoning_summary_part.added', ...summaryAt, summary_index: 1 },
  summaryDelta(1, 'weather.'),
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'secret' },
  },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { id: 'msg_1', type: 'message', content: [] },
  },
  textDelta('Grüße 🌊 '),
  textDelta('aus 東京'),
  { type: 'response.output_text.done', ...textAt, text: 'Grüße 🌊 aus 東京' },
  { type: 'response.content_part.done', ...textAt },
  { type: 'response.output_item.done', output_index: 1, item: { id: 'msg_1', type: 'message' } },
  {
    type: 'response.output_item.added',
    output_index: 2,
    item: { id: 'fc_1', type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '' },
  },
  { type: 'response.function_call_arguments.delta', ...callAt, delta: '{"city":' },
  { type: 'response.function_call_arguments.delta', ...callAt, delta: '"Tokyo"}' },
  { type: 'response.function_call_arguments.done', ...callAt, arguments: '{"city":"Tokyo"}' },
  {
    type: 'response.output_item.done',
    output_index: 2,
    item: {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_a',
      name: 'weather',
      arguments: '{"city":"Tokyo"}',
    },
  },
  {
    type: 'response.output_item.added',
    output_index: 3,
    item: { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_b', name: 'patch', input: '' },
  },
  {
    type: 'response.output_item.done',
    output_index: 3,
    item: { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_b', name: 'patch', input: '*** Begin' },
  },
  {
    type: 'response.completed',
    response: {
      ...response,
      status: 'completed',
      usage: {
        input_tokens: 142,
        input_tokens_details: { cached_tokens: 100 },
        output_tokens: 44,
        output_tokens_details: { reasoning_tokens: 9 },
        total_tokens: 186,
      },
    },
  },
);

function geminiChunk(parts: readonly object[], usage: object, ending: object = {}) {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...ending, index: 0 }],
    usageMetadata: { promptTokenCount: 142, cachedContentTokenCount: 100, ...usage },
    modelVersion: 'gemini-3-flash-preview',
    responseId: 'gemini-1',
  };
}

/** Thoughts, partly signed text in several scripts, two calls of which the first is signed and has no id. */
export const geminiStream = dataFrames(
  geminiChunk([{ text: 'Hmm … ', thought: true }], { thoughtsTokenCount: 4 }),
  geminiChunk([{ text: 'weather.', thought: true }], { thoughtsTokenCount: 9 }),
  geminiChunk([{ text: 'Grüße 🌊 ', thoughtSignature: 'dGV4dA==' }], { candidatesTokenCount: 5 }),
  geminiChunk([{ text: 'aus 東京' }], { candidatesTokenCount: 9, thoughtsTokenCount: 9 }),
  JSON.stringify(
    geminiChunk(
      [
        {
          functionCall: { name: 'weather', args: { city: 'Tokyo', id: 'DIGITS' } },
          thoughtSignature: 'Y2FsbA==',
        },
        { functionCall: { id: 'call_b', name: 'now', args: {} } },
      ],
      { candidatesTokenCount: 35, thoughtsTokenCount: 9, totalTokenCount: 186 },
    ),
  ).replace('"DIGITS"', '12345678901234567890'),
  geminiChunk(
    [{ text: '' }],
    { candidatesTokenCount: 35, thoughtsTokenCount: 9, totalTokenCount: 186 },
    { finishReason: 'STOP', finishMessage: 'Model generated function call(s).' },
  ),
);

const interaction = { id: 'v1_1', object: 'interaction', model: 'gemini-omni-1.1-flash' };

/** Thoughts with a signature, text in two pieces with a source, two calls, and usage in detail. */
export const interactionsStream = stepFrames(
  ['interaction.created', { interaction: { ...interaction, status: 'in_progress' } }],
  ['interaction.status_update', { interaction_id: 'v1_1', status: 'in_progress' }],
  ['step.start', { index: 0, step: { type: 'thought' } }],
  ...['Hmm … ', 'weather.'].map((text) => thoughtDelta({ content: { type: 'text', text } })),
  ['step.delta', { index: 0, delta: { type: 'thought_signature', signature: 'c2lnbmF0dXJl' } }],
  ['step.stop', { index: 0 }],
  ['step.start', { index: 1, step: { type: 'model_output', content: [{ type: 'text', text: 'Grüße ' }] } }],
  ['step.delta', { index: 1, delta: { type: 'text', text: '🌊 aus 東京' } }],
  [
    'step.delta',
    {
      index: 1,
      delta: {
        type: 'text_annotation_delta',
        annotations: [
          { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 5 },
        ],
      },
    },
  ],
  ['step.stop', { index: 1 }],
  ['step.start', { index: 2, step: { type: 'function_call', id: 'call_a', name: 'weather', arguments: {} } }],
  ...['{"city":"To', 'kyo","id":12345678901234567890}'].map((json) => argumentsDelta(json)),
  ['step.stop', { index: 2 }],
  ['step.start', { index: 3, step: { type: 'function_call', id: 'call_b', name: 'now', arguments: {} } }],
  ['step.stop', { index: 3 }],
  [
    'interaction.completed',
    {
      interaction: {
        ...interaction,
        status: 'requires_action',
        usage: {
          total_input_tokens: 142,
          total_cached_tokens: 100,
          total_output_tokens: 35,
          total_thought_tokens: 9,
          total_tokens: 186,
        },
      },
    },
  ],
);

function thoughtDelta(fields: object): readonly [string, object] {
  return ['step.delta', { index: 0, delta: { type: 'thought_summary', ...fields } }];
}

function argumentsDelta(json: string): readonly [string, object] {
  return ['step.delta', { index: 2, delta: { type: 'arguments_delta', arguments: json } }];
}

function stepFrames(...events: readonly (readonly [string, object])[]): Buffer {
  const frames = events.map(
    ([event_type, fields]) => `event: ${event_type}\ndata: ${JSON.stringify({ ...fields, event_type })}\n\n`,
  );
  return Buffer.from(`${frames.join('')}event: done\ndata: [DONE]\n\n`);
}

/** A conversation with everything that has to survive a translation. */
export const conversation: ChatRequest = {
  model: 'some-model',
  system: 'Be brief.',
  max_tokens: 500,
  stream: true,
  temperature: 0.5,
  top_p: 0.9,
  stop_sequences: ['END'],
  metadata: { user_id: 'user-7' },
  tools: [
    {
      name: 'weather',
      description: 'The weather in a city.',
      input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    { name: 'now', input_schema: { type: 'object', properties: {} } },
  ],
  tool_choice: { type: 'any', disable_parallel_tool_use: true },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this, and the weather there?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
        { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
          title: 'a.pdf',
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Tokyo' } },
        { type: 'tool_use', id: 'call_b', name: 'now', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_a', content: 'Rain' },
        { type: 'tool_result', tool_use_id: 'call_b', content: 'no clock', is_error: true },
        { type: 'text', text: 'Well?' },
      ],
    },
    { role: 'assistant', content: 'It rains.' },
    { role: 'system', content: 'Answer in Japanese.' },
    { role: 'user', content: 'And tomorrow?' },
  ],
};
