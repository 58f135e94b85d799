import { type Kysely, sql } from 'kysely';
import { limits } from '../limits.ts';
import type { Tables } from './tables.ts';

/**
 * Returns free pages of an SQLite file to the system, if there are many: a few are used again soon. Takes small steps, so that
 * other queries don't wait, and leaves the rest to the next time. Does nothing in a file of an earlier version.
 */
export async function shrinkFile(db: Kysely<Tables>): Promise<void> {
  for (let freed = 0; freed < limits.fileShrinkPagesMax; freed += limits.fileShrinkPages) {
    const { rows } =
      await sql<FileSize>`select freelist_count as "freePages", page_count as "pages", auto_vacuum as "mode"
      from pragma_freelist_count, pragma_page_count, pragma_auto_vacuum`.execute(db);
    const [{ freePages, pages, mode } = noFile] = rows;
    if (mode !== incremental || freePages < pages * limits.fileFreeShareMax) return;
    await sql`pragma incremental_vacuum(${sql.lit(limits.fileShrinkPages)})`.execute(db);
  }
}

interface FileSize {
  readonly freePages: number;
  readonly pages: number;
  readonly mode: number;
}

const incremental = 2;
const noFile: FileSize = { freePages: 0, pages: 0, mode: 0 };
