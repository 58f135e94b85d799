import { DatabaseError, Pool, type PoolClient, types } from 'pg';
import type { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import { unavailable } from '../../kernel/ports/unavailable.ts';
import type { Answer, Bounds, Columns, Link, Links } from './links.ts';

/** Links to PostgreSQL, opened when they are needed; one that breaks is replaced by the next that is asked for. */
export class PostgresLinks implements Links {
  readonly #pool: Pool;
  readonly #waitMs: number;
  #ended: Promise<void> | undefined;

  constructor(url: string, bounds: Bounds) {
    this.#waitMs = bounds.waitMs;
    this.#pool = new Pool({
      connectionString: url,
      max: bounds.linksMax,
      connectionTimeoutMillis: bounds.waitMs,
      statement_timeout: bounds.statementMs,
      query_timeout: bounds.answerMs,
      idle_in_transaction_session_timeout: limits.databaseIdleInTransactionMs,
      idleTimeoutMillis: limits.databaseIdleMs,
      maxLifetimeSeconds: limits.databaseConnectionLifeSeconds,
      keepAlive: true,
      fallback_application_name: 'weir',
      types: { getTypeParser },
    });
    // A connection that breaks while nobody uses it is gone from the pool; one that is in use fails its statement.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async take(): Promise<Link> {
    if (this.#pool.waitingCount >= limits.databaseWaitingMax)
      throw unavailable('the database is not keeping up');
    try {
      return new PostgresLink(await this.#pool.connect());
    } catch (cause) {
      throw unavailable('the database is not available', cause);
    }
  }

  /** A connection that doesn't come back is left to its own time limits. */
  close(): Promise<void> {
    this.#ended ??= Promise.race([this.#pool.end(), elapsed(this.#waitMs)]);
    return this.#ended;
  }
}

class PostgresLink implements Link {
  readonly #client: PoolClient;
  #failure: GatewayError | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** As one text: hundreds of rows as parameters would cost this thread much more. */
  async add({ table, columns }: Columns, lists: string): Promise<void> {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns.map(({ kind }, at) =>
      kind === 'text' ? `list->>${at}` : `cast(list->>${at} as bigint)`,
    );
    await this.run(
      `with rows as materialized (select value as list from jsonb_array_elements(cast($1 as jsonb)))
      insert into "${table}" (${names}) select ${values.join(', ')} from rows on conflict do nothing`,
      [lists],
    );
  }

  async run(sql: string, parameters: readonly unknown[] = []): Promise<Answer> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const { command, rows, rowCount, fields } = await this.#client.query(sql, [...parameters]);
      if (sql === 'commit' && command !== 'COMMIT') throw new Error('the transaction was not committed');
      return { rows, changes: fields.length > 0 ? undefined : (rowCount ?? undefined) };
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.#failure = unavailable('the database is not available', error);
      throw this.#failure;
    }
  }

  async rollback(): Promise<void> {
    // The server ends a transaction with its connection, and one that fails here isn't used again.
    if (this.#failure === undefined) await this.run('rollback').catch(() => undefined);
  }

  giveBack(): void {
    this.#client.release(this.#failure !== undefined);
  }
}

/** True where a statement was refused and the connection goes on; false where it is lost, or of no more use. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !endings.test(error.code ?? '');
}

/** Codes of a server that is going away, can't be written to, has no more room or a broken disk, or gave a statement up. */
const endings = /^(?:08|25006|25P0[34]|53|57|58)/;

const int8 = 20;

/** Whole numbers as numbers, as SQLite has them. */
function getTypeParser(type: number, format?: 'text' | 'binary') {
  return type === int8 ? wholeNumber : types.getTypeParser(type, format);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is too large for a number`);
  return value;
}

async function elapsed(ms: number): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
}
