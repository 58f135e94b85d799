import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from '../../kernel/ports/records.ts';
import { sqlite } from './flavour.ts';
import type { Bounds } from './links.ts';
import { openNewSql, openSql, queryBounds } from './sql-database.ts';
import { SqliteLinks } from './sqlite-links.ts';

interface SqliteStart {
  /** Is made where there is none, for its owner's eyes only. */
  readonly file: string;
  readonly bounds?: Bounds;
  readonly mayBeNewer?: boolean;
}

/** A database in one file, which several processes of one machine may open. */
export async function openSqlite({ file, bounds = queryBounds, mayBeNewer }: SqliteStart): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives its further files the mode of the first.
  closeSync(openSync(file, 'a', 0o600));
  return openSql({ flavour: sqlite, bounds, links: linksTo(file) }, mayBeNewer);
}

/** A database that is gone when it is closed. */
export function openSqliteInMemory(): Promise<Database> {
  return openNewSql({ flavour: sqlite, bounds: queryBounds, links: linksTo(':memory:') });
}

function linksTo(file: string): (bounds: Bounds) => SqliteLinks {
  return (bounds) => new SqliteLinks({ file, bounds });
}
