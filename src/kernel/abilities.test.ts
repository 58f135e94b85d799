import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anthropicMessages, openaiChat } from '../wire/index.ts';
import { abilitiesNeededBy } from './abilities.ts';
import type { ChatRequest, MediaSource } from './message.ts';

const plain: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } } as const;

function needed(changes: Partial<ChatRequest>): readonly string[] {
  return [...abilitiesNeededBy({ ...plain, ...changes })].toSorted();
}

test('a plain request needs nothing that not every model has', () => {
  assert.deepEqual(needed({}), []);
  assert.deepEqual(needed({ thinking: { type: 'disabled' }, output_config: { effort: 'none' } }), []);
});

test('each part of a request needs its ability', () => {
  const tool = { name: 'look', input_schema: {} };
  assert.deepEqual(needed({ stream: true, stop_sequences: ['x'] }), ['stopSequences', 'streaming']);
  assert.deepEqual(needed({ tools: [tool], tool_choice: { type: 'any' } }), ['forcedTool', 'tools']);
  assert.deepEqual(needed({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }), ['serverTools']);
  assert.deepEqual(needed({ thinking: { type: 'adaptive' } }), ['reasoning']);
  assert.deepEqual(needed({ output_config: { effort: 'low' } }), ['reasoning']);
  assert.deepEqual(needed({ output_config: { format: { type: 'json_schema', schema: {} } } }), [
    'structuredOutput',
  ]);
  const uses = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'look', input: {} }) as const);
  const result = { type: 'tool_result', tool_use_id: 'a', content: [image] } as const;
  const messages = [
    { role: 'assistant', content: uses },
    { role: 'user', content: [result] },
  ] as const;
  assert.deepEqual(needed({ messages }), ['images', 'parallelTools', 'tools']);
  const pdf = { type: 'base64', media_type: 'application/pdf', data: '' } as const;
  const text = { type: 'text', media_type: 'text/plain', data: 'a' } as const;
  const document = (source: typeof pdf | typeof text) => [
    { role: 'user', content: [{ type: 'document', source }] } as const,
  ];
  assert.deepEqual(needed({ messages: document(pdf) }), ['documents']);
  assert.deepEqual(needed({ messages: document(text) }), []);
  const file = (source: MediaSource) =>
    needed({ messages: [{ role: 'user', content: [{ type: 'document', source }] }] });
  assert.deepEqual(file({ type: 'url', url: 'https://example.com/a.mp3?x=1' }), ['audio']);
  assert.deepEqual(file({ type: 'url', url: 'https://example.com/a.pdf?x=.mp3' }), ['documents']);
  assert.deepEqual(file({ type: 'base64', media_type: 'video/mp4', data: '' }), ['video']);
  const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
  assert.deepEqual(needed({ thinking, tools: [tool], tool_choice: { type: 'any' } }), [
    ...['forcedTool', 'forcedToolWithThinking', 'reasoning', 'tools'],
  ]);
});

test('fields of single formats are recognized', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const chat = openaiChat.decodeRequest({ model: 'm', messages, n: 2, logprobs: true, top_logprobs: 3 });
  assert.deepEqual([...abilitiesNeededBy(chat)].toSorted(), ['logProbabilities', 'severalAnswers']);
  const unused = openaiChat.decodeRequest({ model: 'm', messages, n: 1, logprobs: false });
  assert.deepEqual([...abilitiesNeededBy(unused)], []);
  const heard = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const audio = openaiChat.decodeRequest({ model: 'm', messages: [{ role: 'user', content: [heard] }] });
  assert.deepEqual([...abilitiesNeededBy(audio)], ['audio']);
  const film = { type: 'video_url', video_url: { url: 'https://example.com/a' } };
  const other = { messages: [{ role: 'user', content: [film] }], web_search_options: {} };
  const shown = openaiChat.decodeRequest({ model: 'm', ...other, thinking: { type: 'enabled' } });
  assert.deepEqual([...abilitiesNeededBy(shown)].toSorted(), ['reasoning', 'searchOptions', 'video']);
  assert.deepEqual([...abilitiesNeededBy(anthropicMessages.decodeRequest({ model: 'm', messages }))], []);
});
