import type { RawBuilder } from 'kysely';
import type { ImportOptions, MovedOwner, MovedRow, MovedSealings } from '../../../kernel/ports/moving.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { MovedColumn } from './columns.ts';

/** A row of the database. */
export type StoredRow = Readonly<Record<string, unknown>>;
export type SqlType = MovedColumn['type'] | 'bytes';

export interface MoveContext {
  readonly dialect: SqlDialect;
  readonly sealings: MovedSealings;
}

export interface ImportContext extends MoveContext, ImportOptions {
  /** The kind of a call with these attributes, which will be stored. */
  stageKind(attributes: MovedRow): string;
}

/** How the rows of a table move. */
export interface MovedTable {
  /** Its name in files. */
  readonly name: string;
  readonly table: string;
  readonly owner: 'account_id' | 'scope';
  /** What to read from; the table is `t`. */
  readonly from: RawBuilder<unknown>;
  readonly where?: RawBuilder<unknown>;
  /** The columns that are read, and those in whose order, which differ in all rows of an owner. */
  readonly read: RawBuilder<unknown>;
  readonly order: readonly string[];
  /** The columns in a file. */
  readonly columns: Readonly<Record<string, MovedColumn>>;
  /** The columns in a file that name a row, in their order; undefined if the order is another in each database. */
  readonly key: readonly string[] | undefined;
  /** The columns that are written, and the primary key among them. */
  readonly written: Readonly<Record<string, SqlType>>;
  readonly primaryKey: readonly string[];
  /** Increased by one when a row is replaced. */
  readonly version?: string;
  /** Written when the rest is, because there may be many. */
  readonly isBulk?: true;
  /** Figures that must never be lowered, and whose sums are bounded. */
  readonly isSummed?: true;
  readonly isNeverReplaced?: true;
  /** Why rows stay in the file. */
  leftBecause?(context: ImportContext): string | undefined;
  /** Undefined for a row that can't be read. */
  toMoved(row: StoredRow, owner: MovedOwner, context: MoveContext): MovedRow | undefined;
  /** The reason to refuse a row. */
  faultOf?(row: MovedRow, context: ImportContext): string | undefined | Promise<string | undefined>;
  toStored(row: MovedRow, context: ImportContext): StoredRow;
  nameOf(row: MovedRow): string;
}
