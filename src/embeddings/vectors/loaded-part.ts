import type { AddedVectorsPage, VectorCursor } from '../../kernel/ports/vectors.ts';
import { limits } from '../limits.ts';
import { PartIndex } from './part-index.ts';
import type { Slabs } from './slabs.ts';

/** A part in memory: an index per vector space, and the position up to which it was read. */
export class LoadedPart {
  readonly #slabs: Slabs;
  readonly #spaces = new Map<string, PartIndex>();
  readPosition: VectorCursor | undefined;
  /** When it was last read to the end. */
  checkedAtMs = Number.NEGATIVE_INFINITY;
  refreshing: Promise<void> | undefined;
  #prunedAtMs = 0;

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
  }

  get count(): number {
    let sum = 0;
    for (const index of this.#spaces.values()) sum += index.count;
    return sum;
  }

  indexOf(space: string): PartIndex | undefined {
    return this.#spaces.get(space);
  }

  /** False if there is no memory left. */
  put({
    space,
    ...vector
  }: Pick<AddedVectorsPage['rows'][number], 'id' | 'space' | 'codes' | 'expiresAtMs'>): boolean {
    let index = this.#spaces.get(space);
    if (index === undefined) {
      index = new PartIndex(this.#slabs, vector.codes.length);
      this.#spaces.set(space, index);
    }
    return index.put(vector);
  }

  remove(ids: readonly string[]): void {
    for (const index of this.#spaces.values()) for (const id of ids) index.remove(id);
  }

  /** Removes expired vectors, and the oldest above the limit, as the database does. */
  trim(most: number, nowMs: number): void {
    if (nowMs - this.#prunedAtMs > limits.vectorsTidyMs) {
      this.#prunedAtMs = nowMs;
      for (const index of this.#spaces.values()) index.removeExpired(nowMs);
    }
    for (const index of this.#spaces.values()) while (index.count > most) index.removeOldest();
  }

  clear(): void {
    for (const index of this.#spaces.values()) index.clear();
    this.#spaces.clear();
    this.readPosition = undefined;
  }
}
