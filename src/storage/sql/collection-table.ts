import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import type {
  CollectionId,
  CollectionTable,
  EntryInfoRow,
  EntryRow,
  RowChange,
  RowCondition,
  RowQuery,
} from '../../kernel/ports/collection-table.ts';
import { limits } from '../limits.ts';
import { hasCounters, lockCounters, saveCounters } from './collection-counters.ts';
import { tidyCollections } from './collection-expiry.ts';
import { applyChanges } from './collection-writes.ts';
import { forgetSupersededRows } from './superseded-tables.ts';
import type { Tables } from './tables.ts';

type EntryTable = Tables['collection_entries'];
type Expressions = ExpressionBuilder<Tables, 'collection_entries'>;

export class SqlCollectionTable implements CollectionTable {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  apply(owner: Pick<CollectionId, 'scope' | 'module'>, changes: readonly RowChange[], nowMs: number) {
    return applyChanges(this.#db, owner, changes, nowMs);
  }

  async find(id: CollectionId, key: string, nowMs: number): Promise<EntryRow | undefined> {
    const row = await this.#db
      .selectFrom('collection_entries')
      .selectAll()
      .where((the) => the.and({ ...id, key }))
      .where((the) => isAlive(the, nowMs))
      .executeTakeFirst();
    return row === undefined ? undefined : toEntryRow(row);
  }

  async query(id: CollectionId, rowQuery: RowQuery): Promise<readonly EntryRow[]> {
    return (await this.#select(id, rowQuery).selectAll().execute()).map(toEntryRow);
  }

  async list(id: CollectionId, rowQuery: RowQuery): Promise<readonly EntryInfoRow[]> {
    const rows = await this.#select(id, rowQuery)
      .select(['key', 'bytes', 'created_at_ms', 'expires_at_ms'])
      .select(['text1', 'text2', 'text3', 'text4', 'integer1', 'integer2'])
      .execute();
    return rows.map(({ key, bytes, created_at_ms: createdAtMs, expires_at_ms: endMs, ...columns }) => ({
      key,
      bytes,
      createdAtMs,
      expiresAtMs: endMs ?? undefined,
      columns,
    }));
  }

  #select(id: CollectionId, { conditions, orderBy, descending, after, limit, nowMs }: RowQuery) {
    const direction = descending ? 'desc' : 'asc';
    let query = this.#db
      .selectFrom('collection_entries')
      .where((the) => the.and(id))
      .where((the) => the.and(conditions.map((condition, at) => matches(the, condition, at === 0))))
      .where((the) => isAlive(the, nowMs))
      .orderBy(orderBy, direction)
      .limit(limit);
    if (orderBy !== 'key') query = query.where(orderBy, 'is not', null).orderBy('key', direction);
    if (after === undefined) return query;
    const [value, key] = after;
    const than = sql.raw(descending ? '<' : '>');
    return orderBy === 'key'
      ? query.where(sql<boolean>`key ${than} ${key}`)
      : query.where(sql<boolean>`(${sql.ref(orderBy)}, key) ${than} (${value}, ${key})`);
  }

  async deleteAll(id: CollectionId, conditions: readonly RowCondition[]): Promise<number> {
    const isCounted = await hasCounters(this.#db, id);
    return this.#db.transaction().execute(async (trx) => {
      const counters = isCounted ? await lockCounters(trx, id) : undefined;
      const deleted = await trx
        .deleteFrom('collection_entries')
        .where((the) => the.and(id))
        .where((the) => the.and(conditions.map((condition, at) => matches(the, condition, at === 0))))
        .returning('bytes')
        .execute();
      if (counters !== undefined) {
        counters.entries -= deleted.length;
        counters.bytes -= deleted.reduce((sum, { bytes }) => sum + bytes, 0);
        await saveCounters(trx, id, counters);
      }
      return deleted.length;
    });
  }

  async revision(id: CollectionId): Promise<number> {
    const row = await this.#db
      .selectFrom('collection_counters')
      .select('revision')
      .where((the) => the.and(id))
      .executeTakeFirst();
    return row?.revision ?? 0;
  }

  async forget(scope: string): Promise<void> {
    const atOnce: number = limits.collectionEntriesDeletedAtOnce;
    for (let deleted = atOnce; deleted === atOnce; ) {
      const { numAffectedRows } = await sql`delete from collection_entries
        where scope = ${scope} and (module, collection, key) in (
          select module, collection, key from collection_entries where scope = ${scope} limit ${atOnce})`.execute(
        this.#db,
      );
      deleted = Number(numAffectedRows ?? 0);
    }
    await this.#db.deleteFrom('collection_counters').where('scope', '=', scope).execute();
    await forgetSupersededRows(this.#db, scope);
  }

  tidy(nowMs: number): Promise<boolean> {
    return tidyCollections(this.#db, nowMs);
  }
}

function isAlive(the: Expressions, nowMs: number) {
  return the.or([the('expires_at_ms', 'is', null), the('expires_at_ms', '>', nowMs)]);
}

/** Only the first condition uses an index: SQLite can't tell which field is the most selective. */
function matches(the: Expressions, { column, operator, values }: RowCondition, usesIndex: boolean) {
  if (operator === 'is null') return the(column, 'is', null);
  if (operator === '=' && !usesIndex)
    return sql<boolean>`coalesce(${sql.ref(column)}, null) = ${values[0] ?? null}`;
  if (operator !== 'in') return the(column, operator, values[0] ?? null);
  const present = values.filter((value) => value !== null);
  const isOneOf = present.length === 0 ? sql<boolean>`1 = 0` : the(column, 'in', present);
  return values.length === present.length ? isOneOf : the.or([isOneOf, the(column, 'is', null)]);
}

function toEntryRow(row: EntryTable): EntryRow {
  const { text1, text2, text3, text4, integer1, integer2 } = row;
  return {
    key: row.key,
    value: row.value,
    sealedBy: row.sealed_by,
    sealed: row.sealed,
    columns: { text1, text2, text3, text4, integer1, integer2 },
    version: row.version,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
  };
}
