import { hash, randomBytes } from 'node:crypto';

/** A secret for the fragment of a link, which no server or proxy sees. Only the hash is stored. */
export function createLinkToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** A plain hash is enough for 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
