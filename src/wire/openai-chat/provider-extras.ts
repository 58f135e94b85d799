import type { Block, RedactedThinkingBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';

/**
 * Data that providers want back with their reply and that other formats have no field for: a call's signature
 * (https://ai.google.dev/gemini-api/docs/thought-signatures) or encrypted reasoning. It is wrapped, with the name of its
 * model, in a block that clients return unchanged.
 */
interface ProviderExtra {
  readonly model: string;
  /** The call that it belongs to, with its content. */
  readonly call?: { readonly id: string; readonly extra_content: JsonObject };
  /** Or an entry of `reasoning_details`. */
  readonly detail?: JsonObject;
}

export function toExtraBlock(providerExtra: ProviderExtra): RedactedThinkingBlock {
  return { type: 'redacted_thinking', data: wrapOpaque('openai-chat', JSON.stringify(providerExtra)) };
}

/** Encrypted reasoning, except in formats with a canonical equivalent. */
export function isEncryptedDetail(detail: JsonObject): boolean {
  return detail.type === 'reasoning.encrypted' && typeof detail.data === 'string';
}

export interface ProviderExtras {
  readonly details: readonly JsonObject[];
  readonly byCall: ReadonlyMap<string, JsonObject>;
}

/** The extras of this model; they are useless to others. */
export function extrasFor(model: string, blocks: readonly Block[]): ProviderExtras {
  const details: JsonObject[] = [];
  const byCall = new Map<string, JsonObject>();
  for (const block of blocks) {
    const providerExtra = extraIn(block);
    if (providerExtra === undefined || !isSameModel(providerExtra.model, model)) continue;
    if (providerExtra.detail !== undefined) details.push(providerExtra.detail);
    if (providerExtra.call !== undefined) byCall.set(providerExtra.call.id, providerExtra.call.extra_content);
  }
  return { details, byCall };
}

export function isExtraFor(model: string, block: Block): boolean {
  const providerExtra = extraIn(block);
  return providerExtra !== undefined && isSameModel(providerExtra.model, model);
}

function extraIn(block: Block): ProviderExtra | undefined {
  const text = block.type === 'redacted_thinking' ? unwrapOpaque('openai-chat', block.data) : undefined;
  const { model, call, detail } = (text === undefined ? undefined : parseObject(text)) ?? {};
  if (typeof model !== 'string') return undefined;
  const id = stringOf(objectOf(call)?.id);
  const extra_content = objectOf(objectOf(call)?.extra_content);
  return {
    model,
    ...(id !== undefined && extra_content !== undefined && { call: { id, extra_content } }),
    ...(isJsonObject(detail) && { detail }),
  };
}

/** A response names a version of the requested model. */
function isSameModel(answered: string, requested: string): boolean {
  return answered !== '' && (answered.startsWith(requested) || requested.startsWith(answered));
}
