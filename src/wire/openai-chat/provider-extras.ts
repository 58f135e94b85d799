import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Block, RedactedThinkingBlock } from '../../kernel/message.ts';
import { objectOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';

/**
 * What providers want back with their answer and no other format has a place for: a signature on a call
 * (https://ai.google.dev/gemini-api/docs/thought-signatures), encrypted reasoning. It travels sealed, with the name of
 * the model that it belongs to, in a block that clients return as they got it.
 */
interface ProviderExtra {
  readonly model: string;
  /** The call that it stands on, with its content. */
  readonly call?: { readonly id: string; readonly extra_content: JsonObject };
  /** Or one of the details of the reasoning. */
  readonly detail?: JsonObject;
}

export function toExtraBlock(providerExtra: ProviderExtra): RedactedThinkingBlock {
  return { type: 'redacted_thinking', data: wrapOpaque('openai-chat', JSON.stringify(providerExtra)) };
}

/** Encrypted reasoning of anybody but those whose form the canonical shape has. */
export function isEncryptedDetail(detail: JsonObject): boolean {
  return detail.type === 'reasoning.encrypted' && typeof detail.data === 'string';
}

export interface ProviderExtras {
  readonly details: readonly JsonObject[];
  readonly byCall: ReadonlyMap<string, JsonObject>;
}

/** Those that came from this same model; another one could make nothing of them. */
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

/** Answers name the version of the model that was asked for. */
function isSameModel(answered: string, asked: string): boolean {
  return answered !== '' && (answered.startsWith(asked) || asked.startsWith(answered));
}
