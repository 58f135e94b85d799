import type { StandardSchema } from '../standard-schema.ts';

/** Columns for the fields of entries; each has an index. */
const textColumns = ['text1', 'text2', 'text3', 'text4'] as const;
export const integerColumns = ['integer1', 'integer2'] as const;

type TextColumn = (typeof textColumns)[number];
type IntegerColumn = (typeof integerColumns)[number];
export type FieldColumn = TextColumn | IntegerColumn;
export type FieldColumns = Readonly<Record<string, FieldColumn>>;

/** A kind of entries that a module stores, found by its fields. Create it with `defineCollection`. */
export interface Collection<Value, Fields extends FieldColumns> {
  /** Kebab-case, unique in the module. */
  readonly name: string;
  /** Checks a value before it is written. */
  readonly value?: StandardSchema<Value>;
  /**
   * The column of each field. Stored entries keep their columns, so a field keeps its own for good, and a new field
   * gets an unused one.
   */
  readonly fields: Fields;
  /** Fields that together differ in all entries, the most selective first. Needs `entriesMax`. */
  readonly unique?: readonly (keyof Fields & string)[];
  /** Encrypts the values, for content of conversations. Fields stay readable for the database. */
  readonly sealed?: true;
  /** Bounds for each account. One of `entriesMax` and `lifeSeconds` is required. */
  readonly entriesMax?: number;
  /** Entries without an expiry of their own are deleted after this time. */
  readonly lifeSeconds?: number;
  /** The size of all values; the oldest entries are deleted beyond it. */
  readonly bytesMax?: number;
  /** The size of one value, compressed if it is sealed; 256 KiB by default, 8 MiB at most. */
  readonly valueBytesMax?: number;
}

/** A collection of any module, for those who store its entries without knowing their fields. */
export interface DeclaredCollection extends Omit<Collection<unknown, FieldColumns>, 'unique'> {
  readonly unique?: readonly string[];
}

export type FieldValues<Fields extends FieldColumns> = {
  readonly [Name in keyof Fields]: FieldValue<Fields[Name]> | null;
};
type FieldValue<Column> = Column extends TextColumn ? string : number;

export interface NewEntry<Value, Fields extends FieldColumns> {
  readonly value: Value;
  readonly fields: FieldValues<Fields>;
  readonly expiresAtMs?: number | undefined;
}

export interface Entry<Value, Fields extends FieldColumns> {
  readonly key: string;
  readonly value: Value;
  readonly fields: FieldValues<Fields>;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number | undefined;
}

/** An entry without its value. */
export interface EntryInfo<Fields extends FieldColumns>
  extends Pick<Entry<unknown, Fields>, 'key' | 'fields' | 'createdAtMs' | 'expiresAtMs'> {
  /** The size of the value, compressed if it is sealed. */
  readonly bytes: number;
}

/** All conditions must match. The first one uses its index, so it should be the most selective. */
export type EntryFilter<Fields extends FieldColumns> = {
  readonly [Name in keyof Fields]?: Condition<FieldValue<Fields[Name]>> | null | undefined;
} & { readonly key?: Condition<string> | undefined };

export type Condition<Value> =
  | Value
  | { readonly lt?: Value; readonly gt?: Value; readonly in?: readonly (Value | null)[] };

export interface EntryQuery<Fields extends FieldColumns> {
  readonly where?: EntryFilter<Fields>;
  /** A field, `key` (the default) or `createdAt`. By a field, only entries that have it are found. */
  readonly orderBy?: (keyof Fields & string) | 'key' | 'createdAt';
  readonly descending?: boolean;
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  /** 100 by default and at most. */
  readonly limit?: number;
}

export interface EntryPage<Value, Fields extends FieldColumns> {
  readonly entries: readonly Entry<Value, Fields>[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

export interface EntryInfoPage<Fields extends FieldColumns> {
  readonly entries: readonly EntryInfo<Fields>[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** The entries of a collection for one tenant. Expired entries are not found. */
export interface Entries<Value, Fields extends FieldColumns> {
  get(key: string): Promise<Entry<Value, Fields> | undefined>;
  /**
   * Resolves to the written entry. With `version`, only if that is the stored version (0: if there is none);
   * otherwise, or if another entry has the same unique fields, resolves to undefined without a change. Rejects with a
   * `CollectionFullError` beyond `entriesMax`.
   */
  put(
    key: string,
    entry: NewEntry<Value, Fields>,
    version?: number,
  ): Promise<Entry<Value, Fields> | undefined>;
  /** False if there is none, or another version. */
  delete(key: string, version?: number): Promise<boolean>;
  /** Resolves to the number of deleted entries. */
  deleteAll(where: EntryFilter<Fields>): Promise<number>;
  query(query?: EntryQuery<Fields>): Promise<EntryPage<Value, Fields>>;
  /** The same without the values, which may be large. */
  list(query?: EntryQuery<Fields>): Promise<EntryInfoPage<Fields>>;
  /** A number that changes with every write to a collection with `entriesMax` or `bytesMax`; 0 before the first. */
  revision(): Promise<number>;
}

/** The collections of a module for one tenant. */
export interface CollectionStore {
  collection<Value, Fields extends FieldColumns>(
    collection: Collection<Value, Fields>,
  ): Entries<Value, Fields>;
  /** Applies all changes or none: false if one of them can't be applied, by the rules of `put` and `delete`. */
  write(addChanges: (batch: WriteBatch) => void): Promise<boolean>;
}

export interface WriteBatch {
  put<Value, Fields extends FieldColumns>(
    collection: Collection<Value, Fields>,
    key: string,
    entry: NewEntry<Value, Fields>,
    version?: number,
  ): void;
  delete<Value, Fields extends FieldColumns>(
    collection: Collection<Value, Fields>,
    key: string,
    version?: number,
  ): void;
}

/** A value is larger than the `valueBytesMax` of its collection. */
export class ValueTooLargeError extends Error {
  constructor(bytes: number, bytesMax: number) {
    super(`a value of ${bytes} bytes is too large to store: the limit is ${bytesMax}`);
    this.name = 'ValueTooLargeError';
  }
}

/** A collection has as many entries as it may have. */
export class CollectionFullError extends Error {
  constructor(collection: string) {
    super(`the collection "${collection}" is full: delete entries before adding others`);
    this.name = 'CollectionFullError';
  }
}
