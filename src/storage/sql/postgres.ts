import type { Database } from '../../kernel/ports/records.ts';
import type { OpenSocket } from '../../lib/late-socket.ts';
import type { PoolBounds } from './connection-pool.ts';
import { PostgresPool } from './postgres-pool.ts';
import { defaultPoolBounds, openSqlDatabase, type SqlBackend } from './sql-database.ts';
import { postgresDialect } from './sql-dialect.ts';

export { defaultPoolBounds };

interface OpenPostgresOptions extends Pick<SqlBackend, 'clock' | 'onStatement' | 'migrationListener'> {
  readonly url: string;
  readonly bounds?: PoolBounds;
  readonly allowNewerSchema?: boolean;
  /** Opens connections for a process that may not. */
  readonly openSocket?: OpenSocket | undefined;
}

/** A database for any number of replicas. */
export function openPostgres({
  url,
  bounds: poolBounds = defaultPoolBounds,
  allowNewerSchema,
  openSocket,
  ...options
}: OpenPostgresOptions): Promise<Database> {
  const backend = {
    dialect: postgresDialect,
    bounds: poolBounds,
    createPool: (within: PoolBounds) => new PostgresPool(url, within, openSocket),
    ...options,
  };
  return openSqlDatabase(backend, allowNewerSchema);
}
