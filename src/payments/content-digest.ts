import { hash, timingSafeEqual } from 'node:crypto';

/** The Content-Digest of a body (RFC 9530), over its bytes as received. */
export function contentDigest(raw: Uint8Array): string {
  return `sha-256=:${hash('sha256', raw, 'base64')}:`;
}

/** Compares in constant time. */
export function timingSafeTextEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
