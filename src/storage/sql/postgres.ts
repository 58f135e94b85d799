import type { Database } from '../../kernel/ports/records.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PoolBounds } from './connection-pool.ts';
import { PostgresPool } from './postgres-pool.ts';
import { defaultPoolBounds, openSqlDatabase } from './sql-database.ts';
import { postgresDialect } from './sql-dialect.ts';

export { defaultPoolBounds };

interface OpenPostgresOptions {
  readonly url: string;
  readonly bounds?: PoolBounds;
  readonly allowNewerSchema?: boolean;
  readonly clock?: Clock;
}

/** A database for any number of replicas. */
export function openPostgres({
  url,
  bounds: poolBounds = defaultPoolBounds,
  allowNewerSchema,
  clock,
}: OpenPostgresOptions): Promise<Database> {
  const backend = {
    dialect: postgresDialect,
    bounds: poolBounds,
    createPool: (within: PoolBounds) => new PostgresPool(url, within),
    clock,
  };
  return openSqlDatabase(backend, allowNewerSchema);
}
