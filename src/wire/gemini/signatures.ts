import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../kernel/message.ts';
import { isJsonObject } from '../../lib/json.ts';
import { objectOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';

/**
 * Carries a thought signature (https://ai.google.dev/gemini-api/docs/thought-signatures) through clients of other
 * formats: wrapped, with the name of its model, in a block that clients return unchanged. `on` is its position: a call,
 * the text, or its own part after that.
 */
export interface ThoughtSignature {
  readonly model: string;
  readonly signature: string;
  readonly on: { readonly call: string } | 'text' | 'end';
}

export function toSignatureBlock(thoughtSignature: ThoughtSignature): RedactedThinkingBlock {
  return { type: 'redacted_thinking', data: wrapOpaque('gemini', JSON.stringify(thoughtSignature)) };
}

export function signatureIn(block: Block): ThoughtSignature | undefined {
  const text = block.type === 'redacted_thinking' ? unwrapOpaque('gemini', block.data) : undefined;
  const { model, signature, on } = (text === undefined ? undefined : parseObject(text)) ?? {};
  if (typeof model !== 'string' || typeof signature !== 'string') return undefined;
  const call = isJsonObject(on) ? stringOf(on.call) : undefined;
  if (call !== undefined) return { model, signature, on: { call } };
  return on === 'text' || on === 'end' ? { model, signature, on } : undefined;
}

export interface SignaturesByTarget {
  readonly byCall: ReadonlyMap<string, string>;
  readonly onText: readonly string[];
  readonly atEnd: readonly string[];
}

/** The signatures of this model; they are useless to others. */
export function signaturesFor(model: string, blocks: readonly Block[]): SignaturesByTarget {
  const byCall = new Map<string, string>();
  const onText: string[] = [];
  const atEnd: string[] = [];
  for (const block of blocks) {
    const signature = signatureIn(block);
    if (signature === undefined || !isSameModel(signature.model, model)) continue;
    if (signature.on === 'text') onText.push(signature.signature);
    else if (signature.on === 'end') atEnd.push(signature.signature);
    else byCall.set(signature.on.call, signature.signature);
  }
  return { byCall, onText, atEnd };
}

export function isSignatureFor(model: string, block: Block): boolean {
  const signature = signatureIn(block);
  return signature !== undefined && isSameModel(signature.model, model);
}

/** A response names a version of the requested model; `gemini-flash-latest` can be any. */
export function isSameModel(answered: string, requested: string): boolean {
  if (answered === '') return false;
  return answered.startsWith(requested) || requested.startsWith(answered) || /-latest$/.test(requested);
}

/**
 * Google's placeholder for a call that no Google model signed, as in a conversation that started elsewhere: it skips
 * validation (same page, "transfer from a different model").
 */
export const skipSignatureValidation = 'skip_thought_signature_validator';

/**
 * The opposite direction: other makers' thinking, in the field where Google's clients keep signatures. Some clients
 * treat it as bytes, so it must be base64. It follows the visible thoughts and is repeated on the next call, since some
 * clients return calls with their signatures but no thoughts.
 */
export function encodeCarriedThinking(thoughts: readonly AnyThinkingBlock[]): string {
  return Buffer.from(wrapOpaque('blocks', JSON.stringify(thoughts))).toString('base64');
}

/** Marks a call that no model signed. */
export const noCarriedThinking = encodeCarriedThinking([]);

/** The carried thinking; undefined for a signature from Google. */
export function decodeCarriedThinking(signature: string): readonly AnyThinkingBlock[] | undefined {
  if (!signature.startsWith(carriedThinkingPrefix)) return undefined;
  const text = unwrapOpaque('blocks', Buffer.from(signature, 'base64').toString('utf8'));
  const { blocks } = (text === undefined ? undefined : parseObject(`{"blocks":${text}}`)) ?? {};
  return Array.isArray(blocks) ? blocks.flatMap((block) => parseThinkingBlock(block) ?? []) : undefined;
}

export type AnyThinkingBlock = ThinkingBlock | RedactedThinkingBlock;

function parseThinkingBlock(block: unknown): AnyThinkingBlock | undefined {
  const { type, thinking, signature, data } = objectOf(block) ?? {};
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data };
  const isWhole = typeof thinking === 'string' && typeof signature === 'string';
  return type === 'thinking' && isWhole ? { type, thinking, signature } : undefined;
}

/** A multiple of three bytes, so that its base64 doesn't depend on what follows. */
export const carriedThinkingPrefix = Buffer.from(wrapOpaque('blocks', '').slice(0, 18)).toString('base64');
