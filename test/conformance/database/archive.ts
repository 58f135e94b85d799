import { archiveTableConformance } from '../archive-table.ts';
import type { SetUpDatabase } from './set-up.ts';

export function archiveConformance(setUpDatabase: SetUpDatabase): void {
  archiveTableConformance('archives', async (t) => {
    const { open, database } = await setUpDatabase(t);
    return [database.archive, (await open()).archive];
  });
}
