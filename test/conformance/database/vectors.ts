import { vectorTableConformance } from '../vector-table.ts';
import type { SetUpDatabase } from './set-up.ts';

export function vectorsConformance(setUpDatabase: SetUpDatabase): void {
  vectorTableConformance('vectors', async (t) => {
    const { open, database } = await setUpDatabase(t);
    return [database.vectors, (await open()).vectors];
  });
}
