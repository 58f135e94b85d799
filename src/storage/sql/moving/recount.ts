import { sql, type Transaction } from 'kysely';
import { GatewayError } from '../../../kernel/errors.ts';
import { lockCounters, saveCounters } from '../collection-counters.ts';
import type { Tables } from '../tables.ts';
import type { AccountBounds } from './account-bounds.ts';
import type { ImportContext } from './moved-table.ts';

/** Counts what modules store after rows were added, and rejects what is beyond the bounds of an account. */
export async function recount(
  trx: Transaction<Tables>,
  { owner: { scope }, collectionOf }: ImportContext,
  { stores, collections }: AccountBounds['touched'],
): Promise<void> {
  for (const module of [...stores].sort())
    await sql`insert into module_stores (scope, module, entries, last_version)
      select ${scope}, ${module}, count(*), coalesce(max(version), 0) from module_entries
        where scope = ${scope} and module = ${module}
      on conflict (scope, module) do update set entries = excluded.entries,
        last_version = case when excluded.last_version > module_stores.last_version
          then excluded.last_version else module_stores.last_version end`.execute(trx);
  for (const [module, names] of collections)
    for (const collection of [...names].sort()) {
      const bounds = collectionOf(module, collection);
      const id = { scope, module, collection };
      await lockCounters(trx, id);
      const { entries, bytes } = await trx
        .selectFrom('collection_entries')
        .select(({ fn }) => [fn.countAll<number>().as('entries'), fn.sum<number | null>('bytes').as('bytes')])
        .where((the) => the.and(id))
        .executeTakeFirstOrThrow();
      const counted = { entries: Number(entries), bytes: Number(bytes ?? 0) };
      const isFull =
        counted.entries > (bounds?.entriesMax ?? Number.POSITIVE_INFINITY) ||
        counted.bytes > (bounds?.bytesMax ?? Number.POSITIVE_INFINITY);
      if (isFull)
        throw new GatewayError('import_refused', `entries of ${module} were added meanwhile: try again`);
      await saveCounters(trx, id, counted);
    }
}
