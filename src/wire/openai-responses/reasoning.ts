import type { JsonObject } from '../../kernel/json.ts';
import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../kernel/message.ts';
import { foreignBlock } from '../foreign.ts';
import { originalsOf, remember } from '../openai/origin.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../read.ts';
import { seal, unseal } from '../sealed.ts';

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
  const signature = unseal('signature', encrypted);
  if (signature !== undefined) return { type: 'thinking', thinking, signature };
  const data = unseal('redacted', encrypted);
  return data === undefined ? foreignBlock('openai-responses', item) : { type: 'redacted_thinking', data };
}

/** The encrypted half of a reasoning item in an answer, in a form that passes through clients of other formats. */
export function encryptedHalf(
  item: JsonObject,
): { readonly signature: string } | RedactedThinkingBlock | undefined {
  const encrypted = stringOf(item.encrypted_content);
  if (encrypted === undefined || encrypted === '') return undefined;
  const signature = unseal('signature', encrypted);
  if (signature !== undefined) return { signature };
  const data =
    unseal('redacted', encrypted) ??
    seal('openai-responses', JSON.stringify({ id: item.id, encrypted_content: encrypted }));
  return { type: 'redacted_thinking', data };
}

/** Thinking that keeps in mind as which item it came. */
export function thinkingFrom(item: JsonObject): ThinkingBlock {
  return remember({ type: 'thinking', thinking: '', signature: '' }, [item]);
}

export function thoughtIdOf(block: ThinkingBlock): string | undefined {
  return stringOf(originalsOf(block)?.[0]?.id);
}

/** And back: the item that was sealed. */
export function unsealedReasoning(data: string): JsonObject | undefined {
  const item = unseal('openai-responses', data);
  return item === undefined ? undefined : objectOf(parseObject(item));
}
