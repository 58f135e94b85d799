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
 * The values and items of recent large requests: a client sends all earlier messages with each call, and those are parsed once.
 * The same bytes of an owner are the same object, so that whatever was computed for it is known, too. Found by SHA-256: nobody can
 * construct two items with the same hash. Items that no call has used for a minute or two are dropped.
 */
export class ParsedItems {
  /** Single items, and groups of neighbours that are looked up by one hash. */
  #fresh = new Map<string, readonly ParsedItem[]>();
  #stale = new Map<string, readonly ParsedItem[]>();
  #freshBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Owners share nothing: the time that a call takes would tell one what another has sent. */
  parse(owner: string, bytes: Uint8Array): ParsedItem {
    return this.#findOrAdd(nameOf(owner, bytes), () => [parseItem(bytes)])[0] ?? parseItem(bytes);
  }

  /** The items of a list, of which `offsets` has the starts and ends. */
  parseList(owner: string, bytes: Uint8Array, offsets: readonly number[]): readonly ParsedItem[] {
    const items: ParsedItem[] = [];
    for (let at = 0; at < offsets.length; at += 2 * limits.parsedGroupItems) {
      const group = offsets.slice(at, at + 2 * limits.parsedGroupItems);
      items.push(...this.#parseGroup(owner, bytes, group));
    }
    return items;
  }

  #parseGroup(owner: string, bytes: Uint8Array, offsets: readonly number[]): readonly ParsedItem[] {
    const [start = 0, end = 0] = [offsets[0], offsets.at(-1)];
    const isGrowing = offsets.length < 2 * limits.parsedGroupItems;
    if (isGrowing || end - start > limits.parsedItemBytesMax / 4)
      return itemsAt(bytes, offsets).map((item) => this.parse(owner, item));
    return this.#findOrAdd(nameOf(owner, bytes.subarray(start, end)), () => {
      const items = itemsAt(bytes, offsets);
      const known = (item: Uint8Array) => this.#find(nameOf(owner, item))?.[0];
      // The items of a group that has grown full are known one by one; those of a new conversation are not.
      const hasGrown = items.slice(0, 1).some((first) => known(first) !== undefined);
      return items.map((item) => (hasGrown ? known(item) : undefined) ?? parseItem(item));
    });
  }

  #find(name: string): readonly ParsedItem[] | undefined {
    return this.#fresh.get(name) ?? this.#stale.get(name);
  }

  #findOrAdd(name: string, parse: () => readonly ParsedItem[]): readonly ParsedItem[] {
    const fresh = this.#fresh.get(name);
    if (fresh !== undefined) return fresh;
    const items = this.#stale.get(name) ?? parse();
    const bytes = items.reduce((sum, { heapBytes }) => sum + heapBytes, 0);
    if (bytes > limits.parsedItemBytesMax) return items;
    if (this.#freshBytes + bytes > limits.parsedItemsBytesMax / 2) this.#startGeneration();
    this.#fresh.set(name, items);
    this.#freshBytes += bytes;
    this.#timer ??= setInterval(() => this.#dropUnused(), limits.parsedItemsLifeMs / 2).unref();
    return items;
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

function nameOf(owner: string, bytes: Uint8Array): string {
  return `${hash('sha256', bytes, 'base64url')} ${owner}`;
}

function itemsAt(bytes: Uint8Array, offsets: readonly number[]): readonly Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let at = 0; at < offsets.length; at += 2) items.push(bytes.subarray(offsets[at], offsets[at + 1]));
  return items;
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
