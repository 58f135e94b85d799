import { type ChatBlock, type ChatFormat, dataUrl, plainText, type Turn } from './chat.ts';

export const openaiResponses: ChatFormat = {
  name: 'openai-responses',
  title: 'Responses',
  path: () => '/v1/responses',
  body({ model, streamed, system, turns, tools, schema, maxTokens, temperature, topP, effort }) {
    const [only] = turns;
    const prompt = turns.length === 1 && only !== undefined ? plainText(only.content) : undefined;
    return {
      model,
      ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
      ...(streamed && { stream: true }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...(effort !== undefined && { reasoning: { effort } }),
      ...(schema !== undefined && { text: { format: { type: 'json_schema', name: 'answer', schema } } }),
      ...(tools.length > 0 && {
        tools: tools.map(({ name, description, input_schema: parameters }) => {
          return { type: 'function', name, description, parameters, strict: false };
        }),
      }),
      ...(system !== '' && { instructions: system }),
      input: prompt ?? turns.flatMap(itemsOf),
    };
  },
  read({ type, delta, item, response, message }, answer) {
    if (type === 'error') answer.error = message ?? 'the stream broke off';
    else if (type === 'response.failed') answer.error = response?.error?.message ?? 'the provider failed';
    else if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
      answer.add('text', delta);
    else if (type === 'response.reasoning_summary_text.delta' || type === 'response.reasoning_text.delta')
      answer.add('thinking', delta);
    else if (type === 'response.output_item.done' && item?.type === 'function_call')
      answer.call(item.call_id, { id: item.call_id, name: item.name, json: item.arguments });
    else if (type === 'response.completed' || type === 'response.incomplete')
      answer.stopReason = response?.incomplete_details?.reason ?? 'completed';
  },
};

/** Calls and results are items of their own. */
function itemsOf({ role, content }: Turn): readonly object[] {
  const items = content.flatMap((block): readonly object[] => {
    if (block.type === 'tool_use') {
      const { id, name, input } = block;
      return [{ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) }];
    }
    if (block.type !== 'tool_result') return [];
    return [{ type: 'function_call_output', call_id: block.tool_use_id, output: block.content }];
  });
  const parts = content.flatMap((block) => partOf(role, block));
  const message = parts.length === 0 ? [] : [{ role, content: plainText(content) ?? parts }];
  return role === 'assistant' ? [...message, ...items] : [...items, ...message];
}

function partOf(role: Turn['role'], block: ChatBlock): readonly object[] {
  if (block.type === 'text')
    return [{ type: role === 'user' ? 'input_text' : 'output_text', text: block.text }];
  return block.type === 'image' ? [{ type: 'input_image', image_url: dataUrl(block) }] : [];
}
