import { hashes, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import { api, told } from '../api/client.ts';
import type { Receipt } from '../api/queries.ts';

// Browsers have their own on https alone; this one works on plain http, too.
hashes.sha512 = sha512;

export type ReceiptState = 'holds' | 'broken' | 'unknown-key';

/** Whether the signature is over just these fields, by a key of this gateway. */
export async function checkReceipt({ signature, ...said }: Receipt): Promise<ReceiptState> {
  const { keys } = await told(api.GET('/.well-known/jwks.json'));
  const key = keys.find(({ kid }) => kid === said.key_id);
  if (typeof key?.x !== 'string') return 'unknown-key';
  const [head = '', payload = '', mark = ''] = signature.split('.');
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  try {
    const isSigned = verify(bytesOf(mark), signed, bytesOf(key.x));
    const told = JSON.parse(new TextDecoder().decode(bytesOf(payload))) as Record<string, unknown>;
    return isSigned && same(told, said) ? 'holds' : 'broken';
  } catch {
    return 'broken';
  }
}

function bytesOf(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function same(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const sorted = (value: Readonly<Record<string, unknown>>) =>
    JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(one) === sorted(other);
}
