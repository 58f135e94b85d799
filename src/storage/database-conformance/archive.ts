import { archiveTableConformance } from '../archive-table-conformance.ts';
import type { SetUp } from './set-up.ts';

export function archiveConformance(setUp: SetUp): void {
  archiveTableConformance('archives', async (t) => {
    const { open, database } = await setUp(t);
    return [database.archive, (await open()).archive];
  });
}
