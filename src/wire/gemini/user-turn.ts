import type { Block, Message, ToolResultBlock } from '../../kernel/message.ts';
import { blocksOf } from '../blocks.ts';

/** The text of the user turn before a call that begins a conversation: Google rejects such a call. */
export const emptyTurnText = '(empty)';

/** The content of a user turn: results of calls come first. A system message is one, too: Google has no such role. */
export function userTurnOf(
  { role, content }: Message,
  dropped: Set<string>,
): { readonly results: readonly ToolResultBlock[]; readonly rest: readonly Block[] } {
  if (role === 'system') dropped.add('messages[].system');
  const blocks = blocksOf(content);
  return {
    results: blocks.filter((block) => block.type === 'tool_result'),
    rest: blocks.filter((block) => block.type !== 'tool_result'),
  };
}
