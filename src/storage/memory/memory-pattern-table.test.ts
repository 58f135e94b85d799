import { patternTableConformance } from '../../../test/conformance/pattern-table.ts';
import { MemoryPatternTable } from './memory-pattern-table.ts';

patternTableConformance('patterns in memory', () => {
  const table = new MemoryPatternTable();
  return [table, table];
});
