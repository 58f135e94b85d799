import type { Clock } from '../../src/lib/clock.ts';
import { PatternTable } from '../../src/modules/patterns/store/pattern-table.ts';
import { createModuleTables } from '../../src/testing/module-tables.ts';

/** The patterns in tables in memory, which `runModule` can share. */
export function createPatternTable(clock?: Clock) {
  const tables = createModuleTables(clock);
  return { tables, table: new PatternTable((owner) => tables.stores.store('patterns', owner)) };
}
