import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../limits.ts';
import { inverseNorm } from './quantization.ts';
import { type Slabs, vectorsInSlab } from './slabs.ts';

interface IndexEntry {
  readonly id: string;
  readonly codes: Int8Array;
  readonly expiresAtMs: number;
}

export interface Neighbor {
  readonly id: string;
  readonly cosine: number;
}

interface NeighborQuery {
  readonly most: number;
  readonly least: number;
  readonly nowMs: number;
}

/** Vectors of one size in memory, each at a fixed position until it is removed. A search compares all of them. */
export class PartIndex {
  readonly #slabs: Slabs;
  readonly #perSlab: number;
  readonly #ownSlabs: number[] = [];
  readonly #positions = new Map<string, number>();
  /** By position; undefined if the position is free. */
  readonly #ids: (string | undefined)[] = [];
  readonly #inverseLengths: number[] = [];
  readonly #expiresAtMs: number[] = [];
  readonly #freePositions: number[] = [];

  constructor(slabs: Slabs, size: number) {
    this.#slabs = slabs;
    this.#perSlab = vectorsInSlab(size);
  }

  get count(): number {
    return this.#positions.size;
  }

  get slabs(): number {
    return this.#ownSlabs.length;
  }

  /** False if there is no memory left. */
  put({ id, codes, expiresAtMs }: IndexEntry): boolean {
    this.remove(id);
    const position = this.#freePositions.pop() ?? this.#allocatePosition();
    if (position === undefined) return false;
    this.#slabs.write(this.#slabOf(position), position % this.#perSlab, codes);
    this.#positions.set(id, position);
    this.#ids[position] = id;
    this.#inverseLengths[position] = inverseNorm(codes);
    this.#expiresAtMs[position] = expiresAtMs;
    return true;
  }

  remove(id: string): void {
    const position = this.#positions.get(id);
    if (position === undefined) return;
    this.#positions.delete(id);
    this.#ids[position] = undefined;
    this.#freePositions.push(position);
  }

  removeOldest(): void {
    for (const id of this.#positions.keys()) {
      this.remove(id);
      return;
    }
  }

  removeExpired(nowMs: number): void {
    for (const [id, position] of this.#positions)
      if ((this.#expiresAtMs[position] ?? 0) <= nowMs) this.remove(id);
  }

  clear(): void {
    for (const slab of this.#ownSlabs) this.#slabs.free(slab);
    for (const list of [
      this.#ownSlabs,
      this.#ids,
      this.#inverseLengths,
      this.#expiresAtMs,
      this.#freePositions,
    ])
      list.length = 0;
    this.#positions.clear();
  }

  /** Nearest first. Yields to the event loop if there are many vectors. */
  async nearest(query: Int8Array, { most, least, nowMs }: NeighborQuery): Promise<readonly Neighbor[]> {
    const scale = inverseNorm(query);
    const found: Neighbor[] = [];
    let atLeast = least;
    this.#slabs.setQuery(query);
    for (let from = 0; from < this.#ids.length; from += this.#perSlab) {
      if (from > 0 && (from / this.#perSlab) % limits.vectorSlabsAtOnce === 0) {
        await turn();
        this.#slabs.setQuery(query);
      }
      const count = Math.min(this.#perSlab, this.#ids.length - from);
      const products = this.#slabs.dotProducts(this.#slabOf(from), count);
      for (let at = 0; at < count; at++) {
        const cosine = (products[at] ?? 0) * (this.#inverseLengths[from + at] ?? 0) * scale;
        if (cosine < atLeast) continue;
        const id = this.#ids[from + at];
        if (id === undefined || (this.#expiresAtMs[from + at] ?? 0) <= nowMs) continue;
        insert(found, { id, cosine: Math.min(cosine, 1) });
        if (found.length > most) found.pop();
        if (found.length === most) atLeast = found.at(-1)?.cosine ?? least;
      }
    }
    return found;
  }

  #slabOf(position: number): number {
    return this.#ownSlabs[Math.floor(position / this.#perSlab)] ?? 0;
  }

  #allocatePosition(): number | undefined {
    const position = this.#ids.length;
    if (position < this.#ownSlabs.length * this.#perSlab) return position;
    const slab = this.#slabs.allocate();
    if (slab === undefined) return undefined;
    this.#ownSlabs.push(slab);
    return position;
  }
}

function insert(found: Neighbor[], one: Neighbor): void {
  let at = found.length;
  while (at > 0 && (found[at - 1]?.cosine ?? 0) < one.cosine) at--;
  found.splice(at, 0, one);
}
