import { type Kysely, sql, type Transaction } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import {
  type AuditEntry,
  type AuditQuery,
  type AuditTable,
  type ChainPoint,
  chainStart,
  type LinkedEntry,
  type NewEntries,
  type PersonalValues,
  type SignedPoint,
  type ValuesOfPerson,
} from '../../kernel/ports/audit.ts';
import { isJsonObject } from '../../lib/json.ts';
import { chunks } from './chunks.ts';
import { isNotHeld } from './legal-holds.ts';
import type { Tables } from './tables.ts';

const entryColumns = ['number', 'id', 'at_ms', 'event', 'actor', 'content'] as const;

export class SqlAudit implements AuditTable {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  append({ chain, ids, doubtful, link }: NewEntries): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      let end = await lockedEnd(trx, chain);
      const stored = doubtful.size === 0 ? undefined : await storedIds(trx, chain, [...doubtful]);
      const added: LinkedEntry[] = [];
      for (const id of ids) {
        if (stored?.has(id)) continue;
        const entry = link(id, end);
        added.push(entry);
        end = entry;
      }
      for (const some of chunks(added, limits.databaseRowsAtOnce)) await insert(trx, chain, some);
      await trx
        .updateTable('audit_chains')
        .set({ number: end.number, hash: end.hash, at_ms: end.atMs })
        .where('chain', '=', chain)
        .execute();
    });
  }

  async page({ chain, before, events, actor, fromMs, toMs, limit }: AuditQuery) {
    const rows = await this.#db
      .selectFrom('audit_entries')
      .select(entryColumns)
      .where('chain', '=', chain)
      .$if(before !== undefined, (query) => query.where('number', '<', before ?? 0))
      .$if(events !== undefined, (query) => query.where('event', 'in', events ?? []))
      .$if(actor !== undefined, (query) => query.where('actor', '=', actor ?? ''))
      .$if(fromMs !== undefined, (query) => query.where('at_ms', '>=', fromMs ?? 0))
      .$if(toMs !== undefined, (query) => query.where('at_ms', '<', toMs ?? 0))
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
    return this.#withValues(chain, rows);
  }

  async following(chain: string, after: number, limit: number): Promise<readonly AuditEntry[]> {
    const rows = await this.#db
      .selectFrom('audit_entries')
      .select(entryColumns)
      .where('chain', '=', chain)
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute();
    return this.#withValues(chain, rows);
  }

  async end(chain: string): Promise<ChainPoint | undefined> {
    return this.#db
      .selectFrom('audit_chains')
      .select(['number', 'hash', 'at_ms as atMs'])
      .where('chain', '=', chain)
      .executeTakeFirst();
  }

  async chains(after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('audit_chains')
      .select('chain')
      .where('chain', '>', after)
      .orderBy('chain')
      .limit(limit)
      .execute();
    return rows.map(({ chain }) => chain);
  }

  signedPoints(chain: string): Promise<readonly SignedPoint[]> {
    return this.#db
      .selectFrom('audit_points')
      .select(['number', 'at_ms as atMs', 'jws'])
      .where('chain', '=', chain)
      .orderBy('number')
      .execute();
  }

  async unsignedChains(limit: number): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('audit_chains')
      .select('chain')
      .whereRef('number', '>', 'signed')
      .limit(limit)
      .execute();
    return rows.map(({ chain }) => chain);
  }

  addSignedPoint(chain: string, point: SignedPoint): Promise<void> {
    return this.#db.transaction().execute((trx) => putPoint(trx, chain, point));
  }

  async lastBefore(chain: string, beforeMs: number): Promise<AuditEntry | undefined> {
    const rows = await this.#db
      .selectFrom('audit_entries')
      .select(entryColumns)
      .where('chain', '=', chain)
      .where('at_ms', '<', beforeMs)
      .orderBy('at_ms', 'desc')
      .orderBy('number', 'desc')
      .limit(1)
      .execute();
    return (await this.#withValues(chain, rows))[0];
  }

  async chainsBefore(beforeMs: number, after: string, limit: number): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('audit_chains')
      .select('chain')
      .where('chain', '>', after)
      .where(isNotHeld('chain'))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('audit_entries')
            .select('number')
            .whereRef('audit_entries.chain', '=', 'audit_chains.chain')
            .where('audit_entries.at_ms', '<', beforeMs),
        ),
      )
      .orderBy('chain')
      .limit(limit)
      .execute();
    return rows.map(({ chain }) => chain);
  }

  removeThrough(chain: string, removal: SignedPoint): Promise<boolean> {
    const { number } = removal;
    return this.#db.transaction().execute(async (trx) => {
      await lockedEnd(trx, chain);
      const held = await trx
        .selectFrom('legal_holds')
        .select('side')
        .where('account_id', '=', chain)
        .execute();
      if (held.length > 0) return false;
      await trx.deleteFrom('audit_points').where('chain', '=', chain).where('number', '<=', number).execute();
      await putPoint(trx, chain, removal);
      await trx.deleteFrom('audit_values').where('chain', '=', chain).where('number', '<=', number).execute();
      await trx
        .deleteFrom('audit_entries')
        .where('chain', '=', chain)
        .where('number', '<=', number)
        .execute();
      return true;
    });
  }

  /** In this order, so that an interrupted deletion is noticed as one. */
  async forget(chain: string): Promise<void> {
    await this.#deleteAll('audit_values', chain);
    await this.#deleteAll('audit_entries', chain);
    await this.#deleteAll('audit_points', chain);
    await this.#db.deleteFrom('audit_chains').where('chain', '=', chain).execute();
  }

  async forgetPerson(person: string): Promise<void> {
    if (person === '') return;
    const key = sql.join(['chain', 'number', 'person'].map((column) => sql.ref(column)));
    for (let deleted: bigint | undefined; deleted !== 0n; )
      ({ numAffectedRows: deleted = 0n } = await sql`delete from audit_values
        where (${key}) in (select ${key} from audit_values where person = ${person} and ${isNotHeld('chain')}
        limit ${limits.databaseRowsAtOnce})`.execute(this.#db));
  }

  async #deleteAll(table: 'audit_values' | 'audit_entries' | 'audit_points', chain: string): Promise<void> {
    const rows = sql.table(table);
    for (let deleted: bigint | undefined; deleted !== 0n; )
      ({ numAffectedRows: deleted = 0n } = await sql`delete from ${rows} where chain = ${chain} and number in
        (select number from ${rows} where chain = ${chain} limit ${limits.databaseRowsAtOnce})`.execute(
        this.#db,
      ));
  }

  async #withValues(chain: string, rows: readonly EntryRow[]): Promise<readonly AuditEntry[]> {
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (first === undefined || last === undefined) return [];
    const found = await this.#db
      .selectFrom('audit_values')
      .select(['number', 'person', 'content'])
      .where('chain', '=', chain)
      .where('number', 'in', [...rows.map(({ number }) => number)])
      .orderBy('number')
      .orderBy('person')
      .execute();
    const valuesOf = Map.groupBy(found, ({ number }) => number);
    return rows.map(({ number, id, at_ms: atMs, event, actor, content: text }) => ({
      ...{ number, id, atMs, event, actor, text },
      values: (valuesOf.get(number) ?? []).map(toValues),
    }));
  }
}

