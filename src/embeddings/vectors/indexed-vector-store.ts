import { setImmediate as turn } from 'node:timers/promises';
import type { Vector } from '../../kernel/ports/embeddings.ts';
import type {
  NewVector,
  VectorFailureReason,
  VectorMatch,
  VectorOwner,
  VectorQuery,
  VectorRow,
  VectorSearchResult,
  VectorStores,
  Vectors,
  VectorTable,
  VectorWriteResult,
} from '../../kernel/ports/vectors.ts';
import type { Clock } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { limits } from '../limits.ts';
import { LoadedPart } from './loaded-part.ts';
import { inverseNorm, quantize } from './quantization.ts';
import type { Slabs } from './slabs.ts';
import { validateIds, validateName, validateQuery, validateVector } from './vector-arguments.ts';

interface IndexedVectorStoreParts {
  readonly table: VectorTable;
  readonly clock: Clock;
  /** Maximum vectors of a module per tenant. */
  readonly perScope: number;
  /** Called with the first search: a gateway without vectors needs no memory for them. */
  slabs(): Slabs;
  onError?(cause: unknown): void;
}

/** Vectors in the database, with recently searched parts in memory. Matches are checked against the database, so removed vectors are never found. */
export class IndexedVectorStore implements VectorStores {
  readonly #parts: IndexedVectorStoreParts;
  /** Least recently used first. */
  readonly #loaded = new Map<string, LoadedPart>();
  #slabs: Slabs | undefined;
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: IndexedVectorStoreParts) {
    this.#parts = parts;
  }

  /** Numbers of loaded parts and allocated slabs. */
  get figures() {
    return { parts: this.#loaded.size, slabs: this.#slabs?.allocated ?? 0 };
  }

  vectors(module: string, scope: string): Vectors {
    const owner = { module, scope };
    return {
      add: (entry) => this.#add(owner, entry),
      search: (near, query) => this.#search(owner, near, query),
      data: (ids, part) => this.#findData(owner, ids, part),
      remove: (ids, part) => this.#remove(owner, ids, part),
      forget: () => this.#attempt(() => this.#forget(owner)),
    };
  }

  async forget(scope: string): Promise<void> {
    await this.#forget({ scope });
  }

  async #add(owner: VectorOwner, entry: NewVector): Promise<VectorWriteResult> {
    const { table, clock, perScope } = this.#parts;
    const nowMs = clock.now();
    const row: VectorRow = {
      ...validateVector(entry),
      part: validateName('a part', entry.part ?? ''),
      codes: quantize(entry.vector.values),
      addedAtMs: nowMs,
      expiresAtMs: nowMs + Math.round(entry.ttlSeconds * 1000),
    };
    return this.#attempt(async () => {
      await table.add(owner, row, perScope);
      const loaded = this.#loaded.get(keyOf(owner, row.part));
      // Vectors that other processes added meanwhile are loaded with the next refresh.
      if (loaded?.readPosition !== undefined && loaded.put(row)) loaded.trim(perScope, nowMs);
      this.#pruneOccasionally(nowMs);
    });
  }

  /** Now and then, adding a vector also deletes expired vectors of all tenants. */
  #pruneOccasionally(nowMs: number): void {
    if (nowMs - this.#prunedAtMs < limits.vectorsTidyMs) return;
    this.#prunedAtMs = nowMs;
    void this.#attempt(async () => {
      for (let rounds = 0; rounds < pruneBatchesMax; rounds++)
        if (!(await this.#parts.table.tidy(nowMs))) return;
    });
  }

  async #findData(
    owner: VectorOwner,
    ids: readonly string[],
    part = '',
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const [validIds, validPart] = [validateIds(ids), validateName('a part', part)];
    try {
      const rows = await this.#parts.table.find(owner, validPart, validIds);
      return new Map(rows.map(({ id, data }) => [id, data]));
    } catch (thrown) {
      this.#failureReason(thrown);
      return undefined;
    }
  }

  async #remove(owner: VectorOwner, ids: readonly string[], part = ''): Promise<VectorWriteResult> {
    const [validIds, validPart] = [validateIds(ids), validateName('a part', part)];
    this.#loaded.get(keyOf(owner, validPart))?.remove(validIds);
    return this.#attempt(() => this.#parts.table.remove(owner, validPart, validIds));
  }

  async #forget(owner: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void> {
    await this.#parts.table.forget(owner);
    const keyPrefix =
      owner.module === undefined ? `${owner.scope}\n` : keyOf({ module: owner.module, ...owner }, '');
    for (const [key, loaded] of this.#loaded)
      if (key.startsWith(keyPrefix)) loaded.checkedAtMs = Number.NEGATIVE_INFINITY;
  }

  async #search(owner: VectorOwner, near: Vector, query: VectorQuery = {}): Promise<VectorSearchResult> {
    const { part, most, least, deadlineMs } = validateQuery(query);
    try {
      const found = await withTimeout(
        this.#findNearest(owner, part, { near, most, least }),
        deadlineMs,
        () => new SearchTimeoutError(),
      );
      return { found };
    } catch (thrown) {
      return { why: this.#failureReason(thrown) };
    }
  }

  async #findNearest(
    owner: VectorOwner,
    part: string,
    { near, most, least }: { readonly near: Vector; readonly most: number; readonly least: number },
  ): Promise<readonly VectorMatch[]> {
    const { table, clock } = this.#parts;
    const loaded = await this.#loadFreshPart(owner, part);
    const index = loaded.indexOf(near.space);
    if (index === undefined) return [];
    const codes = quantize(near.values);
    for (;;) {
      const spare = most + limits.vectorsSpare;
      const ids = (await index.nearest(codes, { most: spare, least, nowMs: clock.now() })).map(
        ({ id }) => id,
      );
      if (ids.length === 0) return [];
      const rows = (await table.find(owner, part, ids)).filter(({ space }) => space === near.space);
      const present = new Set(rows.map(({ id }) => id));
      const removed = ids.filter((id) => !present.has(id));
      for (const id of removed) index.remove(id);
      // If some were removed, further candidates may follow: search again.
      if (present.size >= most || removed.length === 0 || ids.length < spare)
        return rows
          .map((row) => toFoundVector(row, codes))
          .filter(({ cosine }) => cosine >= least)
          .sort((one, other) => other.cosine - one.cosine)
          .slice(0, most);
    }
  }

  /** The part in memory, at most a second old. */
  async #loadFreshPart(owner: VectorOwner, part: string): Promise<LoadedPart> {
    const key = keyOf(owner, part);
    this.#slabs ??= this.#parts.slabs();
    const loaded = this.#loaded.get(key) ?? new LoadedPart(this.#slabs);
    this.#loaded.delete(key);
    this.#loaded.set(key, loaded);
    if (this.#loaded.size > limits.vectorPartsMax) this.#unloadOldest(loaded);
    if (this.#parts.clock.now() - loaded.checkedAtMs < limits.vectorsFreshMs) return loaded;
    loaded.refreshing ??= this.#refresh(owner, part, loaded).finally(() => {
      loaded.refreshing = undefined;
    });
    await loaded.refreshing;
    return loaded;
  }

  async #refresh(owner: VectorOwner, part: string, loaded: LoadedPart): Promise<void> {
    const { table, clock, perScope } = this.#parts;
    const nowMs = clock.now();
    for (let isAll = false; !isAll; ) {
      const added = await table.added(owner, { part, since: loaded.readPosition });
      if (!added.goesOn) loaded.clear();
      for (const row of added.rows)
        while (!loaded.put(row))
          if (!this.#unloadOldest(loaded)) {
            loaded.clear();
            throw new PartTooLargeError();
          }
      loaded.readPosition = { epoch: added.epoch, upTo: added.upTo };
      isAll = added.isAll;
      // A database within this process answers without yielding to the event loop.
      if (!isAll) await turn();
    }
    loaded.trim(perScope, nowMs);
    loaded.checkedAtMs = nowMs;
  }

  /** False if there is no other part to unload. */
  #unloadOldest(needed: LoadedPart): boolean {
    for (const [key, loaded] of this.#loaded)
      if (loaded !== needed && loaded.refreshing === undefined) {
        this.#loaded.delete(key);
        loaded.clear();
        return true;
      }
    return false;
  }

  async #attempt(work: () => Promise<void>): Promise<VectorWriteResult> {
    try {
      await work();
      return {};
    } catch (thrown) {
      return { why: this.#failureReason(thrown) };
    }
  }

  #failureReason(thrown: unknown): VectorFailureReason {
    if (thrown instanceof SearchTimeoutError) return 'late';
    if (thrown instanceof PartTooLargeError) return 'full';
    this.#parts.onError?.(thrown);
    return 'away';
  }
}

/** About twenty thousand vectors; the rest is deleted next time. */
const pruneBatchesMax = 200;

class SearchTimeoutError extends Error {}
class PartTooLargeError extends Error {}

function keyOf({ module, scope }: VectorOwner, part: string): string {
  return `${scope}\n${module}\n${part}`;
}

function toFoundVector(row: VectorRow, codes: Int8Array): VectorMatch {
  let product = 0;
  for (let at = 0; at < codes.length; at++) product += (codes[at] ?? 0) * (row.codes[at] ?? 0);
  const cosine = Math.min(product * inverseNorm(codes) * inverseNorm(row.codes), 1);
  const { id, data, addedAtMs } = row;
  return { id, cosine, data, addedAtMs };
}
