import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type {
  AddedQuestion,
  VectorOwner,
  VectorRow,
  VectorsAdded,
  VectorTable,
} from '../../kernel/ports/vectors.ts';
import { storeName } from '../module-entries.ts';
import type { Tables } from './tables.ts';

type Owner = Omit<Tables['vector_owners'], 'scope' | 'module'>;
type Row = Pick<Tables['vectors'], 'part' | 'id' | 'space' | 'codes' | 'added_at_ms' | 'expires_at_ms'>;

const columns = ['part', 'id', 'space', 'codes', 'added_at_ms', 'expires_at_ms'] as const;

/**
 * Whoever adds or deletes holds the owner's row until it is done. So rows are numbered in the order in which they can be
 * seen, and who has read up to a number has missed none before it.
 */
export class SqlVectorTable implements VectorTable {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(owner: VectorOwner, row: VectorRow, most: number): Promise<void> {
    const whose = named(owner);
    const { part, id, space, data } = row;
    await this.#db.transaction().execute(async (trx) => {
      const { entries, last_number } = await begin(trx, whose);
      const before = await trx
        .deleteFrom('vectors')
        .where((the) => the.and({ ...whose, part, id }))
        .executeTakeFirstOrThrow();
      await trx
        .insertInto('vectors')
        .values({
          ...whose,
          part,
          id,
          space,
          data,
          number: last_number + 1,
          codes: Buffer.from(row.codes.buffer, row.codes.byteOffset, row.codes.byteLength),
          added_at_ms: row.addedAtMs,
          expires_at_ms: row.expiresAtMs,
        })
        .execute();
      const now = entries + 1 - Number(before.numDeletedRows);
      const dropped = now > most ? await dropOldest(trx, whose, now - most) : 0;
      await note(trx, whose, { entries: now - dropped, last_number: last_number + 1 });
    });
  }

  async remove(owner: VectorOwner, part: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const whose = named(owner);
    await this.#db.transaction().execute(async (trx) => {
      const held = await hold(trx, whose);
      if (held === undefined) return;
      const { numDeletedRows } = await trx
        .deleteFrom('vectors')
        .where((the) => the.and({ ...whose, part }))
        .where('id', 'in', ids)
        .executeTakeFirstOrThrow();
      await settle(trx, whose, held.entries - Number(numDeletedRows));
    });
  }

  /** The owner's row goes last, so that a later one begins another epoch. */
  async forget({ scope, module }: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void> {
    const owners = await this.#db
      .selectFrom('vector_owners')
      .select(['scope', 'module'])
      .where('scope', '=', storeName(scope))
      .$if(module !== undefined, (query) => query.where('module', '=', module ?? ''))
      .execute();
    for (const whose of owners) for (let more = true; more; ) more = await this.#forgetSome(whose);
  }

  async added(owner: VectorOwner, question: AddedQuestion): Promise<VectorsAdded> {
    const whose = named(owner);
    const { part, since, most = limits.vectorRowsAtOnce } = question;
    const now = await this.#db
      .selectFrom('vector_owners')
      .select(['epoch', 'last_number'])
      .where((the) => the.and(whose))
      .executeTakeFirst();
    const epoch = now?.epoch ?? '';
    const upTo = now?.last_number ?? 0;
    const goesOn = since?.epoch === epoch;
    const after = goesOn ? since.upTo : 0;
    if (after >= upTo) return { epoch, upTo, goesOn, rows: [], isAll: true };
    const rows = await this.#db
      .selectFrom('vectors')
      .select([...columns, 'number'])
      .where((the) => the.and({ ...whose, part }))
      .where('number', '>', after)
      .orderBy('number')
      .limit(most)
      .execute();
    const isAll = rows.length < most;
    const last = rows.at(-1)?.number ?? upTo;
    return { epoch, upTo: isAll ? Math.max(upTo, last) : last, goesOn, rows: rows.map(toRow), isAll };
  }

  async find(owner: VectorOwner, part: string, ids: readonly string[]): Promise<readonly VectorRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .selectFrom('vectors')
      .select([...columns, 'data'])
      .where((the) => the.and({ ...named(owner), part }))
      .where('id', 'in', ids)
      .execute();
    return rows.map((row) => ({ ...toRow(row), data: row.data }));
  }

  async tidy(nowMs: number): Promise<boolean> {
    const most = limits.vectorRowsAtOnce;
    const over = await this.#db
      .selectFrom('vectors')
      .select(['scope', 'module', 'number'])
      .where('expires_at_ms', '<=', nowMs)
      .orderBy('expires_at_ms')
      .limit(most)
      .execute();
    const owners = Map.groupBy(over, ({ scope, module }) => `${scope}\n${module}`);
    for (const [{ scope, module } = { scope: '', module: '' }, ...rest] of owners.values())
      await this.#tidyOf({ scope, module }, nowMs, 1 + rest.length);
    return over.length === most;
  }

  #tidyOf(whose: VectorOwner, nowMs: number, most: number): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      const held = await hold(trx, whose);
      if (held === undefined) return;
      const { numDeletedRows } = await trx
        .deleteFrom('vectors')
        .where((the) => the.and(whose))
        .where('number', 'in', (the) =>
          the
            .selectFrom('vectors')
            .select('number')
            .where((same) => same.and(whose))
            .where('expires_at_ms', '<=', nowMs)
            .limit(most),
        )
        .executeTakeFirstOrThrow();
      await settle(trx, whose, held.entries - Number(numDeletedRows));
    });
  }

  /** True where there may be more. */
  #forgetSome(whose: VectorOwner): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const held = await hold(trx, whose);
      if (held === undefined) return false;
      const dropped = await dropOldest(trx, whose, limits.vectorRowsAtOnce);
      await settle(trx, whose, dropped < limits.vectorRowsAtOnce ? 0 : held.entries - dropped);
      return dropped === limits.vectorRowsAtOnce;
    });
  }
}

