import { hash, timingSafeEqual } from 'node:crypto';

/** What RFC 9530 writes for a body, over its bytes as they came. */
export function contentDigest(raw: Uint8Array): string {
  return `sha-256=:${hash('sha256', raw, 'base64')}:`;
}

/** In the same time whatever they are. */
export function timingSafeTextEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
