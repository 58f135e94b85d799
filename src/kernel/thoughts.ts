import type { Block } from './message.ts';

/** Begins what travels through clients that can't read it. */
export const sealMark = 'weir.sealed.';
const callExtra = `${sealMark}openai-chat:`;

/** What a model thought; not what a provider wants back with a call, and refuses the call without. */
export function isThought(block: Block): boolean {
  if (block.type === 'thinking') return true;
  if (block.type !== 'redacted_thinking') return false;
  return typeof block.data !== 'string' || !block.data.startsWith(callExtra);
}
