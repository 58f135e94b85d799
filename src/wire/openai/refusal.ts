import type { Block } from '../../kernel/message.ts';

/** Whether a block is the model's refusal text. */
export function isRefusal(block: Block): boolean {
  return block.type === 'text' && block.refusal === true;
}
