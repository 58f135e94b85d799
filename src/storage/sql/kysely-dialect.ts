import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { ConnectionPool, PooledConnection } from './connection-pool.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** A Kysely dialect over a connection pool. */
export function createKyselyDialect(sqlDialect: SqlDialect, connectionPool: ConnectionPool): Dialect {
  return {
    createAdapter: sqlDialect.createAdapter,
    createQueryCompiler: sqlDialect.createQueryCompiler,
    createIntrospector: sqlDialect.createIntrospector,
    createDriver: () => new PoolDriver(sqlDialect, connectionPool),
  };
}

class PoolDriver implements Driver {
  readonly #dialect: SqlDialect;
  readonly #pool: ConnectionPool;

  constructor(sqlDialect: SqlDialect, connectionPool: ConnectionPool) {
    this.#dialect = sqlDialect;
    this.#pool = connectionPool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<KyselyConnection> {
    return new KyselyConnection(await this.#pool.acquire());
  }

  async beginTransaction({ connection }: KyselyConnection): Promise<void> {
    await connection.run(this.#dialect.begin);
  }

  async commitTransaction({ connection }: KyselyConnection): Promise<void> {
    await connection.run('commit');
  }

  async rollbackTransaction({ connection }: KyselyConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection({ connection }: KyselyConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.close();
  }
}

class KyselyConnection implements DatabaseConnection {
  readonly connection: PooledConnection;

  constructor(pooledConnection: PooledConnection) {
    this.connection = pooledConnection;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.connection.run(sql, parameters);
    // The type of the compiled query describes its rows.
    const result = { rows: rows as Row[] };
    return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) };
  }

  streamQuery(): never {
    throw new Error('streaming rows is not supported');
  }
}
