import { setImmediate as turn } from 'node:timers/promises';
import { limits } from '../../kernel/limits.ts';
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

/** Vectors of one size in memory, each at a place of its own until it is removed. Every one is looked at in a search. */
export class PartIndex {
  readonly #slabs: Slabs;
  readonly #perSlab: number;
  readonly #ownSlabs: number[] = [];
  readonly #positions = new Map<string, number>();
  /** By place; of those that are free the id is undefined. */
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

  /** False where there is no memory left. */
  put({ id, codes, expiresAtMs }: IndexEntry): boolean {
    this.remove(id);
    const place = this.#freePositions.pop() ?? this.#allocatePosition();
    if (place === undefined) return false;
    this.#slabs.write(this.#slabOf(place), place % this.#perSlab, codes);
    this.#positions.set(id, place);
    this.#ids[place] = id;
    this.#inverseLengths[place] = inverseNorm(codes);
    this.#expiresAtMs[place] = expiresAtMs;
    return true;
  }

  remove(id: string): void {
    const place = this.#positions.get(id);
    if (place === undefined) return;
    this.#positions.delete(id);
    this.#ids[place] = undefined;
    this.#freePositions.push(place);
  }

  removeOldest(): void {
    for (const id of this.#positions.keys()) {
      this.remove(id);
      return;
    }
  }

  removeExpired(nowMs: number): void {
    for (const [id, place] of this.#positions) if ((this.#expiresAtMs[place] ?? 0) <= nowMs) this.remove(id);
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

  /** The nearest first. Others get their turn in between where there are many. */
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

  #slabOf(place: number): number {
    return this.#ownSlabs[Math.floor(place / this.#perSlab)] ?? 0;
  }

  #allocatePosition(): number | undefined {
    const place = this.#ids.length;
    if (place < this.#ownSlabs.length * this.#perSlab) return place;
    const slab = this.#slabs.allocate();
    if (slab === undefined) return undefined;
    this.#ownSlabs.push(slab);
    return place;
  }
}

function insert(found: Neighbor[], one: Neighbor): void {
  let at = found.length;
  while (at > 0 && (found[at - 1]?.cosine ?? 0) < one.cosine) at--;
  found.splice(at, 0, one);
}
