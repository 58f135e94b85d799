import type { Answer, Block } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { freeTextOf } from '../openai/free-text.ts';
import { isRefusal } from '../openai/refusal.ts';
import { annotationsOf } from './annotations.ts';
import { reasoningDetailsOf } from './reasoning.ts';
import { finishReasonOf } from './stop-reason.ts';
import { encodeUsage } from './usage.ts';

export function encodeCompletion(
  answer: Answer,
  { createdSeconds, freeText }: { readonly createdSeconds: number; readonly freeText: ReadonlySet<string> },
): JsonObject {
  return {
    id: answer.id,
    object: 'chat.completion',
    created: createdSeconds,
    model: answer.model,
    choices: [
      {
        index: 0,
        message: messageOf(answer, freeText),
        logprobs: null,
        finish_reason: finishReasonOf(answer.stop_reason, answer.content.some(isRefusal)),
      },
    ],
    usage: encodeUsage(answer.usage),
  };
}

function messageOf(
  { content, stop_reason, stop_details }: Answer,
  freeText: ReadonlySet<string>,
): JsonObject {
  const { text, refused } = textAndRefusalOf(content);
  const explained = stop_reason === 'refusal' ? (stop_details?.explanation ?? (text || null)) : null;
  const refusal = refused || explained;
  const thinking = content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
  const details = reasoningDetailsOf(content);
  const calls = content.flatMap((block) => toolCallsOf(block, freeText));
  const annotations = annotationsOf(content);
  return {
    role: 'assistant',
    content: text === '' || text === refusal ? null : text,
    refusal,
    ...(annotations.length > 0 && { annotations }),
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function textAndRefusalOf(content: readonly Block[]): { readonly text: string; readonly refused: string } {
  let text = '';
  let refused = '';
  for (const block of content)
    if (block.type === 'text') {
      if (isRefusal(block)) refused += block.text;
      else text += block.text;
    }
  return { text, refused };
}

function toolCallsOf(block: Block, freeText: ReadonlySet<string>): readonly JsonObject[] {
  if (block.type !== 'tool_use') return [];
  const { id, name, input } = block;
  if (freeText.has(name)) return [{ id, type: 'custom', custom: { name, input: freeTextOf(block) } }];
  return [
    {
      id,
      type: 'function',
      function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) },
    },
  ];
}
