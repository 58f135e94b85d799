import { isJsonObject } from '../../kernel/json.ts';
import type { Block, RedactedThinkingBlock, ThinkingBlock } from '../../kernel/message.ts';
import { objectOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';

/**
 * What a model signed its parts with (https://ai.google.dev/gemini-api/docs/thought-signatures), on its way through
 * clients of other formats: sealed, with the name of the model that it belongs to, in a block that clients return as they
 * got it. `on` is the call that it stands on, or the text, or a part of its own behind that.
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

/** Those that came from this same model; another one could make nothing of them. */
export function signaturesFor(model: string, blocks: readonly Block[]): SignaturesByTarget {
  const byCall = new Map<string, string>();
  const onText: string[] = [];
  const atEnd: string[] = [];
  for (const block of blocks) {
    const found = signatureIn(block);
    if (found === undefined || !isSameModel(found.model, model)) continue;
    if (found.on === 'text') onText.push(found.signature);
    else if (found.on === 'end') atEnd.push(found.signature);
    else byCall.set(found.on.call, found.signature);
  }
  return { byCall, onText, atEnd };
}

export function isSignatureFor(model: string, block: Block): boolean {
  const found = signatureIn(block);
  return found !== undefined && isSameModel(found.model, model);
}

/** Answers name the version of the model that was asked for; `gemini-flash-latest` is whichever that is. */
function isSameModel(answered: string, asked: string): boolean {
  if (answered === '') return false;
  return answered.startsWith(asked) || asked.startsWith(answered) || /-latest$/.test(asked);
}

/**
 * Google's own word for a call that no model of its signed, as in a conversation that began elsewhere: it is no signature,
 * and says that there is none to check (same page, "transfer from a different model").
 */
export const skipSignatureValidation = 'skip_thought_signature_validator';

/**
 * The other way round: what other makers' models thought, in the place where Google's clients keep signatures. That is
 * bytes to some of them, which only base64 comes through. It stands behind the thoughts that are shown, and once more on
 * the call that follows, since some clients return calls with their signatures and no thoughts.
 */
export function encodeCarriedThinking(thoughts: readonly AnyThinkingBlock[]): string {
  return Buffer.from(wrapOpaque('blocks', JSON.stringify(thoughts))).toString('base64');
}

/** What was carried; undefined for what is a signature of Google's. */
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

/** Whole groups of three bytes, so that what follows doesn't change them. */
const carriedThinkingPrefix = Buffer.from(wrapOpaque('blocks', '').slice(0, 18)).toString('base64');
