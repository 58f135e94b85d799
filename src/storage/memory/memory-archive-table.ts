import type { ArchiveFilter, ArchiveRow, ArchiveTable } from '../../kernel/ports/archive.ts';

/** An archive table in memory, for tests. */
export class MemoryArchiveTable implements ArchiveTable {
  readonly #scopes = new Map<string, Map<string, ArchiveRow>>();

  async add(scope: string, added: readonly ArchiveRow[], bytesMax: number): Promise<void> {
    const rows = this.#rowsOf(scope);
    for (const row of added) if (!rows.has(row.ref)) rows.set(row.ref, row);
    let bytes = [...rows.values()].reduce((sum, { sealed }) => sum + sealed.byteLength, 0);
    for (const { ref, sealed } of [...rows.values()].sort(
      (one, other) => one.createdAtMs - other.createdAtMs,
    )) {
      if (bytes <= bytesMax) return;
      rows.delete(ref);
      bytes -= sealed.byteLength;
    }
  }

  async find(scope: string, ref: string, nowMs: number): Promise<ArchiveRow | undefined> {
    const row = this.#rowsOf(scope).get(ref);
    return row !== undefined && row.expiresAtMs > nowMs ? row : undefined;
  }

  async remove(scope: string, { ref, conversation, person }: ArchiveFilter): Promise<number> {
    const rows = this.#rowsOf(scope);
    const removed = [...rows.values()].filter(
      (row) =>
        (ref ?? row.ref) === row.ref &&
        (conversation ?? row.conversation) === row.conversation &&
        (person ?? row.person) === row.person,
    );
    for (const row of removed) rows.delete(row.ref);
    return removed.length;
  }

  async forget(scope: string): Promise<void> {
    this.#scopes.delete(scope);
  }

  async tidy(nowMs: number): Promise<boolean> {
    for (const rows of this.#scopes.values())
      for (const { ref, expiresAtMs } of rows.values()) if (expiresAtMs <= nowMs) rows.delete(ref);
    return false;
  }

  #rowsOf(scope: string): Map<string, ArchiveRow> {
    const rows = this.#scopes.get(scope) ?? new Map<string, ArchiveRow>();
    this.#scopes.set(scope, rows);
    return rows;
  }
}
