import type { Block, Message, ThinkingBlock, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { originalsOf } from '../originals.ts';
import { toolErrorPrefix } from '../tool-error.ts';
import { isTrigger } from './compaction-items.ts';
import { encodeContent } from './encode-parts.ts';
import { dropUnstableId, isFromAnswer } from './foreign-items.ts';
import { unwrapReasoningItem } from './reasoning.ts';

/** What encoders need besides the content. */
export interface EncodeContext {
  /** OpenAI accepts only its own encrypted reasoning; open models accept theirs as text. */
  readonly takesPlainReasoning: boolean;
  /** Whether the request came in this format. */
  readonly keepsOriginals: boolean;
  /** The client's `store` setting. */
  readonly asked: { readonly store: unknown };
  /** The tool call id for the provider. */
  readonly mapToolCallId: (id: string) => string;
  readonly dropped: Set<string>;
}

export function encodeMessage(
  { role, content }: Message,
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'message', role, content }];
  if (role === 'assistant') return encodeAssistant(content, encodeContext);
  const items: JsonObject[] = [];
  const rest: Block[] = [];
  const trigger: JsonObject[] = [];
  for (const block of content) {
    const own = originalItem(block, encodeContext);
    // A trigger has to be the last item.
    if (own !== undefined) (isTrigger(own) ? trigger : items).push(own);
    else if (block.type === 'tool_result') items.push(encodeToolOutput(block, encodeContext));
    else rest.push(block);
  }
  if (rest.length > 0 || items.length + trigger.length === 0)
    items.push({ type: 'message', role, content: encodeContent(rest, encodeContext.dropped) });
  return [...items, ...trigger];
}

/** A format-specific item that is not part of a message. */
function originalItem(block: Block, { keepsOriginals, asked }: EncodeContext): JsonObject | undefined {
  const [item] = keepsOriginals ? (originalsOf(block) ?? []) : [];
  if (item !== undefined) return item;
  const foreignPart = foreignPartOf(block);
  if (foreignPart?.wire !== 'openai-responses' || foreignPart.kind.startsWith('input_')) return undefined;
  return isFromAnswer(block) ? dropUnstableId(foreignPart.part, asked) : foreignPart.part;
}

function encodeToolOutput(
  { tool_use_id, content = '', is_error }: ToolResultBlock,
  { mapToolCallId, dropped }: EncodeContext,
): JsonObject {
  const output = typeof content === 'string' ? content : encodeContent(content, dropped);
  return {
    type: 'function_call_output',
    call_id: mapToolCallId(tool_use_id),
    output: is_error === true ? markAsError(output) : output,
  };
}

function markAsError(output: string | readonly JsonObject[]): string | readonly JsonObject[] {
  return typeof output === 'string'
    ? toolErrorPrefix + output
    : [{ type: 'input_text', text: toolErrorPrefix.trim() }, ...output];
}

function encodeAssistant(blocks: readonly Block[], encodeContext: EncodeContext): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (const block of blocks) {
    const item = encodeAssistantBlock(block, encodeContext);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function encodeAssistantBlock(block: Block, encodeContext: EncodeContext): JsonObject | undefined {
  const own = originalItem(block, encodeContext);
  if (own !== undefined) return own;
  if ('cache_control' in block && block.cache_control != null) encodeContext.dropped.add('cache_control');
  switch (block.type) {
    case 'text':
      if (block.text === '') return undefined;
      return {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: block.text, annotations: [] }],
        ...(block.phase !== undefined && { phase: block.phase }),
      };
    case 'tool_use':
      return (
        originalsOf(block)?.[0] ?? {
          type: 'function_call',
          call_id: encodeContext.mapToolCallId(block.id),
          name: block.name,
          arguments: argumentsOf(block),
        }
      );
    case 'thinking':
      return encodeThinking(block, encodeContext);
    case 'redacted_thinking': {
      const item = unwrapReasoningItem(block.data);
      if (item !== undefined) return { type: 'reasoning', summary: [], ...item };
      encodeContext.dropped.add('messages[].content[].redacted_thinking');
      return undefined;
    }
    default:
      encodeContext.dropped.add(`messages[].content[].${foreignPartOf(block)?.kind ?? block.type}`);
      return undefined;
  }
}

function encodeThinking(
  { thinking, signature }: ThinkingBlock,
  { takesPlainReasoning, dropped }: EncodeContext,
): JsonObject | undefined {
  if (takesPlainReasoning && !signature)
    return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: thinking }] };
  dropped.add('messages[].content[].thinking');
  return undefined;
}

export function argumentsOf({ input }: ToolUseBlock): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}
