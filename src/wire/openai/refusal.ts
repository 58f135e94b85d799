import type { Block } from '../../kernel/message.ts';

/** Whether a block is the model's own words for why it won't. */
export function isRefusal(block: Block): boolean {
  return block.type === 'text' && block.refusal === true;
}
