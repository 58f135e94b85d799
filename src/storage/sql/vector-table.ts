import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type {
  AddedVectorsPage,
  AddedVectorsQuery,
  VectorOwner,
  VectorRow,
  VectorTable,
} from '../../kernel/ports/vectors.ts';
import { validateStoreName } from '../module-entry-validation.ts';
import type { Tables } from './tables.ts';

type OwnerCounters = Omit<Tables['vector_owners'], 'scope' | 'module'>;
type StoredVectorRow = Pick<
  Tables['vectors'],
  'part' | 'id' | 'space' | 'codes' | 'added_at_ms' | 'expires_at_ms'
>;

const columns = ['part', 'id', 'space', 'codes', 'added_at_ms', 'expires_at_ms'] as const;

/**
 * Writers lock the owner's row until they commit. So rows become visible in the order of their numbers, and a reader that
 * has read up to a number has missed none before it.
 */
export class SqlVectorTable implements VectorTable {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(owner: VectorOwner, row: VectorRow, most: number): Promise<void> {
    const vectorOwner = validateOwner(owner);
    const { part, id, space, data } = row;
    await this.#db.transaction().execute(async (trx) => {
      const { entries, last_number } = await lockOrCreateOwner(trx, vectorOwner);
      const before = await trx
        .deleteFrom('vectors')
        .where((the) => the.and({ ...vectorOwner, part, id }))
        .executeTakeFirstOrThrow();
      await trx
        .insertInto('vectors')
        .values({
          ...vectorOwner,
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
      const dropped = now > most ? await dropOldest(trx, vectorOwner, now - most) : 0;
      await updateOwner(trx, vectorOwner, { entries: now - dropped, last_number: last_number + 1 });
    });
  }

  remove(owner: VectorOwner, part: string, ids: readonly string[]): Promise<void> {
    return this.#remove(owner, ids, sql<boolean>`part = ${part}`);
  }

  /** From all partitions. */
  removeEverywhere(owner: VectorOwner, ids: readonly string[]): Promise<void> {
    return this.#remove(owner, ids, sql<boolean>`true`);
  }

  async #remove(
    { scope, module }: VectorOwner,
    ids: readonly string[],
    condition: RawBuilder<boolean>,
  ): Promise<void> {
    if (ids.length === 0) return;
    const vectorOwner = validateOwner({ scope, module });
    await this.#db.transaction().execute(async (trx) => {
      const held = await lockOwner(trx, vectorOwner);
      if (held === undefined) return;
      const { numDeletedRows } = await trx
        .deleteFrom('vectors')
        .where((the) => the.and({ ...vectorOwner }))
        .where('id', 'in', ids)
        .where(condition)
        .executeTakeFirstOrThrow();
      await updateOrDeleteOwner(trx, vectorOwner, held.entries - Number(numDeletedRows));
    });
  }

  /** Deletes the owner's row last, so that a later one starts another epoch. */
  async forget({ scope, module }: Pick<VectorOwner, 'scope'> & Partial<VectorOwner>): Promise<void> {
    const owners = await this.#db
      .selectFrom('vector_owners')
      .select(['scope', 'module'])
      .where('scope', '=', validateStoreName(scope))
      .$if(module !== undefined, (query) => query.where('module', '=', module ?? ''))
      .execute();
    for (const vectorOwner of owners)
      for (let more = true; more; ) more = await this.#deleteSome(vectorOwner);
  }

  async added(owner: VectorOwner, query: AddedVectorsQuery): Promise<AddedVectorsPage> {
    const vectorOwner = validateOwner(owner);
    const { part, since, most = limits.vectorRowsAtOnce } = query;
    const now = await this.#db
      .selectFrom('vector_owners')
      .select(['epoch', 'last_number'])
      .where((the) => the.and(vectorOwner))
      .executeTakeFirst();
    const epoch = now?.epoch ?? '';
    const upTo = now?.last_number ?? 0;
    const goesOn = since?.epoch === epoch;
    const after = goesOn ? since.upTo : 0;
    if (after >= upTo) return { epoch, upTo, goesOn, rows: [], isAll: true };
    const rows = await this.#db
      .selectFrom('vectors')
      .select([...columns, 'number'])
      .where((the) => the.and({ ...vectorOwner, part }))
      .where('number', '>', after)
      .orderBy('number')
      .limit(most)
      .execute();
    const isAll = rows.length < most;
    const last = rows.at(-1)?.number ?? upTo;
    return { epoch, upTo: isAll ? Math.max(upTo, last) : last, goesOn, rows: rows.map(toVectorRow), isAll };
  }

  async find(owner: VectorOwner, part: string, ids: readonly string[]): Promise<readonly VectorRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .selectFrom('vectors')
      .select([...columns, 'data'])
      .where((the) => the.and({ ...validateOwner(owner), part }))
      .where('id', 'in', ids)
      .execute();
    return rows.map((row) => ({ ...toVectorRow(row), data: row.data }));
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
      await this.#deleteExpired({ scope, module }, nowMs, 1 + rest.length);
    return over.length === most;
  }

  #deleteExpired(vectorOwner: VectorOwner, nowMs: number, most: number): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      const held = await lockOwner(trx, vectorOwner);
      if (held === undefined) return;
      const { numDeletedRows } = await trx
        .deleteFrom('vectors')
        .where((the) => the.and(vectorOwner))
        .where('number', 'in', (the) =>
          the
            .selectFrom('vectors')
            .select('number')
            .where((same) => same.and(vectorOwner))
            .where('expires_at_ms', '<=', nowMs)
            .limit(most),
        )
        .executeTakeFirstOrThrow();
      await updateOrDeleteOwner(trx, vectorOwner, held.entries - Number(numDeletedRows));
    });
  }

  /** True if there may be more. */
  #deleteSome(vectorOwner: VectorOwner): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const held = await lockOwner(trx, vectorOwner);
      if (held === undefined) return false;
      const dropped = await dropOldest(trx, vectorOwner, limits.vectorRowsAtOnce);
      await updateOrDeleteOwner(
        trx,
        vectorOwner,
        dropped < limits.vectorRowsAtOnce ? 0 : held.entries - dropped,
      );
      return dropped === limits.vectorRowsAtOnce;
    });
  }
}

