import { limits } from '../kernel/limits.ts';
import type { Raw } from '../kernel/reply/relayed.ts';
import { FirstBytes } from './first-bytes.ts';
import { resumed } from './resumed.ts';

/** An answer that came packed, in the framing that its first bytes show once they are unpacked. */
export async function lookedAt(raw: Raw): Promise<Raw> {
  if (raw.framing === 'sse' || raw.status >= 300) return raw;
  const firstBytes = new FirstBytes();
  const held: Uint8Array[] = [];
  for (let heldBytes = 0; heldBytes < limits.commitBytesMax; ) {
    const chunk = await raw.body.next();
    if (chunk === undefined) break;
    held.push(chunk);
    heldBytes += chunk.byteLength;
    const seen = firstBytes.read(chunk);
    if (seen === 'sse') return { ...raw, framing: seen, body: resumed(held, raw.body) };
    if (seen !== undefined) break;
  }
  return { ...raw, body: resumed(held, raw.body) };
}
