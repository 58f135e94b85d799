import type { Block, Message } from '../../kernel/message.ts';
import { isJsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { isWrappedOpaque } from '../opaque-data.ts';
import { encodeDocument } from './encode-document.ts';
import type { ModelCapabilities } from './model-capabilities.ts';
import { stripForeignFields } from './strip-foreign.ts';
import { moveToolResultsFirst } from './tool-results-first.ts';

/** Adapts messages from other formats to what this provider accepts. */
export function encodeMessages(
  messages: readonly Message[],
  { allowsMidConversationSystem }: ModelCapabilities,
  dropped: Set<string>,
): readonly Message[] {
  const encoded: Message[] = [];
  for (const message of messages) {
    const content =
      typeof message.content === 'string'
        ? blankToEmpty(message.content)
        : message.content.flatMap((block) => encodeBlock(block, dropped));
    if (content.length === 0) continue;
    const demoted = message.role === 'system' && (!allowsMidConversationSystem || encoded.length === 0);
    if (demoted) dropped.add('messages[].system');
    encoded.push(demoted ? { role: 'user', content } : { ...message, content });
  }
  return moveToolResultsFirst(encoded);
}

/** The provider rejects blank text. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function blankToEmpty(content: string): string {
  return isBlank(content) ? '' : content;
}

function encodeBlock(block: Block, dropped: Set<string>): readonly Block[] {
  const foreignPart = foreignPartOf(block);
  if (foreignPart !== undefined) {
    dropped.add(`messages[].content[].${foreignPart.kind}`);
    return [];
  }
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [stripForeignFields(block)];
    case 'thinking':
      // A signature proves the origin; the provider rejects unsigned thinking.
      if (block.signature !== undefined && block.signature !== '') return [block];
      dropped.add('messages[].content[].thinking');
      return [];
    case 'redacted_thinking':
      if (!isWrappedOpaque(block.data)) return [block];
      dropped.add('messages[].content[].redacted_thinking');
      return [];
    case 'document':
      return [encodeDocument(block)];
    case 'tool_use':
      return [
        {
          ...block,
          id: sanitizeToolCallId(block.id),
          input: isJsonObject(block.input) ? block.input : { value: block.input },
        },
      ];
    case 'tool_result': {
      const { content } = block;
      const inner =
        typeof content === 'object' ? { content: content.flatMap((part) => encodeBlock(part, dropped)) } : {};
      return [{ ...block, ...inner, tool_use_id: sanitizeToolCallId(block.tool_use_id) }];
    }
    default:
      return [block];
  }
}

/** Tool call ids may only contain letters, digits, `_` and `-`; a call and its result change alike. */
function sanitizeToolCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}
