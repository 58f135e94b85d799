import { archiveTableConformance } from '../archive-table-conformance.ts';
import { MemoryArchiveTable } from './memory-archive-table.ts';

archiveTableConformance('archives in memory', () => {
  const table = new MemoryArchiveTable();
  return [table, table];
});
