import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, stringOf } from '../json-values.ts';
import { isWrappedOpaque } from '../opaque-data.ts';

/** Providers put reasoning beside the content, under various names, and some only in details. */
export function reasoningTextOf(message: JsonObject): string | undefined {
  return stringOf(message.reasoning_content) || stringOf(message.reasoning) || detailTextOf(message);
}

function detailTextOf({ reasoning_details: details }: JsonObject): string | undefined {
  const texts = objectsOf(details).flatMap((detail) =>
    signedDetailOf(detail) === undefined ? [stringOf(detail.text) ?? stringOf(detail.summary) ?? ''] : [],
  );
  return texts.length === 0 ? undefined : texts.join('');
}

/**
 * `reasoning_details` carries signed or encrypted reasoning through this format, each entry with its format's name
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */
const anthropicDetailFormat = 'anthropic-claude-v1';
const openaiDetailFormat = 'openai-responses-v1';

/** The thinking of a complete message: signed if its details have a signature, else plain text. */
export function thinkingOf(message: JsonObject): readonly Block[] {
  const signed = objectsOf(message.reasoning_details).flatMap((detail) => signedDetailOf(detail) ?? []);
  if (signed.length > 0) return signed;
  const thinking = reasoningTextOf(message);
  return thinking === undefined || thinking === '' ? [] : [{ type: 'thinking', thinking }];
}

export function signedDetailOf(detail: JsonObject): ThinkingBlock | RedactedThinkingBlock | undefined {
  const data = stringOf(detail.data);
  if (detail.type === 'reasoning.encrypted' && data !== undefined)
    return detail.format === anthropicDetailFormat || isWrappedOpaque(data)
      ? { type: 'redacted_thinking', data }
      : undefined;
  const signature = stringOf(detail.signature);
  if (detail.format !== anthropicDetailFormat || signature === undefined || signature === '')
    return undefined;
  return { type: 'thinking', thinking: stringOf(detail.text) ?? '', signature };
}

/** The details that preserve signed thinking; none if nothing is signed. */
export function reasoningDetailsOf(blocks: readonly Block[]): readonly JsonObject[] {
  return blocks.flatMap((block, index) => {
    if (block.type === 'redacted_thinking') return [encryptedDetail(block.data, index)];
    if (block.type !== 'thinking' || block.signature === undefined || block.signature === '') return [];
    return [signatureDetail(block.thinking, block.signature, index)];
  });
}

export function encryptedDetail(data: string, index: number): JsonObject {
  return {
    type: 'reasoning.encrypted',
    data,
    format: isWrappedOpaque(data) ? openaiDetailFormat : anthropicDetailFormat,
    index,
  };
}

/** A stream repeats the complete text with its signature. */
export function signatureDetail(text: string, signature: string, index: number): JsonObject {
  return { type: 'reasoning.text', text, signature, format: anthropicDetailFormat, index };
}

/** Mistral's thinking is a content part with a list of texts. */
export function thinkingPartText(part: JsonObject): string {
  const { thinking } = part;
  if (typeof thinking === 'string') return thinking;
  return objectsOf(thinking)
    .map((piece) => stringOf(piece.text) ?? '')
    .join('');
}
