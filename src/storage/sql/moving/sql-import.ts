import { type Kysely, sql, type Transaction } from 'kysely';
import { GatewayError } from '../../../kernel/errors.ts';
import type { ImportOptions, MovedBatch, MovedRow, RunningImport } from '../../../kernel/ports/moving.ts';
import type { RowOutcome } from '../../../kernel/ports/moving-report.ts';
import { Lru } from '../../../lib/lru.ts';
import { limits } from '../../limits.ts';
import type { Tables } from '../tables.ts';
import { AccountBounds } from './account-bounds.ts';
import { forgetImport, type WriteMode, writeBulkRows, writeSmallRows } from './apply-rows.ts';
import { columnsOf } from './columns.ts';
import { keysFrom, toArray } from './json-source.ts';
import { kindRowOf, RequestKindHasher, requestKinds } from './log-tables.ts';
import type { ImportContext, MoveContext, MovedTable, StoredRow } from './moved-table.ts';
import { movedTables } from './moved-tables.ts';
import { placeProviderKeys } from './provider-key-places.ts';
import { recount } from './recount.ts';

interface StagedRow {
  readonly table: string;
  readonly how: WriteMode;
  readonly content: string;
}

interface ComparedRow {
  readonly row: MovedRow;
  readonly standing: RowOutcome;
}

/** Compares rows with those that are stored, and sets aside those that are to be written. */
export class SqlImport implements RunningImport {
  readonly #db: Kysely<Tables>;
  readonly #id: string;
  readonly #context: ImportContext;
  readonly #bounds: AccountBounds;
  readonly #hasher = new RequestKindHasher();
  readonly #stagedKinds = new Lru<true>(limits.importedKindsKnown);
  readonly #schemas = new Map<string, ReturnType<typeof columnsOf>>();
  #staged: StagedRow[] = [];
  #number = 0;
  #last: { readonly table: string; readonly key: readonly unknown[] } = { table: '', key: [] };

  constructor(db: Kysely<Tables>, id: string, options: ImportOptions, context: MoveContext) {
    this.#db = db;
    this.#id = id;
    this.#context = { ...context, ...options, stageKind: (attributes) => this.#stageKind(attributes) };
    this.#bounds = new AccountBounds(db, this.#context);
  }

