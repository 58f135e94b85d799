import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Takes or renews a lease for a task that only one replica should run; false while another one has it. */
export async function acquireLease(
  db: Kysely<Tables>,
  name: string,
  { holder, nowMs, untilMs }: { readonly holder: string; readonly nowMs: number; readonly untilMs: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('leases')
    .values({ name, holder, until_ms: untilMs })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until_ms: untilMs })
        .where((the) => the.or([the('leases.holder', '=', holder), the('leases.until_ms', '<=', nowMs)])),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}
