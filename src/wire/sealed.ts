import { sealMark as mark } from '../kernel/thoughts.ts';

/**
 * What only its maker can read, a signature or encrypted reasoning, has to travel through clients of another format and
 * come back whole. Where such a client keeps opaque text, it goes there with a mark of what it is, so that it is never
 * taken for the client's own kind.
 */
export type Sealed = 'signature' | 'redacted' | 'blocks' | 'openai-chat' | 'openai-responses' | 'gemini';

export function seal(kind: Sealed, data: string): string {
  return `${mark}${kind}:${data}`;
}

export function unseal(kind: Sealed, sealed: string): string | undefined {
  const prefix = `${mark}${kind}:`;
  return sealed.startsWith(prefix) ? sealed.slice(prefix.length) : undefined;
}

export function isSealed(data: string): boolean {
  return data.startsWith(mark);
}
