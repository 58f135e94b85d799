import type { Block, Message, TextBlock } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';

/** Blocks without what only other formats can say. */
export function plainBlocks(blocks: readonly Block[]): readonly Block[] {
  const own = blocks.filter((block) => foreignOf(block) === undefined).map(plainBlock);
  return own.length === blocks.length && own.every((block, at) => block === blocks[at]) ? blocks : own;
}

/** A refusal is told by the reason for stopping alone. */
export function plainBlock(block: Block): Block {
  if (block.type !== 'text') return block;
  const said = 'citations' in block ? withOwnCitations(block) : block;
  if (said.refusal === undefined && said.phase === undefined) return said;
  const { refusal: _, phase: __, ...rest } = said;
  return rest;
}

/** What was said in earlier turns may have come from providers of other formats. */
export function plainMessages(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    const { content } = message;
    if (typeof content === 'string') return [message];
    const plain = plainBlocks(content);
    if (plain === content) return [message];
    return plain.length === 0 ? [] : [{ ...message, content: plain }];
  });
}

function withOwnCitations(block: TextBlock & { readonly citations?: unknown }): TextBlock {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations) || citations.every((one) => foreignOf(one) === undefined)) return block;
  const own = citations.filter((one) => foreignOf(one) === undefined);
  return own.length === 0 ? rest : Object.assign(rest, { citations: own });
}
