import { type CompiledQuery, DummyDriver, Kysely, type QueryResult } from 'kysely';
import type { Migration } from './migrate.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SchemaTables } from './tables.ts';

/**
 * Describes what in a migration would break older builds; empty if they keep working. During a rolling update, older
 * replicas use tables that a newer one has migrated.
 */
export async function findIncompatibilities(
  migration: Migration,
  sqlDialect: SqlDialect,
): Promise<readonly string[]> {
  const made = new Set<string>();
  const faults: string[] = [];
  for (const statement of await recordStatements(migration, sqlDialect)) {
    const [, table] = /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement) ?? [];
    if (table !== undefined) made.add(table);
    else {
      const fault = incompatibilityOf(statement, made);
      if (fault !== undefined) faults.push(`${migration.name} (${sqlDialect.name}): ${fault}: ${statement}`);
    }
  }
  return faults;
}

/** `made`: tables that the same migration creates, which older builds don't use. */
function incompatibilityOf(statement: string, made: ReadonlySet<string>): string | undefined {
  const [, unique, indexed = ''] = /^create (unique )?index .*? on (\w+)/.exec(statement) ?? [];
  if (indexed !== '')
    return unique === undefined || made.has(indexed) ? undefined : 'older builds may write duplicates';
  const [, altered = '', column = ''] = /^alter table (\w+) add column (.*)/.exec(statement) ?? [];
  if (altered !== '') {
    if (made.has(altered)) return undefined;
    if (/ not null/.test(column) && !/ default /.test(column)) return 'older builds leave the column empty';
    return /\b(unique|primary key|references|check)\b/.test(column)
      ? 'older builds may violate the constraint'
      : undefined;
  }
  if (/^create (or replace )?function /.test(statement)) return undefined;
  const [, touched = ''] =
    /^create trigger .*? on (\w+)/.exec(statement) ??
    /^(?:insert into|update|delete from) (\w+)/.exec(statement) ??
    [];
  if (touched === '') return 'older builds may need what it removes';
  return made.has(touched) ? undefined : 'it changes what older builds read and write';
}

/** Lower case, on one line, without quotation marks. */
async function recordStatements(migration: Migration, sqlDialect: SqlDialect): Promise<readonly string[]> {
  const statements: string[] = [];
  const db = new Kysely<SchemaTables>({
    dialect: { ...sqlDialect, createDriver: () => new RecordingDriver((sql) => statements.push(sql)) },
  });
  await db.transaction().execute((trx) => migration.up(trx, sqlDialect));
  return statements.map((sql) => sql.replaceAll('"', '').replace(/\s+/g, ' ').trim().toLowerCase());
}

/** Records statements and returns no rows. */
class RecordingDriver extends DummyDriver {
  readonly #record: (sql: string) => void;

  constructor(record: (sql: string) => void) {
    super();
    this.#record = record;
  }

  override async acquireConnection() {
    return {
      executeQuery: async <Row>({ sql }: CompiledQuery): Promise<QueryResult<Row>> => {
        this.#record(sql);
        return { rows: [] };
      },
      async *streamQuery(): AsyncGenerator<never> {},
    };
  }
}
