import { type Kysely, sql, type Transaction } from 'kysely';
import type { PartitionPlan } from '../../kernel/ports/request-log.ts';
import { firstIdAt, timeOfId } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import type { Tables } from './tables.ts';

/** A range of ids: from the first one up to the one that follows the last. Undefined without such a bound. */
interface RequestPartition {
  readonly name: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

type PartitionedTable = 'requests' | 'request_ids';

/** Both ends of all ids always have a partition, so that a call finds a place whatever its clock said. */
const pastOf = (table: PartitionedTable) => `${table}_past`;
const futureOf = (table: PartitionedTable) => `${table}_future`;

/**
 * Drops the partitions whose calls are all expired, and creates those of the next days. That takes a lock on the whole log
 * for some milliseconds, about once a day; if it has to wait for the lock for long, it fails and others get their turn.
 */
export async function maintainPartitions(
  db: Kysely<Tables>,
  table: PartitionedTable,
  plan: PartitionPlan,
): Promise<void> {
  const partitions = await readPartitions(db, table);
  const keptFrom = firstIdAt(plan.keptFromMs);
  const expired = partitions.filter(
    ({ name, to }) => name !== pastOf(table) && to !== undefined && to <= keptFrom,
  );
  const starts = newStarts(partitions.find(({ name }) => name === futureOf(table))?.from, plan);
  const mayBeDropped = table === 'requests' ? await withoutHeldRows(db, table, expired) : expired;
  if (mayBeDropped.length === 0 && starts.length < 2) return;
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = ${sql.lit(limits.partitionLockMs)}`.execute(trx);
    await sql`lock table ${sql.id(table)} in access exclusive mode`.execute(trx);
    // A hold is placed before the partitions are looked at, or after they are dropped.
    await sql`lock table legal_holds in share mode`.execute(trx);
    const dropped = table === 'requests' ? await withoutHeldRows(trx, table, expired) : expired;
    if (dropped.length > 0) await dropPartitions(trx, table, dropped);
    if (starts.length > 1) await addPartitions(trx, table, starts);
  });
}

/** The oldest ones, up to the first with a row of an account under a legal hold: the cleaner deletes rows of others there. */
async function withoutHeldRows(
  db: Kysely<Tables>,
  table: PartitionedTable,
  expired: readonly RequestPartition[],
): Promise<readonly RequestPartition[]> {
  const unheld: RequestPartition[] = [];
  const hasHeldRows = async (name: string) =>
    (
      await sql`select 1 from ${sql.table(name)}
        where account_id in (select held.account_id from legal_holds as held) limit 1`.execute(db)
    ).rows.length > 0;
  // The first partition of calls is there once others were dropped.
  const { rows } = await sql`select 1 where to_regclass(${pastOf(table)}) is not null`.execute(db);
  if (rows.length > 0 && (await hasHeldRows(pastOf(table)))) return [];
  for (const partition of expired.toSorted((one, other) => ((one.to ?? '') < (other.to ?? '') ? -1 : 1))) {
    if (await hasHeldRows(partition.name)) break;
    unheld.push(partition);
  }
  return unheld;
}

async function readPartitions(
  db: Kysely<Tables>,
  table: PartitionedTable,
): Promise<readonly RequestPartition[]> {
  const { rows } = await sql<{ readonly name: string; readonly bounds: string }>`
    select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds
    from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = cast(${table} as regclass)`.execute(
    db,
  );
  return rows.map(({ name, bounds }) => ({
    name,
    from: /FROM \('(\w+)'\)/.exec(bounds)?.[1],
    to: /TO \('(\w+)'\)/.exec(bounds)?.[1],
  }));
}

/** Where new partitions begin, and where the last of them ends. A long pause before now is one partition. */
function newStarts(futureFrom: string | undefined, { nowMs, spanMs }: PartitionPlan): readonly number[] {
  if (futureFrom === undefined) return [];
  const untilMs = nowMs + limits.partitionsAhead * spanMs;
  const starts = [timeOfId(futureFrom)];
  const current = Math.floor(nowMs / spanMs) * spanMs;
  for (let at = Math.max(starts[0] ?? 0, current - spanMs); at < untilMs; ) {
    at = (Math.floor(at / spanMs) + 1) * spanMs;
    starts.push(at);
  }
  return starts;
}

async function dropPartitions(
  trx: Transaction<Tables>,
  table: PartitionedTable,
  expired: readonly RequestPartition[],
): Promise<void> {
  for (const name of [pastOf(table), ...expired.map((partition) => partition.name)])
    await sql`drop table if exists ${sql.id(name)}`.execute(trx);
  const end = expired.map(({ to = '' }) => to).reduce((one, other) => (one > other ? one : other));
  await sql`create table ${sql.id(pastOf(table))} partition of ${sql.id(table)} for values from (minvalue) to (${sql.lit(end)})`.execute(
    trx,
  );
}

/** Moves calls of a clock that was ahead into the new partitions. */
async function addPartitions(
  trx: Transaction<Tables>,
  table: PartitionedTable,
  starts: readonly number[],
): Promise<void> {
  const [parent, future] = [sql.id(table), sql.id(futureOf(table))];
  await sql`alter table ${parent} detach partition ${future}`.execute(trx);
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1];
    if (end === undefined) continue;
    const [from, to] = [sql.lit(firstIdAt(start)), sql.lit(firstIdAt(end))];
    const day = sql.id(`${table}_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`);
    await sql`create table ${day} partition of ${parent} for values from (${from}) to (${to})`.execute(trx);
    await sql`with moved as (delete from ${future} where id < ${to} returning *)
      insert into ${day} select * from moved`.execute(trx);
  }
  await sql`alter table ${parent} attach partition ${future}
    for values from (${sql.lit(firstIdAt(starts.at(-1) ?? 0))}) to (maxvalue)`.execute(trx);
}