function named({ module, scope }: VectorOwner): VectorOwner {
  return { module: storeName(module), scope: storeName(scope) };
}

/** Whoever else adds or deletes here waits until this transaction ends. */
function hold(trx: Transaction<Tables>, whose: VectorOwner): Promise<Owner | undefined> {
  return trx
    .updateTable('vector_owners')
    .set({ entries: sql.ref('entries') })
    .where((the) => the.and({ ...whose }))
    .returning(['epoch', 'entries', 'last_number'])
    .executeTakeFirst();
}

/** The same, also where nothing was ever added. */
function begin(trx: Transaction<Tables>, whose: VectorOwner): Promise<Owner> {
  return trx
    .insertInto('vector_owners')
    .values({ ...whose, epoch: randomUUID(), entries: 0, last_number: 0 })
    .onConflict((conflict) =>
      conflict.columns(['scope', 'module']).doUpdateSet({ entries: sql.ref('vector_owners.entries') }),
    )
    .returning(['epoch', 'entries', 'last_number'])
    .executeTakeFirstOrThrow();
}

async function dropOldest(trx: Transaction<Tables>, whose: VectorOwner, most: number): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('vectors')
    .where((the) => the.and({ ...whose }))
    .where('number', 'in', (the) =>
      the
        .selectFrom('vectors')
        .select('number')
        .where((same) => same.and({ ...whose }))
        .orderBy('number')
        .limit(most),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Of an owner who has nothing left nothing stays. */
async function settle(trx: Transaction<Tables>, whose: VectorOwner, entries: number): Promise<void> {
  if (entries > 0) await note(trx, whose, { entries });
  else
    await trx
      .deleteFrom('vector_owners')
      .where((the) => the.and({ ...whose }))
      .execute();
}

async function note(trx: Transaction<Tables>, whose: VectorOwner, figures: Partial<Owner>): Promise<void> {
  await trx
    .updateTable('vector_owners')
    .set(figures)
    .where((the) => the.and({ ...whose }))
    .execute();
}

function toRow({ part, id, space, codes, added_at_ms, expires_at_ms }: Row): Omit<VectorRow, 'data'> {
  return {
    part,
    id,
    space,
    codes: new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    addedAtMs: added_at_ms,
    expiresAtMs: expires_at_ms,
  };
}
