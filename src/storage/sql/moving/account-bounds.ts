import { type Kysely, sql } from 'kysely';
import { limits as kernelLimits } from '../../../kernel/limits.ts';
import type { MovedRow } from '../../../kernel/ports/moving.ts';
import type { RowOutcome } from '../../../kernel/ports/moving-report.ts';
import { limits } from '../../limits.ts';
import type { Tables } from '../tables.ts';
import { figureMax } from './columns.ts';
import type { ImportContext, MovedTable } from './moved-table.ts';
import { PromptBounds } from './prompt-bounds.ts';

interface StoredSize {
  entries: number;
  bytes: number;
}

const sealBytes = 28;

/** What an account may store: an import counts on from what is there. */
export class AccountBounds {
  readonly #db: Kysely<Tables>;
  readonly #context: ImportContext;
  readonly #fillings = new Map<string, StoredSize>();
  readonly #sums = new Map<string, Map<string, number>>();
  readonly #uniques = new Set<string>();
  readonly #prompts: PromptBounds;
  /** The stores and collections that get rows. */
  readonly touched = { stores: new Set<string>(), collections: new Map<string, Set<string>>() };

  constructor(db: Kysely<Tables>, context: ImportContext) {
    this.#db = db;
    this.#context = context;
    this.#prompts = new PromptBounds(db, context);
  }

  /** What becomes of a row, which may decide about later ones. */
  note(table: MovedTable, row: MovedRow, outcome: RowOutcome): void {
    if (table.table === 'prompt_versions') this.#prompts.noteVersion(row, outcome);
  }

