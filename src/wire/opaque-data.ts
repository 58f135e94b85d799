import { sealMark as mark } from '../kernel/thinking-blocks.ts';

/**
 * What only its maker can read, a signature or encrypted reasoning, has to travel through clients of another format and
 * come back whole. Where such a client keeps opaque text, it goes there with a mark of what it is, so that it is never
 * taken for the client's own kind.
 */
export type OpaqueKind = 'signature' | 'redacted' | 'blocks' | 'openai-chat' | 'openai-responses' | 'gemini';

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
