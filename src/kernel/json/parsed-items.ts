import { hash } from 'node:crypto';
import { exactValue } from '../../lib/json.ts';
import { limits } from '../limits.ts';

/** A message, tool or other item of a list, which is immutable. */
export interface ParsedItem {
  readonly value: unknown;
  /** With all digits of long integers; the same value if it has none. */
  readonly exact: unknown;
  /** The keys of all its objects. */
  readonly keys: number;
  /** About the memory that it takes. */
  readonly heapBytes: number;
}

/**
 * The items of recent large requests: a client sends all earlier messages with each call, and those are parsed once.
 * The same bytes of an owner are the same object, so that whatever was computed for it is known, too. Found by SHA-256: nobody can
 * construct two items with the same hash. Items that no call has used for a minute or two are dropped.
 */
export class ParsedItems {
  #fresh = new Map<string, ParsedItem>();
  #stale = new Map<string, ParsedItem>();
  #freshBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Owners share nothing: the time that a call takes would tell one what another has sent. */
  parse(owner: string, bytes: Uint8Array): ParsedItem {
    const name = `${hash('sha256', bytes, 'base64url')} ${owner}`;
    const fresh = this.#fresh.get(name);
    if (fresh !== undefined) return fresh;
    const item = this.#stale.get(name) ?? parseItem(bytes);
    if (item.heapBytes > limits.parsedItemBytesMax) return item;
    if (this.#freshBytes + item.heapBytes > limits.parsedItemsBytesMax / 2) this.#startGeneration();
    this.#fresh.set(name, item);
    this.#freshBytes += item.heapBytes;
    this.#timer ??= setInterval(() => this.#dropUnused(), limits.parsedItemsLifeMs / 2).unref();
    return item;
  }

  #dropUnused(): void {
    this.#startGeneration();
    if (this.#stale.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #startGeneration(): void {
    this.#stale = this.#fresh;
    this.#fresh = new Map();
    this.#freshBytes = 0;
  }
}

/** An item of its own, for the second of two equal items in a list: each has its place. */
export function parseItem(bytes: Uint8Array): ParsedItem {
  const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  const { keys, values } = freeze(value, { keys: 0, values: 1 });
  const exact = exactValue(value, bytes);
  freeze(exact, { keys: 0, values: 0 });
  const copies = exact === value ? 1 : 2;
  return { value, exact, keys, heapBytes: copies * (bytes.byteLength + values * valueBytes) };
}

interface Counts {
  keys: number;
  values: number;
}

/** All calls share an item, so nobody may change it. Counts what is in it. */
function freeze(value: unknown, counts: Counts): Counts {
  if (typeof value !== 'object' || value === null) return counts;
  const inner = Object.values(value);
  counts.values += inner.length;
  if (!Array.isArray(value)) counts.keys += inner.length;
  for (const one of inner) freeze(one, counts);
  Object.freeze(value);
  return counts;
}

/** What a value takes beside its text. */
const valueBytes = 64;
