import { limits } from '../../kernel/limits.ts';
import type {
  AddedVectorsPage,
  AddedVectorsQuery,
  VectorOwner,
  VectorRow,
  VectorTable,
} from '../../kernel/ports/vectors.ts';
import { validateStoreName } from '../module-entry-validation.ts';

interface NumberedRow {
  readonly row: VectorRow;
  readonly number: number;
}

interface OwnerRows {
  readonly owner: VectorOwner;
  readonly epoch: string;
  /** By part and id, oldest first. */
  readonly rows: Map<string, NumberedRow>;
  lastNumber: number;
}

/** A vector table in memory, for tests. */
export class MemoryVectorTable implements VectorTable {
  readonly #owners = new Map<string, OwnerRows>();
  #epochs = 0;

  async add(owner: VectorOwner, row: VectorRow, most: number): Promise<void> {
    const ownerRows = this.#findOrCreate(owner);
    const number = ++ownerRows.lastNumber;
    ownerRows.rows.delete(joinKey(row.part, row.id));
    ownerRows.rows.set(joinKey(row.part, row.id), { row: { ...row, codes: row.codes.slice() }, number });
    for (const oldest of ownerRows.rows.keys()) {
      if (ownerRows.rows.size <= most) return;
      ownerRows.rows.delete(oldest);
    }
  }

  async remove(owner: VectorOwner, part: string, ids: readonly string[]): Promise<void> {
    const ownerRows = this.#find(owner);
    for (const id of ids) ownerRows?.rows.delete(joinKey(part, id));
    this.#deleteIfEmpty(owner);
  }

  async forget({ scope, module }: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void> {
    for (const [key, { owner }] of this.#owners)
      if (owner.scope === scope && (module === undefined || owner.module === module))
        this.#owners.delete(key);
  }

  async added(owner: VectorOwner, query: AddedVectorsQuery): Promise<AddedVectorsPage> {
    const { part, since, most = limits.vectorRowsAtOnce } = query;
    const ownerRows = this.#find(owner);
    const [epoch, upTo] = [ownerRows?.epoch ?? '', ownerRows?.lastNumber ?? 0];
    const goesOn = since?.epoch === epoch;
    const after = goesOn ? since.upTo : 0;
    const all = [...(ownerRows?.rows.values() ?? [])].filter(
      ({ row, number }) => row.part === part && number > after,
    );
    const some = all.slice(0, most);
    const isAll = some.length === all.length;
    const rows = some.map(({ row: { data: _, ...rest } }) => rest);
    return { epoch, upTo: isAll ? upTo : (some.at(-1)?.number ?? upTo), goesOn, rows, isAll };
  }

  async find(owner: VectorOwner, part: string, ids: readonly string[]): Promise<readonly VectorRow[]> {
    const ownerRows = this.#find(owner);
    return ids.flatMap((id) => ownerRows?.rows.get(joinKey(part, id))?.row ?? []);
  }

  async tidy(nowMs: number): Promise<boolean> {
    for (const { owner, rows } of [...this.#owners.values()]) {
      for (const [key, { row }] of rows) if (row.expiresAtMs <= nowMs) rows.delete(key);
      this.#deleteIfEmpty(owner);
    }
    return false;
  }

  #find({ module, scope }: VectorOwner): OwnerRows | undefined {
    return this.#owners.get(joinKey(validateStoreName(scope), validateStoreName(module)));
  }

  #findOrCreate(owner: VectorOwner): OwnerRows {
    const before = this.#find(owner);
    if (before !== undefined) return before;
    const ownerRows: OwnerRows = { owner, epoch: String(++this.#epochs), rows: new Map(), lastNumber: 0 };
    this.#owners.set(joinKey(owner.scope, owner.module), ownerRows);
    return ownerRows;
  }

  #deleteIfEmpty(owner: VectorOwner): void {
    if (this.#find(owner)?.rows.size === 0) this.#owners.delete(joinKey(owner.scope, owner.module));
  }
}

function joinKey(one: string, other: string): string {
  return `${one}\n${other}`;
}
