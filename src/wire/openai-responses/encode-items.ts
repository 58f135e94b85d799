import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Message, ThinkingBlock, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { originalsOf } from '../openai/origin.ts';
import { toolErrorMark } from '../openai/tool-error.ts';
import { encodeContent } from './encode-parts.ts';
import { isFromAnswer, withKeptId } from './own-items.ts';
import { unsealedReasoning } from './reasoning.ts';

/** What an encoder needs to know besides the content itself. */
export interface Encoding {
  /** OpenAI takes no reasoning but what it encrypted itself; open models take theirs as text. */
  readonly takesPlainReasoning: boolean;
  /** Whether it goes back into the format that it came in. */
  readonly keepsOriginals: boolean;
  /** What the client said of storing answers. */
  readonly asked: { readonly store: unknown };
  /** The id by which the provider gets to know a call. */
  readonly callId: (id: string) => string;
  readonly dropped: Set<string>;
}

export function encodeMessage({ role, content }: Message, encoding: Encoding): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'message', role, content }];
  if (role === 'assistant') return encodeAssistant(content, encoding);
  const items: JsonObject[] = [];
  const rest: Block[] = [];
  for (const block of content) {
    const own = ownItem(block, encoding);
    if (own !== undefined) items.push(own);
    else if (block.type === 'tool_result') items.push(encodeOutput(block, encoding));
    else rest.push(block);
  }
  if (rest.length > 0 || items.length === 0)
    items.push({ type: 'message', role, content: encodeContent(rest, encoding.dropped) });
  return items;
}

/** An item of this format's own, which is no part of a message. */
function ownItem(block: Block, { keepsOriginals, asked }: Encoding): JsonObject | undefined {
  const [item] = keepsOriginals ? (originalsOf(block) ?? []) : [];
  if (item !== undefined) return item;
  const foreign = foreignOf(block);
  if (foreign?.wire !== 'openai-responses' || foreign.kind.startsWith('input_')) return undefined;
  return isFromAnswer(block) ? withKeptId(foreign.part, asked) : foreign.part;
}

function encodeOutput(
  { tool_use_id, content = '', is_error }: ToolResultBlock,
  { callId, dropped }: Encoding,
): JsonObject {
  const output = typeof content === 'string' ? content : encodeContent(content, dropped);
  return {
    type: 'function_call_output',
    call_id: callId(tool_use_id),
    output: is_error === true ? markedAsError(output) : output,
  };
}

function markedAsError(output: string | readonly JsonObject[]): string | readonly JsonObject[] {
  return typeof output === 'string'
    ? toolErrorMark + output
    : [{ type: 'input_text', text: toolErrorMark.trim() }, ...output];
}

function encodeAssistant(blocks: readonly Block[], encoding: Encoding): readonly JsonObject[] {
  const items: JsonObject[] = [];
  for (const block of blocks) {
    const item = encodeMade(block, encoding);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function encodeMade(block: Block, encoding: Encoding): JsonObject | undefined {
  const own = ownItem(block, encoding);
  if (own !== undefined) return own;
  if ('cache_control' in block && block.cache_control != null) encoding.dropped.add('cache_control');
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
          call_id: encoding.callId(block.id),
          name: block.name,
          arguments: argumentsOf(block),
        }
      );
    case 'thinking':
      return encodeThinking(block, encoding);
    case 'redacted_thinking': {
      const item = unsealedReasoning(block.data);
      if (item !== undefined) return { type: 'reasoning', summary: [], ...item };
      encoding.dropped.add('messages[].content[].redacted_thinking');
      return undefined;
    }
    default:
      encoding.dropped.add(`messages[].content[].${foreignOf(block)?.kind ?? block.type}`);
      return undefined;
  }
}

function encodeThinking(
  { thinking, signature }: ThinkingBlock,
  { takesPlainReasoning, dropped }: Encoding,
): JsonObject | undefined {
  if (takesPlainReasoning && !signature)
    return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: thinking }] };
  dropped.add('messages[].content[].thinking');
  return undefined;
}

export function argumentsOf({ input }: ToolUseBlock): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}
