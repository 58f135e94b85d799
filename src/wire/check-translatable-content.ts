import type { Block, ChatRequest } from '../kernel/message.ts';
import { untranslatableError } from './foreign.ts';

/** Rejects content that a translation to `wire` would lose, files at another provider, and URLs that are none. */
export function checkTranslatableContent({ messages }: ChatRequest, wire: string): void {
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue;
    for (const block of content)
      if (role === 'assistant') checkFile(block, wire);
      else checkBlock(block, wire);
  }
}

function checkBlock(block: Block, wire: string): void {
  if (!translatableBlockTypes.has(block.type))
    throw untranslatableError(`messages[].content[].${block.type}`, wire);
  if (block.type === 'tool_result' && typeof block.content === 'object')
    for (const part of block.content) checkBlock(part, wire);
  checkFile(block, wire);
}

function checkFile(block: Block, wire: string): void {
  if (block.type !== 'image' && block.type !== 'document') return;
  const { source } = block;
  if (source.type === 'url' && !/^[a-z][a-z\d+.-]*:/i.test(source.url))
    throw untranslatableError(`messages[].content[].${block.type}.source.url`, wire);
  if (source.type !== 'file' || (source.from === 'openai-chat' && wire === 'openai-responses')) return;
  throw untranslatableError(`messages[].content[].${block.type}.source.file_id`, wire);
}

/** Block types that every format supports; `foreign` ones were checked by the decoder. */
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