  /** The reason why a row does not fit; `replaced` is the row that it takes the place of. */
  async refuse(
    table: MovedTable,
    row: MovedRow,
    replaced: MovedRow | undefined,
  ): Promise<string | undefined> {
    if (table.isSummed) return this.#refuseSum(table, row, replaced);
    switch (table.table) {
      case 'collection_entries':
        return this.#refuseEntry(row, replaced);
      case 'module_entries':
        this.touched.stores.add(String(row.module));
        return this.#fill('module_entries', row.module, {
          added: { entries: replaced === undefined ? 1 : 0, bytes: 0 },
          entriesMax: limits.moduleEntriesMax,
        });
      case 'prompt_versions':
        return this.#prompts.refuseVersion(row);
      case 'prompt_labels':
        return this.#prompts.refuseLabel(row, replaced === undefined);
      case 'projects':
        return this.#fill('projects', null, {
          added: { entries: 1, bytes: 0 },
          entriesMax: limits.importedProjectsMax,
        });
      case 'api_keys':
        return this.#fill('api_keys', null, {
          added: { entries: 1, bytes: 0 },
          entriesMax: limits.importedKeysMax,
        });
      case 'budgets':
        return this.#fill('budgets', null, {
          added: { entries: replaced === undefined ? 1 : 0, bytes: 0 },
          entriesMax: kernelLimits.storedBudgetsMax,
        });
      case 'recordings':
        return this.#fill('recordings', null, {
          added: { entries: 1, bytes: Buffer.byteLength(String(row.content), 'base64') + sealBytes },
          bytesMax: this.#context.recordingBytesMax,
        });
      default:
        return undefined;
    }
  }

  async #refuseEntry(row: MovedRow, replaced: MovedRow | undefined): Promise<string | undefined> {
    const [module, collection] = [String(row.module), String(row.collection)];
    const declared = this.#context.collectionOf(module, collection);
    if (declared === undefined) return 'no module here stores it';
    const isTaken = await this.#isTaken(row, declared.unique);
    if (isTaken) return 'another entry here has the same content';
    const own = this.touched.collections.get(module) ?? new Set();
    this.touched.collections.set(module, own.add(collection));
    const added = {
      entries: replaced === undefined ? 1 : 0,
      bytes: bytesOf(row) - (replaced === undefined ? 0 : bytesOf(replaced)),
    };
    const { entriesMax, bytesMax } = declared;
    return this.#fill('collection_entries', `${module}\n${collection}`, { added, entriesMax, bytesMax });
  }

  async #isTaken(row: MovedRow, unique: readonly string[]): Promise<boolean> {
    if (unique.length === 0) return false;
    const name = JSON.stringify([row.module, row.collection, ...unique.map((column) => row[column])]);
    if (this.#uniques.has(name)) return true;
    this.#uniques.add(name);
    const same = sql.join(
      unique.map((column) => sql`${sql.ref(column)} = ${row[column]}`),
      sql` and `,
    );
    const { rows } = await sql`select 1 from collection_entries where scope = ${this.#context.owner.scope}
      and module = ${row.module} and collection = ${row.collection} and ${same} and key <> ${row.key} limit 1`.execute(
      this.#db,
    );
    return rows.length > 0;
  }

  async #fill(
    table: 'collection_entries' | 'module_entries' | 'api_keys' | 'budgets' | 'projects' | 'recordings',
    name: unknown,
    bound: {
      readonly added: StoredSize;
      readonly entriesMax?: number | undefined;
      readonly bytesMax?: number | undefined;
    },
  ): Promise<string | undefined> {
    const { added, entriesMax = Number.POSITIVE_INFINITY, bytesMax = Number.POSITIVE_INFINITY } = bound;
    const key = `${table}\n${name}`;
    const filling = this.#fillings.get(key) ?? (await this.#read(table, name));
    this.#fillings.set(key, filling);
    if (added.entries > 0 && filling.entries + added.entries > entriesMax)
      return `the account has reached its limit of ${entriesMax}`;
    if (added.bytes > 0 && filling.bytes + added.bytes > bytesMax)
      return `the account has reached its limit of ${bytesMax} bytes`;
    filling.entries += added.entries;
    filling.bytes += added.bytes;
    return undefined;
  }

  async #read(table: string, name: unknown): Promise<StoredSize> {
    const { owner } = this.#context;
    const [module, collection] = String(name).split('\n');
    const filters = {
      collection_entries: sql`scope = ${owner.scope} and module = ${module} and collection = ${collection}`,
      module_entries: sql`scope = ${owner.scope} and module = ${module}`,
      api_keys: sql`account_id = ${owner.accountId}`,
      projects: sql`account_id = ${owner.accountId}`,
      budgets: sql`account_id = ${owner.accountId}`,
      recordings: sql`account_id = ${owner.accountId}`,
    };
    const filter = Object.entries(filters).find(([other]) => other === table)?.[1] ?? sql`false`;
    const bytes = table === 'collection_entries' || table === 'recordings' ? sql`sum(bytes)` : sql`0`;
    const { rows } = await sql<{ readonly entries: number; readonly bytes: number | null }>`
      select count(*) as entries, ${bytes} as bytes from ${sql.table(table)} where ${filter}`.execute(
      this.#db,
    );
    return { entries: Number(rows[0]?.entries ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
  }

  /** A sum that is no exact number any more would break reports, also those of all accounts together. */
  async #refuseSum(
    table: MovedTable,
    row: MovedRow,
    replaced: MovedRow | undefined,
  ): Promise<string | undefined> {
    const figures = Object.entries(table.columns)
      .filter(([name, { type }]) => type === 'bigint' && !isTime(name) && !table.order.includes(name))
      .map(([name]) => name);
    const sums = this.#sums.get(table.name) ?? (await this.#readSums(table, figures));
    this.#sums.set(table.name, sums);
    const added = figures.map(
      (name) => Math.abs(Number(row[name])) - Math.abs(Number(replaced?.[name] ?? 0)),
    );
    const over = figures.find((name, at) => (sums.get(name) ?? 0) + (added[at] ?? 0) > figureMax);
    if (over !== undefined) return `the sum of ${over} would exceed ${figureMax}`;
    for (const [at, name] of figures.entries()) sums.set(name, (sums.get(name) ?? 0) + (added[at] ?? 0));
    return undefined;
  }

  async #readSums({ table }: MovedTable, figures: readonly string[]): Promise<Map<string, number>> {
    const real = this.#context.dialect.real;
    const columns = figures.map(
      (name) => sql`sum(abs(cast(${sql.ref(name)} as ${real}))) as ${sql.id(name)}`,
    );
    const { rows } = await sql<Readonly<Record<string, number | null>>>`select ${sql.join(columns)}
      from ${sql.table(table)} where account_id = ${this.#context.owner.accountId}`.execute(this.#db);
    return new Map(figures.map((name) => [name, Number(rows[0]?.[name] ?? 0)]));
  }
}

function isTime(name: string): boolean {
  return name.endsWith('_ms') || name.startsWith('is_') || name === 'bin' || name === 'status';
}

function bytesOf({ value, content }: MovedRow): number {
  return typeof content === 'string'
    ? Buffer.byteLength(content, 'base64') + sealBytes
    : Buffer.byteLength(String(value));
}
