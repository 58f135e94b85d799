import type { RedisEndpoint } from './redis-address.ts';

/** A cluster divides its keys into this many slots. */
const slotCount = 16_384;

/** The slot of a key: a checksum of what is in its first pair of braces, or of all of it. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  return crc16(Buffer.from(hashed)) % slotCount;
}

/** CRC16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

interface SlotRange {
  readonly first: number;
  readonly last: number;
  /** Undefined if it is the server that was asked. */
  readonly master: RedisEndpoint | undefined;
}

/** Parses the reply to CLUSTER SLOTS. */
export function parseClusterSlots(reply: unknown): readonly SlotRange[] {
  if (!Array.isArray(reply)) throw new Error('Redis CLUSTER SLOTS returned an unexpected reply');
  return reply.map((range: unknown) => {
    const [first, last, master] = Array.isArray(range) ? range : [];
    const [host, port] = Array.isArray(master) ? master : [];
    const endpoint = host ? { host: String(host), port: Number(port) } : undefined;
    return { first: Number(first), last: Number(last), master: endpoint };
  });
}

/** Where a MOVED or ASK error sends the client: `MOVED 3999 127.0.0.1:6381`. The host is empty for the same server. */
export function parseRedirect(
  error: unknown,
): { readonly kind: 'MOVED' | 'ASK'; readonly endpoint: RedisEndpoint } | undefined {
  const [kind, , place = ''] = error instanceof Error ? error.message.split(' ') : [];
  if (kind !== 'MOVED' && kind !== 'ASK') return undefined;
  const colon = place.lastIndexOf(':');
  return { kind, endpoint: { host: place.slice(0, colon), port: Number(place.slice(colon + 1)) } };
}
