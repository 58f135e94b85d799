import type { Block, Message, TextBlock } from '../../kernel/message.ts';
import { foreignPartOf } from '../foreign.ts';

/** Drops the blocks that only other formats understand. */
export function stripForeignBlocks(blocks: readonly Block[]): readonly Block[] {
  const isOwn = (block: Block) => foreignPartOf(block) === undefined && stripForeignFields(block) === block;
  if (blocks.every(isOwn)) return blocks;
  return blocks.filter((block) => foreignPartOf(block) === undefined).map(stripForeignFields);
}

/** Drops the fields of other formats: here only the stop reason reports a refusal. */
export function stripForeignFields(block: Block): Block {
  if (block.type !== 'text') return block;
  const text = 'citations' in block ? withoutForeignCitations(block) : block;
  if (text.refusal === undefined && text.phase === undefined) return text;
  const { refusal: _, phase: __, ...rest } = text;
  return rest;
}

/** Earlier turns may come from providers of other formats. */
export function stripForeignContent(messages: readonly Message[]): readonly Message[] {
  return messages.map(stripForeignPart).filter((message) => message !== undefined);
}

/** Undefined if nothing of it is left. */
function stripForeignPart(message: Message): Message | undefined {
  const { content } = message;
  if (typeof content === 'string') return message;
  if (content.length === 0 && message.role === 'system') return withoutContent(message);
  const plain = stripForeignBlocks(content);
  if (plain === content) return message;
  return plain.length === 0 ? undefined : { ...message, content: plain };
}

/** A system message that only changes settings has an empty list as its content in the canonical form. */
function withoutContent({ content: _, ...settings }: Message): Message {
  const message: unknown = settings;
  return message as Message;
}

function withoutForeignCitations(block: TextBlock & { readonly citations?: unknown }): TextBlock {
  const { citations, ...rest } = block;
  if (!Array.isArray(citations) || citations.every((one) => foreignPartOf(one) === undefined)) return block;
  const own = citations.filter((one) => foreignPartOf(one) === undefined);
  return own.length === 0 ? rest : Object.assign(rest, { citations: own });
}
