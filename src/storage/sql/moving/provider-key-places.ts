import type { Kysely } from 'kysely';
import type { MovedRow } from '../../../kernel/ports/moving.ts';
import type { RowOutcome } from '../../../kernel/ports/moving-report.ts';
import type { Tables } from '../tables.ts';
import type { ImportContext, MovedTable, StoredRow } from './moved-table.ts';
import { readMovedRows } from './read-rows.ts';
import { secretTables } from './secret-tables.ts';

/** The first key of a provider goes to one table, the others to another. A key that is stored already stays. */
export async function placeProviderKeys(
  db: Kysely<Tables>,
  rows: readonly MovedRow[],
  context: ImportContext,
  stage: (place: MovedTable, row: StoredRow) => void,
): Promise<readonly { readonly row: MovedRow; readonly standing: RowOutcome }[]> {
  if (rows.length === 0) return [];
  const [first, further] = secretTables;
  if (first === undefined || further === undefined) throw new Error('provider keys have two tables');
  const known: MovedRow[] = [];
  for (const table of [first, further])
    for await (const page of readMovedRows(db, table, context.owner, context)) known.push(...page);
  return rows.map((row) => {
    const own = known.filter(({ provider }) => provider === row.provider);
    const name = first.nameOf(row);
    if (own.some(({ secret }) => secret === row.secret)) return { row, standing: { what: 'unchanged' } };
    if (own.some(({ id }) => id === row.id)) return { row, standing: { what: 'conflict', name } };
    if (own.length >= context.keysOfProviderMax) {
      const reason = `${context.keysOfProviderMax} keys are stored for the provider, the maximum`;
      return { row, standing: { what: 'refused', reason, name } };
    }
    known.push(row);
    const place = own.length === 0 ? first : further;
    stage(place, place.toStored(row, context));
    return { row, standing: { what: 'added' } };
  });
}
