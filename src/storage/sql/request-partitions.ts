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

/** Both ends of all ids always have a partition, so that a call finds a place whatever its clock said. */
const past = 'requests_past';
const future = 'requests_future';

/**
 * Drops the partitions whose calls are all expired, and creates those of the next days. That takes a lock on the whole log
 * for some milliseconds, about once a day; if it has to wait for the lock for long, it fails and others get their turn.
 */
export async function maintainPartitions(db: Kysely<Tables>, plan: PartitionPlan): Promise<void> {
  const partitions = await readPartitions(db);
  const keptFrom = firstIdAt(plan.keptFromMs);
  const expired = partitions.filter(({ name, to }) => name !== past && to !== undefined && to <= keptFrom);
  const starts = newStarts(partitions, plan);
  if (expired.length === 0 && starts.length < 2) return;
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = ${sql.lit(limits.partitionLockMs)}`.execute(trx);
    await sql`lock table requests in access exclusive mode`.execute(trx);
    if (expired.length > 0) await dropPartitions(trx, expired);
    if (starts.length > 1) await addPartitions(trx, starts);
  });
}

async function readPartitions(db: Kysely<Tables>): Promise<readonly RequestPartition[]> {
  const { rows } = await sql<{ readonly name: string; readonly bounds: string }>`
    select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bounds
    from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'requests'::regclass`.execute(
    db,
  );
  return rows.map(({ name, bounds }) => ({
    name,
    from: /FROM \('(\w+)'\)/.exec(bounds)?.[1],
    to: /TO \('(\w+)'\)/.exec(bounds)?.[1],
  }));
}

/** Where new partitions begin, and where the last of them ends. A long pause before now is one partition. */
function newStarts(
  partitions: readonly RequestPartition[],
  { nowMs, spanMs }: PartitionPlan,
): readonly number[] {
  const futureFrom = partitions.find(({ name }) => name === future)?.from;
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

async function dropPartitions(trx: Transaction<Tables>, expired: readonly RequestPartition[]): Promise<void> {
  for (const name of [past, ...expired.map((partition) => partition.name)])
    await sql`drop table if exists ${sql.id(name)}`.execute(trx);
  const end = expired.map(({ to = '' }) => to).reduce((one, other) => (one > other ? one : other));
  await sql`create table ${sql.id(past)} partition of requests for values from (minvalue) to (${sql.lit(end)})`.execute(
    trx,
  );
}

/** Moves calls of a clock that was ahead into the new partitions. */
async function addPartitions(trx: Transaction<Tables>, starts: readonly number[]): Promise<void> {
  await sql`alter table requests detach partition ${sql.id(future)}`.execute(trx);
  for (const [at, start] of starts.entries()) {
    const end = starts[at + 1];
    if (end === undefined) continue;
    const [from, to] = [sql.lit(firstIdAt(start)), sql.lit(firstIdAt(end))];
    const table = sql.id(`requests_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`);
    await sql`create table ${table} partition of requests for values from (${from}) to (${to})`.execute(trx);
    await sql`with moved as (delete from ${sql.id(future)} where id < ${to} returning *)
      insert into ${table} select * from moved`.execute(trx);
  }
  await sql`alter table requests attach partition ${sql.id(future)}
    for values from (${sql.lit(firstIdAt(starts.at(-1) ?? 0))}) to (maxvalue)`.execute(trx);
}
