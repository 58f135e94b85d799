import { type Block, sealMark } from '../kernel/message.ts';

/** Formats that sign tool calls and text separately from thinking. */
const signedCallMarks = ['openai-chat', 'gemini'].map((wire) => `${sealMark}${wire}:`);

/** Whether it is the model's thinking; not a signature that a provider requires with a tool call. */
export function isThinkingBlock(block: Block): boolean {
  if (block.type === 'thinking') return true;
  if (block.type !== 'redacted_thinking') return false;
  const { data } = block;
  return typeof data !== 'string' || !signedCallMarks.some((mark) => data.startsWith(mark));
}
