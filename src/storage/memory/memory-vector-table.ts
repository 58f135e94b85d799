import { limits } from '../../kernel/limits.ts';
import type {
  AddedQuestion,
  VectorOwner,
  VectorRow,
  VectorsAdded,
  VectorTable,
} from '../../kernel/ports/vectors.ts';
import { storeName } from '../module-entries.ts';

interface Numbered {
  readonly row: VectorRow;
  readonly number: number;
}

interface Kept {
  readonly owner: VectorOwner;
  readonly epoch: string;
  /** By part and id, the oldest first. */
  readonly rows: Map<string, Numbered>;
  lastNumber: number;
}

/** Rows of vectors for as long as the process runs, for tests. */
export class MemoryVectorTable implements VectorTable {
  readonly #kept = new Map<string, Kept>();
  #epochs = 0;

  async add(owner: VectorOwner, row: VectorRow, most: number): Promise<void> {
    const kept = this.#begin(owner);
    const number = ++kept.lastNumber;
    kept.rows.delete(keyOf(row.part, row.id));
    kept.rows.set(keyOf(row.part, row.id), { row: { ...row, codes: row.codes.slice() }, number });
    for (const oldest of kept.rows.keys()) {
      if (kept.rows.size <= most) return;
      kept.rows.delete(oldest);
    }
  }

  async remove(owner: VectorOwner, part: string, ids: readonly string[]): Promise<void> {
    const kept = this.#of(owner);
    for (const id of ids) kept?.rows.delete(keyOf(part, id));
    this.#settle(owner);
  }

  async forget({ scope, module }: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void> {
    for (const [key, { owner }] of this.#kept)
      if (owner.scope === scope && (module === undefined || owner.module === module)) this.#kept.delete(key);
  }

  async added(owner: VectorOwner, question: AddedQuestion): Promise<VectorsAdded> {
    const { part, since, most = limits.vectorRowsAtOnce } = question;
    const kept = this.#of(owner);
    const [epoch, upTo] = [kept?.epoch ?? '', kept?.lastNumber ?? 0];
    const goesOn = since?.epoch === epoch;
    const after = goesOn ? since.upTo : 0;
    const all = [...(kept?.rows.values() ?? [])].filter(
      ({ row, number }) => row.part === part && number > after,
    );
    const some = all.slice(0, most);
    const isAll = some.length === all.length;
    const rows = some.map(({ row: { data: _, ...rest } }) => rest);
    return { epoch, upTo: isAll ? upTo : (some.at(-1)?.number ?? upTo), goesOn, rows, isAll };
  }

  async find(owner: VectorOwner, part: string, ids: readonly string[]): Promise<readonly VectorRow[]> {
    const kept = this.#of(owner);
    return ids.flatMap((id) => kept?.rows.get(keyOf(part, id))?.row ?? []);
  }

  async tidy(nowMs: number): Promise<boolean> {
    for (const { owner, rows } of [...this.#kept.values()]) {
      for (const [key, { row }] of rows) if (row.expiresAtMs <= nowMs) rows.delete(key);
      this.#settle(owner);
    }
    return false;
  }

  #of({ module, scope }: VectorOwner): Kept | undefined {
    return this.#kept.get(keyOf(storeName(scope), storeName(module)));
  }

  #begin(owner: VectorOwner): Kept {
    const before = this.#of(owner);
    if (before !== undefined) return before;
    const kept: Kept = { owner, epoch: String(++this.#epochs), rows: new Map(), lastNumber: 0 };
    this.#kept.set(keyOf(owner.scope, owner.module), kept);
    return kept;
  }

  #settle(owner: VectorOwner): void {
    if (this.#of(owner)?.rows.size === 0) this.#kept.delete(keyOf(owner.scope, owner.module));
  }
}

function keyOf(one: string, other: string): string {
  return `${one}\n${other}`;
}
