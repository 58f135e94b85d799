import type { Block, ChatRequest } from '../kernel/message.ts';
import { untranslatableError } from './foreign.ts';

/** Refuses content of the client's that a translation into `wire` would lose or that points to a file elsewhere. */
export function checkTranslatableContent({ messages }: ChatRequest, wire: string): void {
  for (const { role, content } of messages)
    if (role !== 'assistant' && typeof content !== 'string')
      for (const block of content) checkBlock(block, wire);
}

function checkBlock(block: Block, wire: string): void {
  if (!translatableBlockTypes.has(block.type))
    throw untranslatableError(`messages[].content[].${block.type}`, wire);
  if (block.type === 'tool_result' && typeof block.content === 'object')
    for (const part of block.content) checkBlock(part, wire);
  if (block.type !== 'image' && block.type !== 'document') return;
  const { source } = block;
  if (source.type !== 'file' || (source.from === 'openai-chat' && wire === 'openai-responses')) return;
  throw untranslatableError(`messages[].content[].${block.type}.source.file_id`, wire);
}

/** Kinds of blocks that every format has words for; `foreign` ones were judged when they were read. */
const translatableBlockTypes: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'search_result',
  'tool_reference',
  'foreign',
]);
