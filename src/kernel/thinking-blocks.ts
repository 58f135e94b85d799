import type { Block } from './message.ts';

/** Begins what travels through clients that can't read it. */
export const sealMark = 'weir.sealed.';
/** Formats in which calls and words are signed apart from thoughts. */
const signedCallMarks = ['openai-chat', 'gemini'].map((wire) => `${sealMark}${wire}:`);

/** What a model thought; not what a provider wants back with a call, and refuses the call without. */
export function isThinkingBlock(block: Block): boolean {
  if (block.type === 'thinking') return true;
  if (block.type !== 'redacted_thinking') return false;
  const { data } = block;
  return typeof data !== 'string' || !signedCallMarks.some((mark) => data.startsWith(mark));
}