interface EntryRow {
  readonly number: number;
  readonly id: string;
  readonly at_ms: number;
  readonly event: string;
  readonly actor: string;
  readonly content: string;
}

/** The newest entry, with a lock that lasts as long as the transaction. */
async function lockedEnd(trx: Transaction<Tables>, chain: string): Promise<ChainPoint> {
  const { number, hash, atMs } = chainStart;
  return trx
    .insertInto('audit_chains')
    .values({ chain, number, hash, at_ms: atMs, signed: 0 })
    .onConflict((conflict) => conflict.column('chain').doUpdateSet({ chain }))
    .returning(['number', 'hash', 'at_ms as atMs'])
    .executeTakeFirstOrThrow();
}

async function storedIds(
  trx: Transaction<Tables>,
  chain: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('audit_entries')
    .select('id')
    .where('chain', '=', chain)
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function insert(
  trx: Transaction<Tables>,
  chain: string,
  entries: readonly LinkedEntry[],
): Promise<void> {
  await trx
    .insertInto('audit_entries')
    .values(
      entries.map(({ number, id, atMs, event, actor, text }) => ({
        ...{ chain, number, id, event, actor },
        at_ms: atMs,
        content: text,
      })),
    )
    .execute();
  const values = entries.flatMap(({ number, values: all }) =>
    all.map(({ person, values }) => ({ chain, number, person, content: JSON.stringify(values) })),
  );
  if (values.length > 0) await trx.insertInto('audit_values').values(values).execute();
}

async function putPoint(
  trx: Transaction<Tables>,
  chain: string,
  { number, atMs, jws }: SignedPoint,
): Promise<void> {
  await trx
    .insertInto('audit_points')
    .values({ chain, number, at_ms: atMs, jws })
    .onConflict((conflict) => conflict.columns(['chain', 'number']).doNothing())
    .execute();
  await trx
    .updateTable('audit_chains')
    .set({ signed: number })
    .where('chain', '=', chain)
    .where('signed', '<', number)
    .execute();
}

function toValues({
  person,
  content,
}: {
  readonly person: string;
  readonly content: string;
}): ValuesOfPerson {
  const parsed: unknown = JSON.parse(content);
  const values: Record<string, PersonalValues[string]> = {};
  for (const [name, given] of isJsonObject(parsed) ? Object.entries(parsed) : [])
    if (isJsonObject(given)) values[name] = { value: String(given.value), salt: String(given.salt) };
  return { person, values };
}
