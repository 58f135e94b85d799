import { DatabaseError, Pool, type PoolClient, types } from 'pg';
import type { GatewayError } from '../../kernel/errors.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { LateSocket, type OpenSocket } from '../../lib/late-socket.ts';
import { limits } from '../limits.ts';
import type { AdjustablePool, PoolBounds, PooledConnection, StatementResult } from './connection-pool.ts';
import { addCallsToPostgres } from './postgres-calls.ts';

/** Connections to PostgreSQL, opened on demand; broken ones are replaced on the next demand. */
export class PostgresPool implements AdjustablePool {
  readonly #url: string;
  /** Undefined if the client connects by itself. */
  readonly #openSocket: OpenSocket | undefined;
  #bounds: PoolBounds;
  #pool: Pool;
  /** Whether connections are opened with timeouts of the server; PgBouncer refuses them. */
  #hasServerTimeouts = true;
  #closing: Promise<void> | undefined;

  constructor(url: string, poolBounds: PoolBounds, openSocket?: OpenSocket) {
    this.#url = url;
    this.#openSocket = openSocket;
    this.#bounds = poolBounds;
    this.#pool = this.#createPool();
  }

  #createPool(): Pool {
    const { connectionsMax, waitMs, statementMs, answerMs } = this.#bounds;
    const openSocket = this.#openSocket;
    const pool = new Pool({
      connectionString: this.#url,
      max: connectionsMax,
      connectionTimeoutMillis: waitMs,
      query_timeout: answerMs,
      ...(this.#hasServerTimeouts && {
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: limits.databaseIdleInTransactionMs,
      }),
      idleTimeoutMillis: limits.databaseIdleMs,
      maxLifetimeSeconds: limits.databaseConnectionLifeSeconds,
      keepAlive: true,
      ...(openSocket !== undefined && { stream: () => new LateSocket(openSocket) }),
      fallback_application_name: 'weir',
      types: { getTypeParser },
    });
    // The pool drops a connection that breaks while idle; one in use fails its statement.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  }

  async acquire(): Promise<PooledConnection> {
    if (this.#pool.waitingCount >= limits.databaseWaitingMax)
      throw storageUnavailable('too many queries are waiting for the database');
    const pool = this.#pool;
    try {
      return new PostgresConnection(await pool.connect());
    } catch (cause) {
      if (isRefusedParameter(cause) && this.#closing === undefined) {
        this.#dropServerTimeouts(pool);
        return this.acquire();
      }
      throw storageUnavailable('the database is not available', cause);
    }
  }

  async changeBounds(poolBounds: PoolBounds): Promise<void> {
    const before = this.#pool;
    this.#bounds = poolBounds;
    this.#pool = this.#createPool();
    await this.#end(before);
  }

  /** A connection that is not released ends by its own timeouts. */
  close(): Promise<void> {
    this.#closing ??= this.#end(this.#pool);
    return this.#closing;
  }

  #end(pool: Pool): Promise<void> {
    return Promise.race([pool.end(), delay(this.#bounds.waitMs)]);
  }

  /** Statements then end by the timeouts of this process, which closes their connections. */
  #dropServerTimeouts(refused: Pool): void {
    if (refused !== this.#pool) return;
    this.#hasServerTimeouts = false;
    this.#pool = this.#createPool();
    refused.end().catch(() => undefined);
  }
}

class PostgresConnection implements PooledConnection {
  readonly #client: PoolClient;
  #failure: GatewayError | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async addCalls(lists: string): Promise<void> {
    await this.run('begin');
    try {
      await addCallsToPostgres((sql, parameters) => this.run(sql, parameters), lists);
      await this.run('commit');
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<StatementResult> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const { command, rows, rowCount, fields } = await this.#client.query(sql, [...parameters]);
      if (sql === 'commit' && command !== 'COMMIT') throw new Error('the transaction was not committed');
      return { rows, changes: fields.length > 0 ? undefined : (rowCount ?? undefined) };
    } catch (error) {
      if (isStatementError(error)) throw error;
      this.#failure = storageUnavailable('the database is not available', error);
      throw this.#failure;
    }
  }

  async rollback(): Promise<void> {
    // The server rolls back when the connection ends, and a connection that fails here isn't used again.
    if (this.#failure === undefined) await this.run('rollback').catch(() => undefined);
  }

  release(): void {
    this.#client.release(this.#failure !== undefined);
  }
}

/** The answer of a PgBouncer that does not list our timeouts in `ignore_startup_parameters`. */
function isRefusedParameter(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter');
}

/** True if the server rejected the statement and the connection is usable; false if the connection is lost or useless. */
function isStatementError(error: unknown): boolean {
  return error instanceof DatabaseError && !connectionFatalCodes.test(error.code ?? '');
}

/** Codes of a server that is shutting down, read-only, out of resources or on a broken disk, or that canceled a statement. */
const connectionFatalCodes = /^(?:08|25006|25P0[34]|53|57|58)/;

const int8 = 20;

/** Parses integers as numbers, like SQLite. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === int8 ? parseSafeInteger : types.getTypeParser(type, format);
}

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} from the database exceeds the safe integer range`);
  return value;
}

async function delay(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}
