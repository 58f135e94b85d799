import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Shelf, Shelves } from '../../kernel/ports/shelves.ts';

interface Kept {
  readonly value: Uint8Array;
  readonly untilMs: number;
  /** How many were put before its last use. */
  usedAfter: number;
}

/** Shelves in this process: the least recently used goes first when the bytes run out, as of the last that was put. */
export class MemoryShelves implements Shelves {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #puts = 0;

  constructor(clock: Clock, bytesMax: number = limits.shelfBytesMax) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /** What is kept now, keys included. */
  get bytes(): number {
    return this.#bytes;
  }

  async forget(scope: string): Promise<void> {
    const beginning = named(scope, '');
    for (const key of this.#kept.keys()) if (key.startsWith(beginning)) this.#delete(key);
  }

  shelf(scope: string): Shelf {
    const full = (key: string) => named(scope, key);
    return {
      get: async (key) => this.#get(full(key)),
      put: async (key, value, ttlSeconds) => this.#put(full(key), value, ttlSeconds),
      delete: async (key) => this.#delete(full(key)),
    };
  }

  #get(key: string): Uint8Array | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.untilMs <= this.#clock.now()) {
      this.#delete(key);
      return undefined;
    }
    // Which goes first matters when something comes. To move it each time would make the map a new table every few calls.
    if (kept.usedAfter !== this.#puts) {
      kept.usedAfter = this.#puts;
      this.#kept.delete(key);
      this.#kept.set(key, kept);
    }
    return kept.value;
  }

  #put(key: string, value: Uint8Array, ttlSeconds: number): void {
    this.#delete(key);
    if (sizeOf(key, value) > this.#bytesMax) return;
    // A copy: a small buffer is part of a larger one, all of which would be held.
    const untilMs = this.#clock.now() + ttlSeconds * 1000;
    this.#kept.set(key, { value: new Uint8Array(value), untilMs, usedAfter: ++this.#puts });
    this.#bytes += sizeOf(key, value);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(key, kept.value);
  }
}

/** With the length in front, where one ends and the other begins is no question. */
function named(scope: string, key: string): string {
  return `${scope.length}:${scope}${key}`;
}

function sizeOf(key: string, value: Uint8Array): number {
  return key.length * 2 + value.byteLength;
}
