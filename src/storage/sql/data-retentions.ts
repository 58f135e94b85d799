import { type Kysely, sql } from 'kysely';
import { scopeOf } from '../../kernel/caller.ts';
import type {
  DataRetention,
  DataRetentions,
  RetainedKind,
  StoredAmount,
} from '../../kernel/ports/data-retentions.ts';
import { firstIdAt } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import { deleteEntries } from './collection-expiry.ts';
import { isNotHeld, isScopeNotHeld } from './legal-holds.ts';
import type { Tables } from './tables.ts';
import { SqlVectorTable } from './vector-table.ts';

export class SqlDataRetentions implements DataRetentions {
  readonly #db: Kysely<Tables>;
  readonly #vectors: SqlVectorTable;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
    this.#vectors = new SqlVectorTable(db);
  }

  of(accountId: string): Promise<readonly DataRetention[]> {
    return this.#retentions().where('account_id', '=', accountId).execute();
  }

  async put({ accountId, kind, days }: Parameters<DataRetentions['put']>[0]): Promise<void> {
    if (days === null)
      await this.#db
        .deleteFrom('data_retentions')
        .where('account_id', '=', accountId)
        .where('kind', '=', kind)
        .execute();
    else
      await this.#db
        .insertInto('data_retentions')
        .values({ account_id: accountId, kind, days })
        .onConflict((conflict) => conflict.columns(['account_id', 'kind']).doUpdateSet({ days }))
        .execute();
  }

  page(kind: RetainedKind, after: string, limit: number): Promise<readonly DataRetention[]> {
    return this.#retentions()
      .where('kind', '=', kind)
      .where('account_id', '>', after)
      .where(isNotHeld('account_id'))
      .orderBy('account_id')
      .limit(limit)
      .execute();
  }

  async forget(
    { accountId, kind }: Parameters<DataRetentions['forget']>[0],
    beforeMs: number,
  ): Promise<boolean> {
    if (kind === 'recordings') {
      const { numAffectedRows = 0n } = await sql`delete from recordings where id in (select id from recordings
        where account_id = ${accountId} and id < ${firstIdAt(beforeMs)} and ${isNotHeld('account_id')}
        order by id limit ${limits.recordingRowsAtOnce})`.execute(this.#db);
      return numAffectedRows === BigInt(limits.recordingRowsAtOnce);
    }
    // A pattern that was confirmed again is as young as that.
    const age = sql.ref(kind === 'archive' ? 'created_at_ms' : 'updated_at_ms');
    const isOld = sql<boolean>`${age} < ${beforeMs} and ${isScopeNotHeld()}`;
    const old = await this.#db
      .selectFrom('collection_entries')
      .select(['scope', 'module', 'collection', 'key'])
      .where('scope', '=', scopeOfAccount(accountId))
      .where('module', '=', kind)
      .where(isOld)
      .limit(limits.collectionEntriesDeletedAtOnce)
      .execute();
    for (const [collection, entries] of Map.groupBy(old, (entry) => entry.collection)) {
      const id = { scope: scopeOfAccount(accountId), module: kind, collection };
      const keys = entries.map(({ key }) => key);
      const deleted = await deleteEntries(this.#db, id, { keys, condition: isOld });
      // The vector of a pattern has its id.
      if (collection === 'patterns') await this.#vectors.removeEverywhere(id, deleted);
    }
    return old.length === limits.collectionEntriesDeletedAtOnce;
  }

  async stored(accountId: string, kind: RetainedKind | 'requests', most: number): Promise<StoredAmount> {
    switch (kind) {
      case 'requests':
        return this.#sum(
          sql`select count(*) as items, null as bytes from
            (select 1 from requests where account_id = ${accountId} limit ${most}) as counted`,
        );
      case 'recordings':
        return this.#sum(
          sql`select count(*) as items, sum(bytes) as bytes from recordings where account_id = ${accountId}`,
        );
      case 'audit':
        return this.#sum(
          sql`select count(*) as items, sum(length(content)) as bytes from audit_entries where chain = ${accountId}`,
        );
      case 'archive':
      case 'patterns':
        return this.#sum(
          sql`select count(*) as items, sum(bytes) as bytes from collection_entries
            where scope = ${scopeOfAccount(accountId)} and module = ${kind} and collection = ${kind}`,
        );
    }
  }

  async #sum(query: ReturnType<typeof sql>): Promise<StoredAmount> {
    const { rows } = await sql<{ readonly items: unknown; readonly bytes: unknown }>`${query}`.execute(
      this.#db,
    );
    const { items, bytes } = rows[0] ?? {};
    return {
      items: Number(items ?? 0),
      bytes: bytes === null || bytes === undefined ? undefined : Number(bytes),
    };
  }

  #retentions() {
    return this.#db.selectFrom('data_retentions').select(['account_id as accountId', 'kind', 'days']);
  }
}

function scopeOfAccount(accountId: string): string {
  return scopeOf({ kind: 'account', accountId, keyId: '' });
}
