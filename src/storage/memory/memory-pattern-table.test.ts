import { patternTableConformance } from '../pattern-table-conformance.ts';
import { MemoryPatternTable } from './memory-pattern-table.ts';

patternTableConformance('patterns in memory', () => {
  const table = new MemoryPatternTable();
  return [table, table];
});
