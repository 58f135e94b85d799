import { sealMark as mark } from '../kernel/message.ts';
import { markTexts } from '../kernel/scan/scan.ts';

/**
 * Data that only its maker can read, such as a signature or encrypted reasoning, has to pass unchanged through clients
 * of another format. It goes into their field for opaque text with a prefix, so that it is never mistaken for the
 * format's own.
 */
export type OpaqueKind =
  | 'signature'
  | 'redacted'
  | 'blocks'
  | 'compaction'
  | 'openai-chat'
  | 'openai-responses'
  | 'gemini'
  | 'gemini-interactions';

/** Texts that are wrapped. */
export const sealedTexts = markTexts(mark);

export function wrapOpaque(kind: OpaqueKind, data: string): string {
  return `${mark}${kind}:${data}`;
}

export function unwrapOpaque(kind: OpaqueKind, sealed: string): string | undefined {
  const prefix = `${mark}${kind}:`;
  return sealed.startsWith(prefix) ? sealed.slice(prefix.length) : undefined;
}

export function isWrappedOpaque(data: string): boolean {
  return data.startsWith(mark);
}