function validateOwner({ module, scope }: VectorOwner): VectorOwner {
  return { module: validateStoreName(module), scope: validateStoreName(scope) };
}

/** Blocks other additions and deletions until this transaction ends. */
function lockOwner(trx: Transaction<Tables>, vectorOwner: VectorOwner): Promise<OwnerCounters | undefined> {
  return trx
    .updateTable('vector_owners')
    .set({ entries: sql.ref('entries') })
    .where((the) => the.and({ ...vectorOwner }))
    .returning(['epoch', 'entries', 'last_number'])
    .executeTakeFirst();
}

/** The same, but creates the row if it is missing. */
function lockOrCreateOwner(trx: Transaction<Tables>, vectorOwner: VectorOwner): Promise<OwnerCounters> {
  return trx
    .insertInto('vector_owners')
    .values({ ...vectorOwner, epoch: randomUUID(), entries: 0, last_number: 0 })
    .onConflict((conflict) =>
      conflict.columns(['scope', 'module']).doUpdateSet({ entries: sql.ref('vector_owners.entries') }),
    )
    .returning(['epoch', 'entries', 'last_number'])
    .executeTakeFirstOrThrow();
}

async function dropOldest(trx: Transaction<Tables>, vectorOwner: VectorOwner, most: number): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('vectors')
    .where((the) => the.and({ ...vectorOwner }))
    .where('number', 'in', (the) =>
      the
        .selectFrom('vectors')
        .select('number')
        .where((same) => same.and({ ...vectorOwner }))
        .orderBy('number')
        .limit(most),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes the owner's row when no entries are left. */
async function updateOrDeleteOwner(
  trx: Transaction<Tables>,
  vectorOwner: VectorOwner,
  entries: number,
): Promise<void> {
  if (entries > 0) await updateOwner(trx, vectorOwner, { entries });
  else
    await trx
      .deleteFrom('vector_owners')
      .where((the) => the.and({ ...vectorOwner }))
      .execute();
}

async function updateOwner(
  trx: Transaction<Tables>,
  vectorOwner: VectorOwner,
  figures: Partial<OwnerCounters>,
): Promise<void> {
  await trx
    .updateTable('vector_owners')
    .set(figures)
    .where((the) => the.and({ ...vectorOwner }))
    .execute();
}

function toVectorRow({
  part,
  id,
  space,
  codes,
  added_at_ms,
  expires_at_ms,
}: StoredVectorRow): Omit<VectorRow, 'data'> {
  return {
    part,
    id,
    space,
    codes: new Int8Array(codes.buffer, codes.byteOffset, codes.byteLength),
    addedAtMs: added_at_ms,
    expiresAtMs: expires_at_ms,
  };
}
