import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';

/** A provider's answer with this text, in the format that it was called in, streamed if that was asked for. */
export function answerInFormat(
  text: string,
  usage = { input: 10, output: 5 },
): (request: SeenRequest) => Script {
  return ({ url, json }) => {
    const model = String(json.model ?? 'model');
    if (url.includes('/messages')) return messagesAnswer(text, model, usage, json.stream === true);
    if (url.includes('/responses')) return responsesAnswer(text, model, usage, json.stream === true);
    return chatAnswer(text, model, usage, json.stream === true);
  };
}

interface Tokens {
  readonly input: number;
  readonly output: number;
}

function messagesAnswer(text: string, model: string, { input, output }: Tokens, streamed: boolean): Script {
  const message = {
    ...{
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      stop_sequence: null,
    },
    ...{ content: [{ type: 'text', text }], usage: { input_tokens: input, output_tokens: output } },
  };
  if (!streamed) return { body: message };
  return eventStream([
    ['message_start', { message: { ...message, content: [], stop_reason: null } }],
    ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { index: 0, delta: { type: 'text_delta', text } }],
    ['content_block_stop', { index: 0 }],
    [
      'message_delta',
      { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: output } },
    ],
    ['message_stop', {}],
  ]);
}

function chatAnswer(text: string, model: string, { input, output }: Tokens, streamed: boolean): Script {
  const common = { id: 'chatcmpl-1', created: 1, model };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  if (!streamed)
    return {
      body: {
        ...{ ...common, object: 'chat.completion', usage },
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      },
    };
  const chunk = (choices: readonly object[], more = {}) =>
    `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [
      chunk([{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage }),
      'data: [DONE]\n\n',
    ],
  };
}

function responsesAnswer(text: string, model: string, { input, output }: Tokens, streamed: boolean): Script {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content };
  const response = {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model, status: 'completed', output: [item] },
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  };
  if (!streamed) return { body: response };
  return eventStream([
    ['response.created', { response: { ...response, status: 'in_progress', output: [] } }],
    [
      'response.output_item.added',
      { output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    ],
    [
      'response.content_part.added',
      { item_id: 'msg_1', output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } },
    ],
    ['response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text }],
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response }],
  ]);
}

function eventStream(events: readonly (readonly [string, object])[]): Script {
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`),
  };
}
