import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';
import { attachOriginals, originalsOf } from '../originals.ts';

/** The readable text of a reasoning item: its summary, or the reasoning itself for open models. */
export function reasoningTextOf(item: JsonObject): string {
  const pieces = objectsOf(item.summary).length > 0 ? objectsOf(item.summary) : objectsOf(item.content);
  return pieces.map((piece) => stringOf(piece.text) ?? '').join('\n\n');
}

/** A reasoning item in a request: one that we wrapped, or the format's own. */
export function decodeReasoning(item: JsonObject): Block {
  const thinking = reasoningTextOf(item);
  const encrypted = stringOf(item.encrypted_content);
  if (encrypted === undefined)
    return thinking === '' ? foreignBlock('openai-responses', item) : { type: 'thinking', thinking };
  const signature = unwrapOpaque('signature', encrypted);
  if (signature !== undefined) return { type: 'thinking', thinking, ...(signature !== '' && { signature }) };
  const data = unwrapOpaque('redacted', encrypted);
  return data === undefined ? foreignBlock('openai-responses', item) : { type: 'redacted_thinking', data };
}

/** The encrypted half of a reasoning item, wrapped to pass through clients of other formats. */
export function opaqueReasoningOf(
  item: JsonObject,
): { readonly signature: string } | RedactedThinkingBlock | undefined {
  const encrypted = stringOf(item.encrypted_content);
  if (encrypted === undefined || encrypted === '') return undefined;
  const signature = unwrapOpaque('signature', encrypted);
  if (signature !== undefined) return signature === '' ? undefined : { signature };
  const data =
    unwrapOpaque('redacted', encrypted) ??
    wrapOpaque('openai-responses', JSON.stringify({ id: item.id, encrypted_content: encrypted }));
  return { type: 'redacted_thinking', data };
}

/** A thinking block that remembers its original item. */
export function createThinkingBlock(item: JsonObject): ThinkingBlock {
  return attachOriginals({ type: 'thinking', thinking: '', signature: '' }, [item]);
}

export function reasoningItemIdOf(block: ThinkingBlock): string | undefined {
  return stringOf(originalsOf(block)?.[0]?.id);
}

/** The inverse: the wrapped item. */
export function unwrapReasoningItem(data: string): JsonObject | undefined {
  const item = unwrapOpaque('openai-responses', data);
  return item === undefined ? undefined : objectOf(parseObject(item));
}
