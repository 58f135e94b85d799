import type { Database } from '../../kernel/ports/records.ts';
import { postgres } from './flavour.ts';
import type { Bounds } from './links.ts';
import { PostgresLinks } from './postgres-links.ts';
import { openSql, queryBounds } from './sql-database.ts';

interface PostgresStart {
  readonly url: string;
  readonly bounds?: Bounds;
  readonly mayBeNewer?: boolean;
}

/** A database that any number of replicas share. */
export function openPostgres({ url, bounds = queryBounds, mayBeNewer }: PostgresStart): Promise<Database> {
  const home = { flavour: postgres, bounds, links: (within: Bounds) => new PostgresLinks(url, within) };
  return openSql(home, mayBeNewer);
}
