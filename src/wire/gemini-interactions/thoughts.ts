import {
  type Block,
  type RedactedThinkingBlock,
  sealMark,
  type ThinkingBlock,
} from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, parseObject, stringOf } from '../json-values.ts';
import { unwrapOpaque, wrapOpaque } from '../opaque-data.ts';

export type AnyThinkingBlock = ThinkingBlock | RedactedThinkingBlock;

/** The readable part of a thought. Clients may have collected it piece by piece. */
export function summaryTextOf({ summary }: JsonObject): string {
  return objectsOf(summary)
    .map(({ text }) => stringOf(text) ?? '')
    .join('');
}

/** A thought in a request or an answer: one of this format, or one of another that this gateway wrote. */
export function decodeThought(step: JsonObject, model: string): readonly AnyThinkingBlock[] {
  const thinking = summaryTextOf(step);
  const opaque = decodeSignature(stringOf(step.signature) ?? '', model);
  if (opaque !== undefined && 'signature' in opaque)
    return [{ type: 'thinking', thinking, signature: opaque.signature }];
  const visible: readonly AnyThinkingBlock[] = thinking === '' ? [] : [{ type: 'thinking', thinking }];
  return opaque === undefined ? visible : [...visible, opaque];
}

/** What the signature of a thought is in other formats: theirs, or a block that only its maker reads. */
export function decodeSignature(
  signature: string,
  model: string,
): { readonly signature: string } | RedactedThinkingBlock | undefined {
  if (signature === '') return undefined;
  const text = signature.startsWith(sealPrefix) ? Buffer.from(signature, 'base64').toString('utf8') : '';
  const sealed = unwrapOpaque('signature', text);
  if (sealed !== undefined) return sealed === '' ? undefined : { signature: sealed };
  const data = unwrapOpaque('redacted', text) ?? sealSignature({ model, signature });
  return { type: 'redacted_thinking', data };
}

/** A signature of another format, or none. Some clients treat it as bytes, so it must be base64. */
export function sealForeignSignature(signature: string): string {
  return toBase64(wrapOpaque('signature', signature));
}

/** The signature of the thought that a block stands for. */
export function signatureOfRedacted(block: RedactedThinkingBlock): string {
  return ownSignatureIn(block)?.signature ?? toBase64(wrapOpaque('redacted', block.data));
}

interface OwnSignature {
  readonly model: string;
  readonly signature: string;
}

function sealSignature(ownSignature: OwnSignature): string {
  return wrapOpaque('gemini-interactions', JSON.stringify(ownSignature));
}

/** A signature of this format that passed through another one. */
export function ownSignatureIn(block: Block): OwnSignature | undefined {
  const text =
    block.type === 'redacted_thinking' ? unwrapOpaque('gemini-interactions', block.data) : undefined;
  const { model, signature } = (text === undefined ? undefined : parseObject(text)) ?? {};
  return typeof model === 'string' && typeof signature === 'string' ? { model, signature } : undefined;
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A multiple of three bytes, so that its base64 doesn't depend on what follows. */
export const sealPrefix = toBase64(sealMark);
