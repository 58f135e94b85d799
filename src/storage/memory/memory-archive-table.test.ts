import { archiveTableConformance } from '../../../test/conformance/archive-table.ts';
import { MemoryArchiveTable } from './memory-archive-table.ts';

archiveTableConformance('archives in memory', () => {
  const table = new MemoryArchiveTable();
  return [table, table];
});
