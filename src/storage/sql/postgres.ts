import type { Database } from '../../kernel/records.ts';
import { postgres } from './flavour.ts';
import type { Bounds } from './lines.ts';
import { PostgresLines } from './postgres-lines.ts';
import { openSql, queryBounds } from './sql-database.ts';

interface PostgresStart {
  readonly url: string;
  readonly bounds?: Bounds;
}

/** A database that any number of replicas share. */
export function openPostgres({ url, bounds = queryBounds }: PostgresStart): Promise<Database> {
  return openSql({ flavour: postgres, bounds, lines: (within) => new PostgresLines(url, within) });
}
