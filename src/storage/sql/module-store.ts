import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type {
  ModuleStore,
  PageOfEntries,
  StoredEntry,
  StoredValue,
} from '../../kernel/ports/module-store.ts';
import { entryKey, entryText, entryVersion, storeIsFull, wholePage } from '../module-entries.ts';
import type { Tables } from './tables.ts';

type Whose = Pick<Tables['module_stores'], 'module' | 'scope'>;
type Figures = Omit<Tables['module_stores'], keyof Whose>;
type Row = Pick<Tables['module_entries'], 'value' | 'version' | 'updated_at_ms'>;

interface Written {
  readonly key: string;
  readonly value: string;
}

const columns = ['value', 'version', 'updated_at_ms'] as const;

/** No key that begins like another text comes after that text with this behind it. */
const lastEnd = '\u{10ffff}'.repeat(limits.moduleKeyCharactersMax / 2);

/**
 * What one module keeps for one tenant. Who adds or deletes entries holds the row with their figures until it is done, so
 * that the count is right, and an entry that is there stays there meanwhile.
 */
export class SqlModuleStore implements ModuleStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #whose: Whose;

  constructor(db: Kysely<Tables>, clock: Clock, whose: Whose) {
    this.#db = db;
    this.#clock = clock;
    this.#whose = whose;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const which = { ...this.#whose, key: entryKey(key) };
    const row = await this.#db
      .selectFrom('module_entries')
      .select(columns)
      .where((the) => the.and(which))
      .executeTakeFirst();
    return row === undefined ? undefined : toValue(row);
  }

  async put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined> {
    const written = { key: entryKey(key), value: entryText(value) };
    if (entryVersion(version) === 0) return this.#add(written, false);
    const replaced = await this.#replace(this.#db, written, version);
    return replaced === undefined && version === undefined ? this.#add(written, true) : replaced;
  }

  async delete(key: string): Promise<boolean> {
    const which = { ...this.#whose, key: entryKey(key) };
    return this.#db.transaction().execute(async (trx) => {
      const figures = await this.#hold(trx);
      if (figures === undefined) return false;
      const deleted = await trx
        .deleteFrom('module_entries')
        .where((the) => the.and(which))
        .returning('version')
        .executeTakeFirst();
      if (deleted === undefined) return false;
      const { entries, last_version } = figures;
      await this.#note(trx, {
        entries: entries - 1,
        last_version: Math.max(last_version, deleted.version),
      });
      return true;
    });
  }

  async list(page: PageOfEntries = {}): Promise<readonly StoredEntry[]> {
    const { prefix, after, limit } = wholePage(page);
    const rows = await this.#db
      .selectFrom('module_entries')
      .select(['key', ...columns])
      .where((the) => the.and(this.#whose))
      .$if(prefix !== '', (query) => query.where('key', '>=', prefix).where('key', '<=', prefix + lastEnd))
      .where('key', '>', after)
      .orderBy('key')
      .limit(limit)
      .execute();
    return rows.map(({ key, ...row }) => ({ key, ...toValue(row) }));
  }

  /** Deletes a bounded number of entries; true where there may be more. */
  forgetSome(): Promise<boolean> {
    const most = limits.moduleEntriesForgottenAtOnce;
    return this.#db.transaction().execute(async (trx) => {
      const figures = await this.#hold(trx);
      if (figures === undefined) return false;
      const { numDeletedRows } = await trx
        .deleteFrom('module_entries')
        .where((the) => the.and(this.#whose))
        .where('key', 'in', (the) =>
          the
            .selectFrom('module_entries')
            .select('key')
            .where((same) => same.and(this.#whose))
            .orderBy('key')
            .limit(most),
        )
        .executeTakeFirstOrThrow();
      const deleted = Number(numDeletedRows);
      if (deleted === most) await this.#note(trx, { entries: figures.entries - deleted });
      else
        await trx
          .deleteFrom('module_stores')
          .where((the) => the.and(this.#whose))
          .execute();
      return deleted === most;
    });
  }

  /** In one statement, so that of two who name the same version the second finds another. */
  async #replace(
    db: Kysely<Tables>,
    { key, value }: Written,
    version: number | undefined,
  ): Promise<StoredValue | undefined> {
    const updated_at_ms = this.#clock.now();
    const row = await db
      .updateTable('module_entries')
      .set((the) => ({ value, updated_at_ms, version: the('version', '+', 1) }))
      .where((the) => the.and({ ...this.#whose, key }))
      .$if(version !== undefined, (query) => query.where('version', '=', version ?? 0))
      .returning('version')
      .executeTakeFirst();
    return row === undefined ? undefined : toValue({ ...row, value, updated_at_ms });
  }

  #add(written: Written, orReplace: boolean): Promise<StoredValue | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const { entries, last_version } = await this.#begin(trx);
      const row = {
        ...this.#whose,
        ...written,
        version: last_version + 1,
        updated_at_ms: this.#clock.now(),
      };
      const added = await trx
        .insertInto('module_entries')
        .values(row)
        .onConflict((conflict) => conflict.columns(['scope', 'module', 'key']).doNothing())
        .returning('version')
        .executeTakeFirst();
      if (added === undefined) return orReplace ? this.#replace(trx, written, undefined) : undefined;
      if (entries >= limits.moduleEntriesMax) throw storeIsFull(this.#whose.module);
      await this.#note(trx, { entries: entries + 1 });
      return toValue(row);
    });
  }

  /** Whoever else adds or deletes here waits until this transaction ends. */
  #hold(trx: Transaction<Tables>): Promise<Figures | undefined> {
    return trx
      .updateTable('module_stores')
      .set({ entries: sql.ref('entries') })
      .where((the) => the.and(this.#whose))
      .returning(['entries', 'last_version'])
      .executeTakeFirst();
  }

  /** The same, also where nothing was ever added. */
  #begin(trx: Transaction<Tables>): Promise<Figures> {
    return trx
      .insertInto('module_stores')
      .values({ ...this.#whose, entries: 0, last_version: 0 })
      .onConflict((conflict) =>
        conflict.columns(['scope', 'module']).doUpdateSet({ entries: sql.ref('module_stores.entries') }),
      )
      .returning(['entries', 'last_version'])
      .executeTakeFirstOrThrow();
  }

  async #note(trx: Transaction<Tables>, figures: Partial<Figures>): Promise<void> {
    await trx
      .updateTable('module_stores')
      .set(figures)
      .where((the) => the.and(this.#whose))
      .execute();
  }
}

function toValue({ value, version, updated_at_ms }: Row): StoredValue {
  return { value: JSON.parse(value), version, updatedAtMs: updated_at_ms };
}
