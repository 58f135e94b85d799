import { collectionsConformance } from '../collections.ts';
import type { SetUpDatabase } from './set-up.ts';

export function collectionEntriesConformance(setUpDatabase: SetUpDatabase): void {
  collectionsConformance('collections of modules', async (t) => {
    const { open, database } = await setUpDatabase(t);
    return [database, await open()];
  });
}
