import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type {
  ImportOptions,
  MovedOwner,
  MovedRow,
  MovedRows,
  MovedSealings,
  RunningImport,
} from '../../../kernel/ports/moving.ts';
import { limits } from '../../limits.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { Tables } from '../tables.ts';
import { forgetImport, forgetOrphans, writeBulkRows } from './apply-rows.ts';
import type { MoveContext } from './moved-table.ts';
import { movedTables } from './moved-tables.ts';
import { readMovedRows } from './read-rows.ts';
import { SqlImport } from './sql-import.ts';

/** Rows of accounts that move between instances. */
export class SqlMovedRows implements MovedRows {
  readonly #db: Kysely<Tables>;
  readonly #context: MoveContext;

  constructor(db: Kysely<Tables>, dialect: SqlDialect, sealings: MovedSealings) {
    this.#db = db;
    this.#context = { dialect, sealings };
  }

  read(name: string, owner: MovedOwner): AsyncIterable<readonly MovedRow[]> {
    const table = movedTables.find((other) => other.name === name);
    if (table === undefined) throw new Error(`table "${name}" does not move`);
    return readMovedRows(this.#db, table, owner, this.#context);
  }

  async start(options: ImportOptions): Promise<RunningImport | undefined> {
    const id = randomUUID();
    const { isDryRun, nowMs, owner } = options;
    if (!isDryRun) {
      const { numInsertedOrUpdatedRows } = await this.#db
        .insertInto('imports')
        .values({ id, account_id: owner.accountId, is_committed: 0, seen_at_ms: nowMs })
        .onConflict((conflict) => conflict.column('account_id').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return undefined;
    }
    return new SqlImport(this.#db, id, options, this.#context);
  }

  async recoverSome(nowMs: number): Promise<boolean> {
    const found = await this.#db
      .selectFrom('imports')
      .select(['id', 'is_committed'])
      .where((the) =>
        the.or([the('is_committed', '=', 1), the('seen_at_ms', '<', nowMs - limits.importSilenceMs)]),
      )
      .limit(1)
      .executeTakeFirst();
    if (found === undefined) return forgetOrphans(this.#db);
    if (found.is_committed === 1) await writeBulkRows(this.#db, found.id, this.#context);
    else await forgetImport(this.#db, found.id);
    return true;
  }
}
