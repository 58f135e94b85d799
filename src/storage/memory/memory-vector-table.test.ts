import { vectorTableConformance } from '../../../test/conformance/vector-table.ts';
import { MemoryVectorTable } from './memory-vector-table.ts';

vectorTableConformance('vectors in memory', () => {
  const table = new MemoryVectorTable();
  return [table, table];
});
