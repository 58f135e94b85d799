import { createHash } from 'node:crypto';
import type { Block, ChatRequest, Message } from '../../kernel/message.ts';
import { canonicalJson } from '../../lib/json.ts';
import { chooseTool } from './choose-tool.ts';
import { sampleValue } from './sample-value.ts';
import { textOf, userTextOf } from './user-text.ts';

export interface ComposedReply {
  readonly id: string;
  readonly blocks: readonly Block[];
  readonly stopReason: 'end_turn' | 'max_tokens' | 'tool_use';
  readonly inputTokens: number;
}

/** The demo model's reply: a tool call if clearly wanted, else text about the request. */
export function composeReply(request: ChatRequest): ComposedReply {
  const digest = createHash('sha256')
    .update(canonicalJson({ ...request, stream: undefined }))
    .digest('hex');
  const inputTokens = countTokens(request);
  const id = `msg_demo_${digest.slice(0, 24)}`;
  const tool = chooseTool(request);
  if (tool !== undefined) {
    const block: Block = {
      type: 'tool_use',
      id: `toolu_demo_${digest.slice(0, 20)}`,
      name: tool.name,
      input: sampleValue(tool.input_schema),
    };
    return { id, blocks: [block], stopReason: 'tool_use', inputTokens };
  }
  const tokens = splitTokens(composeText(request));
  const most = request.max_tokens ?? tokens.length;
  const text = tokens.slice(0, most).join('');
  return {
    id,
    blocks: [{ type: 'text', text }],
    stopReason: tokens.length > most ? 'max_tokens' : 'end_turn',
    inputTokens,
  };
}

/** The block's deltas. */
export function splitBlock(block: Block): readonly string[] {
  if (block.type === 'text') return splitTokens(block.text);
  return block.type === 'tool_use' ? (JSON.stringify(block.input).match(/.{1,16}/gsu) ?? []) : [];
}

/** Assumes four characters per token. */
export function countTokens({ system = '', messages, tools = [] }: ChatRequest): number {
  return Math.ceil(JSON.stringify([system, messages, tools]).length / 4);
}

/** Tokens of the demo model: at most four characters of a word, with the preceding space. */
function splitTokens(text: string): readonly string[] {
  return text.match(/\s*\S{1,4}|\s+/gu) ?? [];
}

function composeText({ messages }: ChatRequest): string {
  const last = messages.at(-1);
  const result = toolResultOf(last);
  const opening = 'This is a demonstration answer: demo-1 is built into Weir and no provider was asked.';
  if (result !== undefined) return `${opening} The tool returned: ${excerpt(result)}`;
  const userText = excerpt(userTextOf(last?.content ?? ''));
  return userText === '' ? opening : `${opening} You wrote: ${userText}`;
}

function toolResultOf(message: Message | undefined): string | undefined {
  if (message === undefined || typeof message.content === 'string') return undefined;
  for (const block of message.content) if (block.type === 'tool_result') return textOf(block.content ?? '');
  return undefined;
}

function excerpt(text: string): string {
  return text.length <= 400 ? text.trim() : `${text.slice(0, 400).trim()}…`;
}
