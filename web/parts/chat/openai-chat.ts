import { type ChatBlock, type ChatFormat, callsOf, dataUrl, plainText, type Turn, textOf } from './chat.ts';

export const openaiChat: ChatFormat = {
  name: 'openai-chat',
  title: 'Chat Completions',
  path: () => '/v1/chat/completions',
  body({ model, streamed, system, turns, tools, schema, maxTokens, temperature, topP, effort }) {
    return {
      model,
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
      ...(streamed && { stream: true }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(effort !== undefined && { reasoning_effort: effort }),
      ...(schema !== undefined && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      }),
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, input_schema: parameters }) => {
          return { type: 'function', function: { name, description, parameters } };
        }),
      }),
      messages: [
        ...(system === '' ? [] : [{ role: 'system', content: system }]),
        ...turns.flatMap(messagesOf),
      ],
    };
  },
  read({ error, choices }, answer) {
    if (error != null) answer.error = error.message ?? 'the stream broke off';
    const { delta, finish_reason: reason } = choices?.[0] ?? {};
    answer.add('thinking', delta?.reasoning_content ?? delta?.reasoning);
    answer.add('text', delta?.content);
    for (const { index, id, function: called } of delta?.tool_calls ?? [])
      answer.call(index, { id: id ?? undefined, name: called?.name ?? undefined, json: called?.arguments });
    answer.stopReason = reason ?? answer.stopReason;
  },
};

/** Results of tools are messages of their own. */
function messagesOf({ role, content }: Turn): readonly object[] {
  if (role === 'assistant') {
    const calls = callsOf(content).map(({ id, name, input }) => {
      return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    });
    const text = textOf(content);
    return [{ role, content: text === '' ? null : text, ...(calls.length > 0 && { tool_calls: calls }) }];
  }
  const results = content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ role: 'tool', tool_call_id: block.tool_use_id, content: block.content }]
      : [],
  );
  const parts = content.flatMap(partOf);
  return [...results, ...(parts.length === 0 ? [] : [{ role, content: plainText(content) ?? parts }])];
}

function partOf(block: ChatBlock): readonly object[] {
  if (block.type === 'text') return [block];
  return block.type === 'image' ? [{ type: 'image_url', image_url: { url: dataUrl(block) } }] : [];
}
