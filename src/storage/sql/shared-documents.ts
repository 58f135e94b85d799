import { type Kysely, sql } from 'kysely';
import type { SharedDocuments, StoredDocument } from '../../kernel/ports/shared-documents.ts';
import type { Tables } from './tables.ts';

/** Raw SQL, because calls wait for it and the query builder takes a tenth of a millisecond. */
export class SqlSharedDocuments implements SharedDocuments {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async read(name: string): Promise<StoredDocument | undefined> {
    const { rows } = await sql<StoredDocument>`select revision, value as text, until_ms as "untilMs"
      from shared_documents where name = ${name}`.execute(this.#db);
    return rows[0];
  }

  async write(
    name: string,
    before: string | undefined,
    { revision, text, untilMs }: StoredDocument,
  ): Promise<boolean> {
    const statement =
      before === undefined
        ? sql`insert into shared_documents (name, revision, value, until_ms)
            values (${name}, ${revision}, ${text}, ${untilMs}) on conflict (name) do nothing returning 1 as done`
        : sql`update shared_documents set revision = ${revision}, value = ${text}, until_ms = ${untilMs}
            where name = ${name} and revision = ${before} returning 1 as done`;
    return (await statement.execute(this.#db)).rows.length > 0;
  }

  async delete(name: string): Promise<void> {
    await this.#db.deleteFrom('shared_documents').where('name', '=', name).execute();
  }

  /** Names are sorted by bytes in both databases. */
  async deleteByPrefix(prefix: string): Promise<void> {
    await this.#db
      .deleteFrom('shared_documents')
      .where('name', '>=', prefix)
      .where('name', '<', `${prefix}\u{10ffff}`)
      .execute();
  }

  async deleteExpired(nowMs: number): Promise<void> {
    await this.#db.deleteFrom('shared_documents').where('until_ms', '<=', nowMs).execute();
  }
}
