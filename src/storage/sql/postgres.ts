import type { Database } from '../../kernel/ports/records.ts';
import { postgres } from './flavour.ts';
import type { Bounds } from './links.ts';
import { PostgresLinks } from './postgres-links.ts';
import { openSql, queryBounds } from './sql-database.ts';

interface PostgresStart {
  readonly url: string;
  readonly bounds?: Bounds;
}

/** A database that any number of replicas share. */
export function openPostgres({ url, bounds = queryBounds }: PostgresStart): Promise<Database> {
  return openSql({ flavour: postgres, bounds, links: (within) => new PostgresLinks(url, within) });
}
