import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { Flavour } from './flavour.ts';
import type { Line, Lines } from './lines.ts';

/** Lets Kysely speak over lines. */
export function linesDialect(flavour: Flavour, lines: Lines): Dialect {
  return {
    createAdapter: flavour.createAdapter,
    createQueryCompiler: flavour.createQueryCompiler,
    createIntrospector: flavour.createIntrospector,
    createDriver: () => new LinesDriver(flavour, lines),
  };
}

class LinesDriver implements Driver {
  readonly #flavour: Flavour;
  readonly #lines: Lines;

  constructor(flavour: Flavour, lines: Lines) {
    this.#flavour = flavour;
    this.#lines = lines;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LineConnection> {
    return new LineConnection(await this.#lines.take());
  }

  async beginTransaction({ line }: LineConnection): Promise<void> {
    await line.run(this.#flavour.begin);
  }

  async commitTransaction({ line }: LineConnection): Promise<void> {
    await line.run('commit');
  }

  async rollbackTransaction({ line }: LineConnection): Promise<void> {
    await line.rollback();
  }

  async releaseConnection({ line }: LineConnection): Promise<void> {
    line.giveBack();
  }

  async destroy(): Promise<void> {
    await this.#lines.close();
  }
}

class LineConnection implements DatabaseConnection {
  readonly line: Line;

  constructor(line: Line) {
    this.line = line;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.line.run(sql, parameters);
    // Rows are what the compiled query selects; its type says so.
    const result = { rows: rows as Row[] };
    return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) };
  }

  streamQuery(): never {
    throw new Error('rows are not streamed');
  }
}
