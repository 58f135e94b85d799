import type { Answer, Block } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { DecodedReply, ReplySummary } from '../json-reply-decoder.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { failureOf, stopReasonOf } from './stop-reason.ts';
import { usageOf } from './usage.ts';

/** A complete response, which doesn't name its model. */
export function readResponse(body: JsonObject, id: string): DecodedReply {
  const message = objectOf(objectOf(body.output)?.message);
  if (message === undefined) return undefined;
  const content = objectsOf(message.content).flatMap(blocksOf);
  const error = content.length === 0 ? failureOf(stringOf(body.stopReason)) : undefined;
  if (error !== undefined) return { error, usage: usageOf(body) };
  const answer: Answer = {
    id,
    type: 'message',
    role: 'assistant',
    model: '',
    content,
    stop_reason: stopReasonOf(
      stringOf(body.stopReason),
      content.some(({ type }) => type === 'tool_use'),
    ),
    stop_sequence: null,
    usage: usageOf(body),
  };
  return { answer };
}

export function summarizeResponse(body: JsonObject): ReplySummary | undefined {
  const usage = usageOf(body);
  const reason = stringOf(body.stopReason);
  return usage.output_tokens === undefined || reason === undefined
    ? undefined
    : { stop_reason: stopReasonOf(reason, false), usage };
}

function blocksOf(part: JsonObject): readonly Block[] {
  const text = stringOf(part.text);
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  const call = objectOf(part.toolUse);
  if (call !== undefined) return toolUseBlocksOf(call);
  return thinkingBlocksOf(objectOf(part.reasoningContent) ?? {});
}

/** A call without a name is dropped: it can't be run. */
function toolUseBlocksOf({ toolUseId, name, input }: JsonObject): readonly Block[] {
  if (typeof name !== 'string' || typeof toolUseId !== 'string') return [];
  return [{ type: 'tool_use', id: toolUseId, name, input: input ?? {} }];
}

function thinkingBlocksOf({ reasoningText, redactedContent }: JsonObject): readonly Block[] {
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }];
  const { text, signature } = objectOf(reasoningText) ?? {};
  if (typeof text !== 'string') return [];
  return [{ type: 'thinking', thinking: text, ...(typeof signature === 'string' && { signature }) }];
}
