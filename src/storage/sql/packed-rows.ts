import type { StatementResult } from './connection-pool.ts';

/** Rows as lists of values: objects take three times as long between threads. */
export interface PackedResult {
  readonly columns: readonly string[];
  readonly lists: readonly unknown[];
  readonly changes?: number | undefined;
}

export function unpack({ columns, lists, changes }: PackedResult): StatementResult {
  const rows = lists.map((values) => {
    const row: Record<string, unknown> = {};
    if (Array.isArray(values))
      for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = values[at];
    return row;
  });
  return { rows, changes };
}
