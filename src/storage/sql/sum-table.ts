import type { SqlValue } from './call-values.ts';

/** A table of sums by key, or of kinds, which have none. */
export interface SumTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly sums: readonly string[];
  /** Further columns. */
  readonly merged?: readonly MergedColumn[];
}

/** A column whose new value is not a sum. */
export interface MergedColumn {
  readonly name: string;
  readonly kind: 'text' | 'integer';
  /** The SQL of the new value, from the stored and the added one. */
  merge(stored: string, added: string): string;
}

/** A row of sums to add to the existing one, or a kind to insert if it is missing. */
export interface UpsertRow {
  readonly table: SumTable;
  /** Of the key, the sums and the further columns, in order. */
  readonly values: readonly SqlValue[];
}

export function columnsOf({ key, sums, merged = [] }: SumTable): readonly string[] {
  return [...key, ...sums, ...merged.map(({ name }) => name)];
}

/** Adds sums to those that are there; a kind stays as it is. */
export function onConflict({ name, key, sums, merged = [] }: SumTable): string {
  if (sums.length === 0) return 'on conflict do nothing';
  const changes = [
    ...sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`),
    ...merged.map(
      (column) => `${column.name} = ${column.merge(`${name}.${column.name}`, `excluded.${column.name}`)}`,
    ),
  ];
  return `on conflict (${key.join(', ')}) do update set ${changes.join(', ')}`;
}
