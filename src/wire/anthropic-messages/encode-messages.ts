import { isJsonObject } from '../../kernel/json.ts';
import type { Block, Message } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { isSealed } from '../sealed.ts';
import { encodeDocument } from './encode-document.ts';
import type { Generation } from './generation.ts';
import { plainBlock } from './plain-blocks.ts';
import { resultsFirst } from './results-first.ts';

/** Messages of another origin, brought into the form that this provider accepts. */
export function encodeMessages(
  messages: readonly Message[],
  { systemAnywhere }: Generation,
  dropped: Set<string>,
): readonly Message[] {
  const encoded: Message[] = [];
  for (const message of messages) {
    const content =
      typeof message.content === 'string'
        ? saidIn(message.content)
        : message.content.flatMap((block) => encodeBlock(block, dropped));
    if (content.length === 0) continue;
    const demoted = message.role === 'system' && (!systemAnywhere || encoded.length === 0);
    if (demoted) dropped.add('messages[].system');
    encoded.push(demoted ? { role: 'user', content } : { ...message, content });
  }
  return resultsFirst(encoded);
}

/** Text without a word in it is refused. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function saidIn(content: string): string {
  return isBlank(content) ? '' : content;
}

function encodeBlock(block: Block, dropped: Set<string>): readonly Block[] {
  const foreign = foreignOf(block);
  if (foreign !== undefined) {
    dropped.add(`messages[].content[].${foreign.kind}`);
    return [];
  }
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [plainBlock(block)];
    case 'thinking':
      // A signature proves who thought it; without one the provider takes no thinking.
      if (block.signature !== undefined && block.signature !== '') return [block];
      dropped.add('messages[].content[].thinking');
      return [];
    case 'redacted_thinking':
      if (!isSealed(block.data)) return [block];
      dropped.add('messages[].content[].redacted_thinking');
      return [];
    case 'document':
      return [encodeDocument(block)];
    case 'tool_use':
      return [
        {
          ...block,
          id: acceptedId(block.id),
          input: isJsonObject(block.input) ? block.input : { value: block.input },
        },
      ];
    case 'tool_result': {
      const { content } = block;
      const inner =
        typeof content === 'object' ? { content: content.flatMap((part) => encodeBlock(part, dropped)) } : {};
      return [{ ...block, ...inner, tool_use_id: acceptedId(block.tool_use_id) }];
    }
    default:
      return [block];
  }
}

/** Ids of calls may hold letters, digits, `_` and `-` only; both ends of a pair are changed alike. */
function acceptedId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