  async add({ table: name, rows }: MovedBatch): Promise<readonly RowOutcome[]> {
    const table = movedTables.find((other) => other.name === name);
    if (table === undefined)
      throw new GatewayError('import_refused', `the file is refused: no table "${name}"`);
    const parsed = rows.map((row) => this.#parse(table, row));
    const standings = new Map<MovedRow, RowOutcome>();
    const valid: MovedRow[] = [];
    const faults =
      table.table === 'configurations'
        ? await this.#context.faultsOfConfigurations(parsed.filter((row) => typeof row !== 'string'))
        : undefined;
    const results: (RowOutcome | MovedRow)[] = [];
    for (const [at, row] of parsed.entries()) {
      const left = table.leftBecause?.(this.#context);
      if (typeof row === 'string') {
        results.push({ what: 'refused', reason: row, name: `row ${at + 1}` });
        continue;
      }
      this.#checkOrder(table, row);
      const fault = faults?.get(row) ?? (await table.faultOf?.(row, this.#context));
      if (fault !== undefined) results.push({ what: 'refused', reason: fault, name: table.nameOf(row) });
      else if (left !== undefined) results.push({ what: 'left', reason: left });
      else {
        valid.push(row);
        results.push(row);
      }
    }
    const compared =
      name === 'provider_keys'
        ? await placeProviderKeys(this.#db, valid, this.#context, (place, row) =>
            this.#stage(place, 'add', row),
          )
        : await this.#compare(table, valid);
    for (const { row, standing } of compared) standings.set(row, standing);
    await this.#flush();
    return results.map((one) => (isStanding(one) ? one : (standings.get(one) ?? unknownStanding)));
  }

  async commit(): Promise<void> {
    await this.#db.transaction().execute(async (trx) => {
      await requireAccount(trx, this.#context);
      await writeSmallRows(trx, this.#id, this.#context);
      await recount(trx, this.#context, this.#bounds.touched);
      const { numUpdatedRows } = await trx
        .updateTable('imports')
        .set({ is_committed: 1 })
        .where('id', '=', this.#id)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n)
        throw new GatewayError('import_refused', 'the import took too long: try again');
    });
  }

  finishSome(): Promise<boolean> {
    return writeBulkRows(this.#db, this.#id, this.#context);
  }

  async abort(): Promise<void> {
    if (!this.#context.isDryRun) await forgetImport(this.#db, this.#id);
  }

  #parse(table: MovedTable, row: MovedRow): MovedRow | string {
    const schema = this.#schemas.get(table.name) ?? columnsOf(table.columns);
    this.#schemas.set(table.name, schema);
    const { error } = schema.safeParse(row);
    if (error === undefined) return row;
    const [issue] = error.issues;
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.slice(0, 200);
  }

  /** Rows ascend in a file: each is there once. */
  #checkOrder({ name, key }: MovedTable, row: MovedRow): void {
    if (key === undefined || key.length === 0) return;
    const values = key.map((column) => row[column]);
    if (this.#last.table === name && compareKeys(values, this.#last.key) <= 0)
      throw new GatewayError(
        'import_refused',
        `the file is refused: rows of "${name}" are not in their order`,
      );
    this.#last = { table: name, key: values };
  }

  async #compare(table: MovedTable, rows: readonly MovedRow[]): Promise<readonly ComparedRow[]> {
    const stored = rows.map((row) => ({ row, values: table.toStored(row, this.#context) }));
    const found = await this.#find(
      table,
      stored.map(({ values }) => values),
    );
    const compared: ComparedRow[] = [];
    for (const { row, values } of stored) {
      const existing = found.get(nameOf(table, values));
      const standing = await this.#standingOf(table, row, existing);
      if (standing.what === 'added') this.#stage(table, 'add', values);
      if (standing.what === 'replaced') this.#stage(table, 'replace', values);
      this.#bounds.note(table, row, standing);
      compared.push({ row, standing });
    }
    return compared;
  }

  async #standingOf(table: MovedTable, row: MovedRow, existing: StoredRow | undefined): Promise<RowOutcome> {
    const name = table.nameOf(row);
    const { owner, replaces } = this.#context;
    if (existing === undefined) {
      const reason = await this.#bounds.refuse(table, row, undefined);
      return reason === undefined ? { what: 'added' } : { what: 'refused', reason, name };
    }
    const own = table.owner === 'scope' ? owner.scope : owner.accountId;
    if (existing[ownerAlias] !== own)
      return { what: 'refused', reason: 'its id belongs to another account', name };
    const moved = table.toMoved(existing, owner, this.#context);
    if (moved !== undefined && isSameRow(table, moved, row)) return { what: 'unchanged' };
    if (!replaces || table.isNeverReplaced) return { what: 'conflict', name };
    if (table.isSummed && moved !== undefined && lowers(table, moved, row))
      return { what: 'refused', reason: 'it would lower what is counted here', name };
    const reason = await this.#bounds.refuse(table, row, moved);
    return reason === undefined ? { what: 'replaced', name } : { what: 'refused', reason, name };
  }

  /** The stored rows with these primary keys, whoever owns them. A cross join lets SQLite begin with the keys. */
  async #find(table: MovedTable, values: readonly StoredRow[]): Promise<ReadonlyMap<string, StoredRow>> {
    const found = new Map<string, StoredRow>();
    if (values.length === 0) return found;
    const { primaryKey, written } = table;
    const types = primaryKey.map((column) => written[column] ?? 'text');
    const keys = values.map((row) => primaryKey.map((column) => row[column]));
    const same = sql.join(
      primaryKey.map((column, at) => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`wanted.k${at}`)}`),
      sql` and `,
    );
    const key = sql.join(
      primaryKey.map((column, at) => sql`${sql.ref(`t.${column}`)} as ${sql.id(`key${at}`)}`),
    );
    const { rows } =
      await sql<StoredRow>`select ${table.read}, ${sql.ref(`t.${table.owner}`)} as ${sql.id(ownerAlias)},
      ${key} from ${keysFrom(this.#context.dialect, types, keys)} cross join ${table.from} where ${same}`.execute(
        this.#db,
      );
    for (const row of rows) found.set(JSON.stringify(primaryKey.map((_, at) => row[`key${at}`])), row);
    return found;
  }

  #stageKind(attributes: MovedRow): string {
    const row = kindRowOf(attributes, this.#context.owner.accountId, this.#hasher);
    const kind = String(row.kind);
    if (this.#stagedKinds.get(kind) === undefined) {
      this.#stagedKinds.set(kind, true);
      this.#stage(requestKinds, 'add', row);
    }
    return kind;
  }

  #stage({ table, written }: Pick<MovedTable, 'table' | 'written'>, how: WriteMode, row: StoredRow): void {
    if (this.#context.isDryRun) return;
    const content = toArray(Object.keys(written).map((name) => row[name]));
    this.#staged.push({ table, how, content });
  }

  async #flush(): Promise<void> {
    const staged = this.#staged;
    this.#staged = [];
    if (staged.length === 0) return;
    const rows = staged.map(({ table, how, content }) => [this.#id, table, how, this.#number++, content]);
    const types = ['text', 'text', 'text', 'bigint', 'text'] as const;
    await this.#db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('imports')
        .set({ seen_at_ms: this.#context.now() })
        .where('id', '=', this.#id)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n)
        throw new GatewayError('import_refused', 'the import took too long: try again');
      await sql`insert into import_rows (import_id, table_name, how, number, content)
        select * from ${keysFrom(this.#context.dialect, types, rows)} ${sql.raw('where true')}`.execute(trx);
    });
  }
}

const ownerAlias = 'owner_of_row';
const unknownStanding: RowOutcome = { what: 'refused', reason: 'it is there twice', name: '' };

function isStanding(one: RowOutcome | MovedRow): one is RowOutcome {
  return typeof one.what === 'string' && ['refused', 'left'].includes(one.what);
}

function nameOf({ primaryKey }: MovedTable, values: StoredRow): string {
  return JSON.stringify(primaryKey.map((column) => values[column]));
}

function isSameRow({ columns }: MovedTable, one: MovedRow, other: MovedRow): boolean {
  return Object.keys(columns).every((name) => one[name] === other[name]);
}

/** Whether a figure of the second row is below that of the first. */
function lowers({ columns, order }: MovedTable, stored: MovedRow, row: MovedRow): boolean {
  return Object.entries(columns).some(
    ([name, { type }]) =>
      type !== 'text' && !order.includes(name) && Number(row[name]) < Number(stored[name]),
  );
}

function compareKeys(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [at, value] of one.entries()) {
    const than = other[at];
    const order =
      typeof value === 'number' && typeof than === 'number'
        ? value - than
        : Buffer.compare(Buffer.from(String(value)), Buffer.from(String(than)));
    if (order !== 0) return order;
  }
  return 0;
}

/** The account may have been deleted meanwhile. */
async function requireAccount(
  trx: Transaction<Tables>,
  { isLocal, owner, dialect }: ImportContext,
): Promise<void> {
  if (isLocal) return;
  const account = trx.selectFrom('users').select('id').where('id', '=', owner.accountId);
  const found = await (dialect.name === 'postgres' ? account.forUpdate() : account).executeTakeFirst();
  if (found === undefined) throw new GatewayError('authentication_required', 'the account has been deleted');
}
