import { Kysely, type RawBuilder, sql } from 'kysely';
import type { StorageReport, StoredPart, StoredPartName } from '../../kernel/ports/storage-report.ts';
import { firstIdAt, timeOfId } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import { createKyselyDialect } from './kysely-dialect.ts';
import type { SqlBackend } from './sql-database.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const dayMs = 86_400_000;

/** A column that says when a row was added. */
interface TimeColumn {
  readonly table: string;
  readonly column: string;
  write(ms: number): string | number;
  read(value: string | number): number;
}

interface PartTables {
  readonly name: StoredPartName;
  /** Names of tables, or the beginnings of names that end with `_`. */
  readonly tables: readonly string[];
  /** The table that most of the part is in. */
  readonly time?: TimeColumn;
}

const asId = { column: 'id', write: firstIdAt, read: (id: string | number) => timeOfId(String(id)) };
const asMs = { write: (ms: number) => ms, read: Number };
const asDay = {
  column: 'day',
  write: (ms: number) => new Date(ms).toISOString().slice(0, 10),
  read: (day: string | number) => Date.parse(String(day)),
};

/** The first part that names a table has it. */
const parts: readonly PartTables[] = [
  {
    name: 'request_log',
    tables: ['requests', 'request_ids', 'request_kinds'],
    time: { table: 'requests', ...asId },
  },
  {
    name: 'log_sums',
    tables: ['request_', 'conversations', 'end_user_days'],
    time: { table: 'request_past_sums', column: 'at_ms', ...asMs },
  },
  { name: 'recordings', tables: ['recordings'], time: { table: 'recordings', ...asId } },
  { name: 'usage', tables: ['usage_', 'tag_days', 'module_days'], time: { table: 'usage_days', ...asDay } },
  {
    name: 'receipts',
    tables: ['receipts', 'receipt_owners'],
    time: { table: 'receipts', column: 'created_at_ms', ...asMs },
  },
  {
    name: 'modules',
    tables: [
      'module_',
      'collection_',
      'archive',
      'patterns',
      'pattern_',
      'outcomes',
      'vectors',
      'vector_owners',
    ],
  },
  { name: 'files', tables: ['call_files', 'call_file_', 'own_batches', 'own_batch_'] },
];

/** On a connection of its own, since it takes long: other queries don't wait for it. */
export async function reportStorage(
  { dialect, isPrivate, bounds, createPool }: SqlBackend,
  ownDb: Kysely<Tables>,
  nowMs: number,
): Promise<StorageReport> {
  if (isPrivate === true) return readStorage(ownDb, dialect, nowMs);
  const statementMs = limits.storageReportMs;
  const pool = createPool({ ...bounds, connectionsMax: 1, statementMs, answerMs: statementMs });
  try {
    const db = new Kysely<Tables>({ dialect: createKyselyDialect(dialect, pool) });
    return await readStorage(db, dialect, nowMs);
  } finally {
    await pool.close();
  }
}

/** The sizes of all tables by part, and by how much parts have grown in the last days. */
async function readStorage(db: Kysely<Tables>, dialect: SqlDialect, nowMs: number): Promise<StorageReport> {
  const { rows: tables } = await sql<{ readonly name: string; readonly bytes: number }>`
    select name, cast(sum(bytes) as bigint) as bytes from (${dialect.tableSizes}) as sizes group by name`.execute(
    db,
  );
  const { rows: whole } = await sql<{ readonly bytes: number }>`select ${dialect.size} as bytes`.execute(db);
  const byPart = new Map<StoredPartName, number>();
  for (const { name, bytes } of tables) {
    const part = parts.find((one) => one.tables.some((text) => isNamed(name, text)))?.name ?? 'other';
    byPart.set(part, (byPart.get(part) ?? 0) + Number(bytes));
  }
  const reported: StoredPart[] = [];
  for (const { name, time } of parts) {
    const bytes = byPart.get(name) ?? 0;
    const share = time && (await shareOfDay(db, time, nowMs));
    reported.push({ name, bytes, bytesPerDay: share === undefined ? undefined : Math.round(share * bytes) });
  }
  reported.push({ name: 'other', bytes: byPart.get('other') ?? 0, bytesPerDay: undefined });
  return { bytes: Number(whole[0]?.bytes ?? 0), parts: reported };
}

function isNamed(table: string, text: string): boolean {
  return text.endsWith('_') ? table.startsWith(text) : table === text;
}

/** The share of a table's rows that is added on a day: the mean of the last days, or of those since the first row. */
async function shareOfDay(
  db: Kysely<Tables>,
  { table, column, write, read }: TimeColumn,
  nowMs: number,
): Promise<number> {
  const at: RawBuilder<unknown> = sql.ref(column);
  const { rows } = await sql<{
    readonly total: number;
    readonly recent: number;
    readonly oldest: string | number | null;
  }>`
    select count(*) as total, min(${at}) as oldest,
      coalesce(sum(case when ${at} >= ${write(nowMs - limits.storageGrowthMs)} then 1 else 0 end), 0) as recent
    from ${sql.table(table)}`.execute(db);
  const [{ total = 0, recent = 0, oldest = null } = {}] = rows;
  if (oldest === null) return 0;
  // An hour at least: the first calls of a new gateway say little of a day.
  const ageMs = Math.max(dayMs / 24, nowMs - read(oldest));
  return (Number(recent) / Number(total)) * (dayMs / Math.min(limits.storageGrowthMs, ageMs));
}
