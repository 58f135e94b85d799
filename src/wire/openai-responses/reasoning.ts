import type { JsonObject } from '../../kernel/json.ts';
import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../kernel/message.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';
import { attachOriginals, originalsOf } from '../originals.ts';

/** What can be read of a reasoning item: its summary, or with open models the reasoning itself. */
export function reasoningTextOf(item: JsonObject): string {
  const pieces = objectsOf(item.summary).length > 0 ? objectsOf(item.summary) : objectsOf(item.content);
  return pieces.map((piece) => stringOf(piece.text) ?? '').join('\n\n');
}

/** A reasoning item in a request: ours, sealed when it went out, or this format's own. */
export function decodeReasoning(item: JsonObject): Block {
  const thinking = reasoningTextOf(item);
  const encrypted = stringOf(item.encrypted_content);
  if (encrypted === undefined)
    return thinking === '' ? foreignBlock('openai-responses', item) : { type: 'thinking', thinking };
  const signature = unwrapOpaque('signature', encrypted);
  if (signature !== undefined) return { type: 'thinking', thinking, signature };
  const data = unwrapOpaque('redacted', encrypted);
  return data === undefined ? foreignBlock('openai-responses', item) : { type: 'redacted_thinking', data };
}

/** The encrypted half of a reasoning item in an answer, in a form that passes through clients of other formats. */
export function opaqueReasoningOf(
  item: JsonObject,
): { readonly signature: string } | RedactedThinkingBlock | undefined {
  const encrypted = stringOf(item.encrypted_content);
  if (encrypted === undefined || encrypted === '') return undefined;
  const signature = unwrapOpaque('signature', encrypted);
  if (signature !== undefined) return { signature };
  const data =
    unwrapOpaque('redacted', encrypted) ??
    wrapOpaque('openai-responses', JSON.stringify({ id: item.id, encrypted_content: encrypted }));
  return { type: 'redacted_thinking', data };
}

/** Thinking that keeps in mind as which item it came. */
export function createThinkingBlock(item: JsonObject): ThinkingBlock {
  return attachOriginals({ type: 'thinking', thinking: '', signature: '' }, [item]);
}

export function reasoningItemIdOf(block: ThinkingBlock): string | undefined {
  return stringOf(originalsOf(block)?.[0]?.id);
}

/** And back: the item that was sealed. */
export function unwrapReasoningItem(data: string): JsonObject | undefined {
  const item = unwrapOpaque('openai-responses', data);
  return item === undefined ? undefined : objectOf(parseObject(item));
}
