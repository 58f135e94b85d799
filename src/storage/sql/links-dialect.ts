import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import type { Flavour } from './flavour.ts';
import type { Link, Links } from './links.ts';

/** Lets Kysely speak over links. */
export function linksDialect(flavour: Flavour, links: Links): Dialect {
  return {
    createAdapter: flavour.createAdapter,
    createQueryCompiler: flavour.createQueryCompiler,
    createIntrospector: flavour.createIntrospector,
    createDriver: () => new LinksDriver(flavour, links),
  };
}

class LinksDriver implements Driver {
  readonly #flavour: Flavour;
  readonly #links: Links;

  constructor(flavour: Flavour, links: Links) {
    this.#flavour = flavour;
    this.#links = links;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LinkConnection> {
    return new LinkConnection(await this.#links.take());
  }

  async beginTransaction({ link }: LinkConnection): Promise<void> {
    await link.run(this.#flavour.begin);
  }

  async commitTransaction({ link }: LinkConnection): Promise<void> {
    await link.run('commit');
  }

  async rollbackTransaction({ link }: LinkConnection): Promise<void> {
    await link.rollback();
  }

  async releaseConnection({ link }: LinkConnection): Promise<void> {
    link.giveBack();
  }

  async destroy(): Promise<void> {
    await this.#links.close();
  }
}

class LinkConnection implements DatabaseConnection {
  readonly link: Link;

  constructor(link: Link) {
    this.link = link;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.link.run(sql, parameters);
    // Rows are what the compiled query selects; its type says so.
    const result = { rows: rows as Row[] };
    return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) };
  }

  streamQuery(): never {
    throw new Error('rows are not streamed');
  }
}
