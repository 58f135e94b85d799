import type { Kysely } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { AnnouncedChange, AnnouncedChanges } from '../../kernel/ports/announced-changes.ts';
import { chunks } from './chunks.ts';
import type { Tables } from './tables.ts';

export class SqlAnnouncedChanges implements AnnouncedChanges {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add({ id, content }: AnnouncedChange, untilMs: number): Promise<void> {
    await this.#db.insertInto('announced_changes').values({ id, content, until_ms: untilMs }).execute();
  }

  async renew(ids: readonly string[], untilMs: number): Promise<void> {
    for (const some of chunks(ids, limits.databaseRowsAtOnce))
      await this.#db
        .updateTable('announced_changes')
        .set({ until_ms: untilMs })
        .where('id', 'in', some)
        .execute();
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const some of chunks(ids, limits.databaseRowsAtOnce))
      await this.#db.deleteFrom('announced_changes').where('id', 'in', some).execute();
  }

  async take({
    nowMs,
    untilMs,
    limit,
  }: Parameters<AnnouncedChanges['take']>[0]): Promise<readonly AnnouncedChange[]> {
    const due = await this.#db
      .selectFrom('announced_changes')
      .select('id')
      .where('until_ms', '<=', nowMs)
      .orderBy('until_ms')
      .limit(limit)
      .execute();
    if (due.length === 0) return [];
    return this.#db
      .updateTable('announced_changes')
      .set({ until_ms: untilMs })
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      .where('until_ms', '<=', nowMs)
      .returning(['id', 'content'])
      .execute();
  }
}
