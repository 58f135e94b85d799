// Functions that also run in browsers, inlined into the page as they are: they may use browser APIs only.

interface PublicKey {
  readonly kid?: string | undefined;
  readonly x?: string | undefined;
}

/** The payload of a compact JWS; undefined if none of the keys has signed it. */
export async function signedPayload(
  jws: string,
  keys: readonly PublicKey[],
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytesOf = (text: string) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const read = (text: string) => JSON.parse(new TextDecoder().decode(bytesOf(text)));
  const [head = '', payload = '', signature = ''] = jws.split('.');
  const { alg, kid } = read(head);
  const x = keys.find((key) => key.kid === kid)?.x;
  if (alg !== 'EdDSA' || x === undefined) return undefined;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']);
  const text = new TextEncoder().encode(`${head}.${payload}`);
  const holds = await crypto.subtle.verify('Ed25519', key, bytesOf(signature), text);
  return holds ? read(payload) : undefined;
}

/** A value as shown on the page. */
export function shownAs(value: unknown): string {
  if (value === null) return '–';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${typeof part === 'object' ? JSON.stringify(part) : part}`)
    .join(', ');
}
