import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { RecordingFilter, RecordingPage, RecordingSearch } from '../../kernel/ports/recordings.ts';
import { limits } from '../limits.ts';
import { isOneOf } from './request-kind-filter.ts';
import { callFromRow, requestColumnNames } from './request-log-row.ts';
import type { Tables } from './tables.ts';

type FoundRecording = Omit<Tables['requests'], 'at_ms'> & {
  readonly recording_id: string;
  readonly recording_bytes: number;
  /** Null if the log has no row of the call. */
  readonly at_ms: number | null;
};

/** Lists recordings with the log's rows of their calls, in steps of so many recordings. */
export async function searchRecordings(db: Kysely<Tables>, search: RecordingSearch): Promise<RecordingPage> {
  const conditions = conditionsOf(search.filter);
  const rowsOfStep = conditions.length === 0 ? search.limit : limits.recordingSearchRows;
  const recordings: RecordingPage['recordings'][number][] = [];
  let next = search.beforeId;
  for (let step = 0; step < limits.recordingSearchSteps; step++) {
    const some = recordingsOfStep({ ...search, beforeId: next }, rowsOfStep);
    const wanted = search.limit - recordings.length;
    const rows = await readRows(db, some, conditions, wanted);
    recordings.push(...rows.map(toListed));
    next = rows.length === wanted ? rows.at(-1)?.recording_id : await lastOf(db, some, rowsOfStep);
    if (next === undefined || rows.length === wanted) break;
  }
  const hasOlder =
    next !== undefined &&
    (await lastOf(db, recordingsOfStep({ ...search, beforeId: next }, 1), 1)) !== undefined;
  return { recordings, next: hasOlder ? next : undefined };
}

function recordingsOfStep({ accountId, fromId, beforeId }: RecordingSearch, limit: number) {
  return sql`select id, bytes from recordings where account_id = ${accountId} and id >= ${fromId}
    ${beforeId === undefined ? sql`` : sql`and id < ${beforeId}`} order by id desc limit ${limit}`;
}

async function readRows(
  db: Kysely<Tables>,
  some: RawBuilder<unknown>,
  conditions: readonly RawBuilder<unknown>[],
  limit: number,
): Promise<readonly FoundRecording[]> {
  const columns = sql.join(requestColumnNames.map((name) => sql.ref(`requests.${name}`)));
  const { rows } = await sql<FoundRecording>`
    select recorded.id as recording_id, recorded.bytes as recording_bytes, ${columns}
    from (${some}) as recorded left join requests on requests.id = recorded.id
    where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
    order by recorded.id desc limit ${limit}`.execute(db);
  return rows;
}

/** The last of a full step; undefined if it has fewer. */
async function lastOf(
  db: Kysely<Tables>,
  some: RawBuilder<unknown>,
  rowsOfStep: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ readonly id: string | null; readonly count: number }>`
    select min(id) as id, cast(count(*) as bigint) as count from (${some}) as recorded`.execute(db);
  const [{ id = null, count = 0 } = {}] = rows;
  return count < rowsOfStep || id === null ? undefined : id;
}

function conditionsOf(filter: RecordingFilter): readonly RawBuilder<unknown>[] {
  const { model, status, keyId, keyIds, costNanoUsdMin, bytesMin } = filter;
  const all: RawBuilder<unknown>[] = [];
  if (model !== undefined) all.push(sql`(requests.model_asked = ${model} or requests.model_used = ${model})`);
  if (keyId !== undefined) all.push(sql`requests.key_id = ${keyId}`);
  if (keyIds !== undefined) all.push(isOneOf(sql`requests.key_id`, keyIds));
  if (status === 'error') all.push(sql`(requests.status >= 400 or requests.ending = 'failed')`);
  else if (status !== undefined)
    all.push(sql`requests.status between ${status.least} and ${status.greatest}`);
  if (costNanoUsdMin !== undefined) all.push(sql`requests.cost_nano_usd >= ${costNanoUsdMin}`);
  if (bytesMin !== undefined) all.push(sql`recorded.bytes >= ${bytesMin}`);
  return all;
}

function toListed(row: FoundRecording): RecordingPage['recordings'][number] {
  return {
    id: row.recording_id,
    bytes: row.recording_bytes,
    call: row.at_ms === null ? null : callFromRow({ ...row, at_ms: row.at_ms }),
  };
}
