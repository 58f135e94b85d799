import { type Kysely, sql, type Transaction } from 'kysely';
import type {
  KeyValueStore,
  StoredEntry,
  StoredValue,
  StoreListOptions,
} from '../../kernel/ports/module-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import {
  resolveListOptions,
  serializeEntryValue,
  storeFullError,
  validateEntryKey,
  validateEntryVersion,
} from '../module-entry-validation.ts';
import type { Tables } from './tables.ts';

type StoreKey = Pick<Tables['module_stores'], 'module' | 'scope'>;
type StoreCounters = Omit<Tables['module_stores'], keyof StoreKey>;
type EntryRow = Pick<Tables['module_entries'], 'value' | 'version' | 'updated_at_ms'>;

interface SerializedEntry {
  readonly key: string;
  readonly value: string;
}

const columns = ['value', 'version', 'updated_at_ms'] as const;

/** Sorts after every key with a given prefix when appended to that prefix. */
const prefixRangeEnd = '\u{10ffff}'.repeat(limits.moduleKeyCharactersMax / 2);

/**
 * The store of one module for one scope. Additions and deletions lock the row with the counters until they commit, so
 * that the count is right and existing entries stay meanwhile.
 */
export class SqlModuleStore implements KeyValueStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #storeKey: StoreKey;

  constructor(db: Kysely<Tables>, clock: Clock, storeKey: StoreKey) {
    this.#db = db;
    this.#clock = clock;
    this.#storeKey = storeKey;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const which = { ...this.#storeKey, key: validateEntryKey(key) };
    const row = await this.#db
      .selectFrom('module_entries')
      .select(columns)
      .where((the) => the.and(which))
      .executeTakeFirst();
    return row === undefined ? undefined : toValue(row);
  }

  async put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined> {
    const written = { key: validateEntryKey(key), value: serializeEntryValue(value) };
    if (validateEntryVersion(version) === 0) return this.#add(written, false);
    const replaced = await this.#replace(this.#db, written, version);
    return replaced === undefined && version === undefined ? this.#add(written, true) : replaced;
  }

  async delete(key: string): Promise<boolean> {
    const which = { ...this.#storeKey, key: validateEntryKey(key) };
    return this.#db.transaction().execute(async (trx) => {
      const storeCounters = await this.#lockCounters(trx);
      if (storeCounters === undefined) return false;
      const deleted = await trx
        .deleteFrom('module_entries')
        .where((the) => the.and(which))
        .returning('version')
        .executeTakeFirst();
      if (deleted === undefined) return false;
      const { entries, last_version } = storeCounters;
      await this.#updateCounters(trx, {
        entries: entries - 1,
        last_version: Math.max(last_version, deleted.version),
      });
      return true;
    });
  }

  async list(page: StoreListOptions = {}): Promise<readonly StoredEntry[]> {
    const { prefix, after, limit } = resolveListOptions(page);
    const rows = await this.#db
      .selectFrom('module_entries')
      .select(['key', ...columns])
      .where((the) => the.and(this.#storeKey))
      .$if(prefix !== '', (query) =>
        query.where('key', '>=', prefix).where('key', '<=', prefix + prefixRangeEnd),
      )
      .where('key', '>', after)
      .orderBy('key')
      .limit(limit)
      .execute();
    return rows.map(({ key, ...row }) => ({ key, ...toValue(row) }));
  }

  /** Deletes a bounded number of entries; true if there may be more. */
  deleteSome(): Promise<boolean> {
    const most = limits.moduleEntriesDeletedAtOnce;
    return this.#db.transaction().execute(async (trx) => {
      const storeCounters = await this.#lockCounters(trx);
      if (storeCounters === undefined) return false;
      const { numDeletedRows } = await trx
        .deleteFrom('module_entries')
        .where((the) => the.and(this.#storeKey))
        .where('key', 'in', (the) =>
          the
            .selectFrom('module_entries')
            .select('key')
            .where((same) => same.and(this.#storeKey))
            .orderBy('key')
            .limit(most),
        )
        .executeTakeFirstOrThrow();
      const deleted = Number(numDeletedRows);
      if (deleted === most) await this.#updateCounters(trx, { entries: storeCounters.entries - deleted });
      else
        await trx
          .deleteFrom('module_stores')
          .where((the) => the.and(this.#storeKey))
          .execute();
      return deleted === most;
    });
  }

  /** One statement, so that of two updates with the same expected version only the first succeeds. */
  async #replace(
    db: Kysely<Tables>,
    { key, value }: SerializedEntry,
    version: number | undefined,
  ): Promise<StoredValue | undefined> {
    const updated_at_ms = this.#clock.now();
    const row = await db
      .updateTable('module_entries')
      .set((the) => ({ value, updated_at_ms, version: the('version', '+', 1) }))
      .where((the) => the.and({ ...this.#storeKey, key }))
      .$if(version !== undefined, (query) => query.where('version', '=', version ?? 0))
      .returning('version')
      .executeTakeFirst();
    return row === undefined ? undefined : toValue({ ...row, value, updated_at_ms });
  }

  #add(serializedEntry: SerializedEntry, orReplace: boolean): Promise<StoredValue | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const { entries, last_version } = await this.#lockOrCreateCounters(trx);
      const row = {
        ...this.#storeKey,
        ...serializedEntry,
        version: last_version + 1,
        updated_at_ms: this.#clock.now(),
      };
      const added = await trx
        .insertInto('module_entries')
        .values(row)
        .onConflict((conflict) => conflict.columns(['scope', 'module', 'key']).doNothing())
        .returning('version')
        .executeTakeFirst();
      if (added === undefined) return orReplace ? this.#replace(trx, serializedEntry, undefined) : undefined;
      if (entries >= limits.moduleEntriesMax) throw storeFullError(this.#storeKey.module);
      await this.#updateCounters(trx, { entries: entries + 1 });
      return toValue(row);
    });
  }

  /** Blocks other additions and deletions until this transaction ends. */
  #lockCounters(trx: Transaction<Tables>): Promise<StoreCounters | undefined> {
    return trx
      .updateTable('module_stores')
      .set({ entries: sql.ref('entries') })
      .where((the) => the.and(this.#storeKey))
      .returning(['entries', 'last_version'])
      .executeTakeFirst();
  }

  /** The same, but creates the row if it is missing. */
  #lockOrCreateCounters(trx: Transaction<Tables>): Promise<StoreCounters> {
    return trx
      .insertInto('module_stores')
      .values({ ...this.#storeKey, entries: 0, last_version: 0 })
      .onConflict((conflict) =>
        conflict.columns(['scope', 'module']).doUpdateSet({ entries: sql.ref('module_stores.entries') }),
      )
      .returning(['entries', 'last_version'])
      .executeTakeFirstOrThrow();
  }

  async #updateCounters(trx: Transaction<Tables>, figures: Partial<StoreCounters>): Promise<void> {
    await trx
      .updateTable('module_stores')
      .set(figures)
      .where((the) => the.and(this.#storeKey))
      .execute();
  }
}

function toValue({ value, version, updated_at_ms }: EntryRow): StoredValue {
  return { value: JSON.parse(value), version, updatedAtMs: updated_at_ms };
}
