import { type ChatFormat, plainText } from './chat.ts';

export const anthropicMessages: ChatFormat = {
  name: 'anthropic-messages',
  title: 'Messages',
  path: () => '/v1/messages',
  body({ model, streamed, system, turns, tools, schema, maxTokens = 1024, temperature, topP, effort }) {
    const format = schema === undefined ? undefined : { type: 'json_schema', schema };
    return {
      model,
      max_tokens: maxTokens,
      ...(streamed && { stream: true }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { top_p: topP }),
      ...((effort !== undefined || format !== undefined) && {
        output_config: { ...(effort !== undefined && { effort }), ...(format !== undefined && { format }) },
      }),
      ...(system !== '' && { system }),
      ...(tools.length > 0 && { tools }),
      messages: turns.map(({ role, content }) => ({
        role,
        // A thought without its signature would be rejected.
        content:
          plainText(content) ?? content.filter((block) => block.type !== 'thinking' || block.signature),
      })),
    };
  },
  read(frame, answer) {
    const { type, index, content_block: block, delta } = frame;
    if (type === 'error') answer.error = frame.error?.message ?? 'the stream broke off';
    else if (type === 'content_block_start' && block?.type === 'tool_use')
      answer.call(index, { id: block.id, name: block.name });
    else if (type === 'content_block_delta') {
      answer.add('text', delta?.text);
      answer.add('thinking', delta?.thinking);
      if (delta?.type === 'signature_delta') answer.sign(delta.signature);
      if (delta?.type === 'input_json_delta') answer.call(index, { json: delta.partial_json });
    } else if (type === 'message_delta') answer.stopReason = delta?.stop_reason ?? answer.stopReason;
  },
};
